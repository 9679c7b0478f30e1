/* SPDX-License-Identifier: MIT
 *
 * The shim's side of tallyman/door.h: the page, and calls that are made from it. Part of raw.h;
 * include that.
 *
 * What goes through the door: the shim's own watched calls, and those that it records itself.
 * Nothing else may, for nobody would know of it.
 */
#ifndef PRELOAD_DOOR_H
#define PRELOAD_DOOR_H

#include <stdbool.h>
#include <stdint.h>

#include "tallyman/door.h"

enum door_state {
    DOOR_SHUT,   /* not tried yet */
    DOOR_MOVING, /* somebody is at it */
    DOOR_OPEN,
    DOOR_BLOCKED, /* the place is taken, or the kernel refused */
};

extern uint32_t door_state;

/* Moves the page, once. Where that fails, calls go the normal way. */
void door_open(void);

static inline bool door_is_open(void)
{
    return __builtin_expect(__atomic_load_n(&door_state, __ATOMIC_RELAXED) == DOOR_OPEN, 1);
}

/* Through the door when it is open. */
static inline long door_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    return door_is_open() ? raw_syscall_from_door(number, a, b, c, d, e, f)
                          : raw_syscall(number, a, b, c, d, e, f);
}

#define DOOR(number, a, b, c, d, e, f)                                                             \
    door_syscall(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#endif
