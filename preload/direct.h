/* SPDX-License-Identifier: MIT
 *
 * Functions that make a system call through the door where libc's function would make the same one
 * elsewhere, and be reported for what the shim records anyway.
 */
#ifndef PRELOAD_DIRECT_H
#define PRELOAD_DIRECT_H

#include <stdbool.h>

#include "real.h"

/* True in a process that reports to a run whose witness wants the gaps alone, when the door is
 * open. The same for the whole life of a process; may report the process in. */
bool direct_wanted(void);

/* The function for a hook, NULL: none. Only where libc's own function is the next behind the shim:
 * another preload's must be called. */
real_function direct_function(enum hook hook);

#endif
