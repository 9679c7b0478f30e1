/* SPDX-License-Identifier: MIT */
#ifndef HOOK_NAMES_H
#define HOOK_NAMES_H

#include <stdint.h>

/* Name of the function with that number in the event log; "start" for what the shim noted when the
 * image started, "?" for a number that no function has. */
const char *hook_name(uint16_t hook);

#endif
