/* SPDX-License-Identifier: MIT */
#ifndef HOOK_NAMES_H
#define HOOK_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Name of the function with that number in the event log; "start" for what the shim noted when the
 * image started, "?" for a number that no function has. */
const char *hook_name(uint16_t hook);
/* True when the process that calls the function becomes the program itself. */
bool hook_is_exec(uint16_t hook);

/* Name of a system call, an enum witness_call; NULL when there is none of that number. */
const char *witness_call_name(uint16_t call);

#endif
