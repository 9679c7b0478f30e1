/* SPDX-License-Identifier: MIT
 *
 * From records to facts: one name for each subject, processes put together, accesses handed to the
 * store. Judges nothing but for the progress line.
 */
#ifndef INGEST_H
#define INGEST_H

#include <stdatomic.h>
#include "log_reader.h"
#include "store.h"
#include "tallyman/judge.h"

/* Read by the progress line while the build runs. */
struct ingest_counts {
    atomic_uint_fast64_t processes;
    atomic_uint_fast64_t accesses;   /* with repeats */
    atomic_uint_fast64_t undeclared; /* different things, roughly */
};

struct ingest;

/* `policy` may be NULL: nothing is counted as undeclared then. `store` and `counts` are borrowed.
 */
struct ingest *ingest_new(struct store *store, const struct policy *policy,
                          struct ingest_counts *counts);
void ingest_free(struct ingest *ingest);

/* A record_sink; the context is the struct ingest. */
void ingest_record(void *ingest, const struct record_view *record);

/* Likewise, for log_reader_glance. */
void ingest_glance(void *ingest, const struct record_view *record);
/* `is_gone` tells that no process has the pid: what waits to know whose it was need not wait for
 * the end of the run then. For a run that goes on. */
void ingest_watch_pids(struct ingest *ingest, bool (*is_gone)(uint32_t pid));

/* Hands on what is complete; to be called before each store_commit. Everything that was written
 * before `safe` (CLOCK_MONOTONIC, ns) was delivered or glanced at. */
void ingest_flush(struct ingest *ingest, uint64_t safe);
/* The command that was started as process `pid`, for the case that it did not report in. */
void ingest_command(struct ingest *ingest, uint32_t pid, uint64_t time, const char *name);
/* The command itself ended; its parent is the supervisor, so no record says it. */
void ingest_command_ended(struct ingest *ingest, uint32_t pid, int status, uint64_t time,
                          const struct child_usage *usage);
/* All records were seen. */
void ingest_finish(struct ingest *ingest);

/* A process that outlives the run. */
void ingest_survivor(struct ingest *ingest, uint32_t pid, const char *command, size_t length);

/* How many different accesses are not known to be any process's yet. */
size_t ingest_pending(const struct ingest *ingest);
/* Records that made no sense although their bytes did. */
uint64_t ingest_damaged(const struct ingest *ingest);

#endif
