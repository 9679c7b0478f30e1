/* SPDX-License-Identifier: MIT
 *
 * The seccomp filter of a run: watched calls are reported unless they are made through the door
 * (tallyman/door.h), all others pass. It is inherited by everything that the command starts, for
 * ever.
 *
 * Passing without report, because programs' own start and the plainest calls would drown the rest:
 *   newfstatat, statx  with AT_EMPTY_PATH and a descriptor: fstat(3) of what was opened before
 *   sendto             without an address
 *   getrandom          of a pointer's size of bytes that may fail: what glibc's malloc takes for
 *                      itself (2.36)
 *   clock_gettime      of clocks that do not tell the time of day
 */
#ifndef WITNESS_FILTER_H
#define WITNESS_FILTER_H

#include <stdbool.h>

/* What became of it, to be sent from the process that installs to the one that listens. */
struct witness_listener {
    int fd;    /* -1: there is none */
    int error; /* then: errno */
    bool
        unprivileged; /* no_new_privs had to be set: set-id programs run without their privileges */
    bool interruptible; /* the kernel is older than 5.19: a signal ends a call that is being looked
                           at */
};

/* Installs it in the calling thread, which must be the process' only one. Only system calls, no
 * allocation. witness_abis() must have been called before. */
struct witness_listener witness_filter_install(void);

/* The kernel says why it gives no listener: a line that a person can act on, static. */
const char *witness_filter_reason(int error);

#endif
