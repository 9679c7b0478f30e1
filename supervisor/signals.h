/* SPDX-License-Identifier: MIT
 *
 * Waiting for the command while signals come in. All signals are blocked and taken one by one, so
 * no handler runs anywhere. The command stays in our process group: what the terminal sends reaches
 * it without us, and is not sent on; what somebody sends to us alone is.
 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include "group_watch.h"
#include "launch.h"

#define SIGNALS_FORCE_MS 4000 /* from the second INT or TERM to the end of everything */

struct signal_wait {
    pid_t command;
    struct group_watch group;
    bool ended;
    int status;          /* as wait(2) gives it, once `ended` */
    struct rusage usage; /* likewise */
    uint64_t ended_ns;
    int interrupted;   /* the first INT, TERM, HUP or QUIT, 0 none */
    int requests;      /* how many of them */
    uint64_t last_ns;  /* when the last one came */
    uint64_t force_ns; /* when to kill everything, 0 never */
};

/* Blocks all signals and makes children waitable; what was before goes to `saved`. */
void signals_take(struct launch_signals *saved);
void signals_restore(const struct launch_signals *saved);

/* Handles what comes within the time, at least until something came. */
void signals_wait(struct signal_wait *wait, long milliseconds);

/* Reaps what ended without waiting. False when there are no children at all. */
bool signals_reap(struct signal_wait *wait);

/* CLOCK_MONOTONIC. */
uint64_t signals_clock(void);

#endif
