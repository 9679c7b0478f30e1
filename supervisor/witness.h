/* SPDX-License-Identifier: MIT
 *
 * The kernel's view of a run (seccomp_unotify(2)): each reported call is looked at while its thread
 * waits, answered "go on", and recorded in the event log. Two threads: one takes reports and does
 * nothing else, one goes with programs without shim over their exec (vdso.h).
 *
 * What it cannot see is a blind spot; what it did not do is never waved through as seen.
 */
#ifndef WITNESS_H
#define WITNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "tallyman/record.h"
#include "witness_filter.h"

struct witness_setting {
    int log;                /* borrowed */
    enum witness_mode mode; /* not OFF */
    const char *shim;       /* as it stands in LD_PRELOAD; borrowed. NULL: the command gets none */
    const char *directory;  /* of the run; borrowed */
};

struct witness;

/* NULL: it cannot run here, `*why` says so (static). */
struct witness *witness_new(const struct witness_setting *setting, const char **why);

/* The process that stands by (witness_guard.h): not one of the build. */
pid_t witness_guard_process(const struct witness *witness);

/* From now on reports are answered. The listener is the witness's, which closes it. */
bool witness_start(struct witness *witness, struct witness_listener listener);

/* After this nothing is recorded any more. Calls of processes that still run are answered by the
 * process that stands by, until the last of them has ended. */
void witness_stop(struct witness *witness);
void witness_free(struct witness *witness);

struct witness_counts {
    uint64_t calls;       /* reported */
    uint64_t interrupted; /* ended by a signal while they were looked at */
    uint64_t taken_back;  /* ended by a signal before they could be looked at */
    uint64_t lost;        /* records that could not be written */
};

struct witness_counts witness_counts(const struct witness *witness);

#endif
