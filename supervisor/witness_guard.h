/* SPDX-License-Identifier: MIT
 *
 * A process that takes the reports over when the supervisor cannot: it answers each with "go on".
 * The filter is inherited for ever, and a call that nobody answers fails. So a supervisor that was
 * killed does not break the build, and a daemon that the build leaves behind lives on.
 */
#ifndef WITNESS_GUARD_H
#define WITNESS_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct witness_guard {
    pid_t process; /* 0 none */
    int channel;
    uint64_t *last; /* shared: the report that was taken last. One that was taken and not answered
                       is not reported again */
};

/* `directory` is named in the message when the supervisor has died. False with errno. */
bool witness_guard_start(struct witness_guard *guard, const char *directory);

/* Gives it the listener, too. */
bool witness_guard_hand(struct witness_guard *guard, int listener);

/* The run is over. `listener` as handed, -1 none was: the guard ends, or serves what still runs. */
void witness_guard_end(struct witness_guard *guard, int listener);

#endif
