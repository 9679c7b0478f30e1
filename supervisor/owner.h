/* SPDX-License-Identifier: MIT
 *
 * Is the process that took a chunk still there?
 */
#ifndef OWNER_H
#define OWNER_H

#include <stdbool.h>
#include <stdint.h>

/* Now, on the clock by which the kernel dates processes (CLOCK_BOOTTIME, ns). */
uint64_t owner_clock(void);

/* True when no process has this pid. */
bool owner_is_gone(uint32_t pid);

/* True when the process that has this pid started after `seen`: the number was given again. */
bool owner_was_replaced(uint32_t pid, uint64_t seen);

#endif
