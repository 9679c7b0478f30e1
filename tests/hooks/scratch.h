/* SPDX-License-Identifier: MIT
 *
 * For tests of the shim alone: an event log without a supervisor, programs that report to it, and
 * the records they left. Reading is the supervisor's own reader.
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "listener.h"
#include "tallyman/event.h"
#include "tallyman/record.h"

struct scratch_record {
    struct record head;
    char *subject; /* NUL-terminated */
    char *other;
};

struct scratch_records {
    struct scratch_record *list;
    size_t count;
    uint64_t damaged;
    uint64_t lost;
};

struct scratch_program {
    const char *const *argv;
    const char *log;                  /* NULL: no run is named */
    const char *shim;                 /* NULL: without the shim */
    const char *preload;              /* further entries behind the shim's, may be NULL */
    const char *folder;               /* to start in, NULL: here */
    unsigned seconds;                 /* killed after that; 0: 20 */
    unsigned kill_after;              /* killed after so many microseconds; 0: not */
    enum witness_mode witness;        /* what the shim is told */
    struct listener_reports *reports; /* not NULL: the kernel reports, and here they go */
};

struct scratch_result {
    int status; /* as wait(2) gives it */
    int pid;
    bool late; /* it was killed because its seconds were over */
    size_t size;
    char output[65536]; /* standard output, the end of it where there is more; NUL-terminated */
};

/* Makes the log file; dies when it cannot. A limit of 0 is one that no test reaches. */
void scratch_log(const char *path, uint32_t limit);

/* Runs a program to its end, with stdin from /dev/null and stderr as it is. */
void scratch_run(const struct scratch_program *program, struct scratch_result *result);

/* All records of the log. */
struct scratch_records scratch_read(const char *path);
void scratch_records_free(struct scratch_records *records);

/* How often the kind of access happened to that subject, over all processes. */
uint64_t scratch_count(const struct scratch_records *records, enum event_kind kind,
                       const char *subject);

/* `pattern` may hold one '*' for any text. */
bool scratch_matches(const char *text, const char *pattern);

#endif
