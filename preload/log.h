/* SPDX-License-Identifier: MIT
 *
 * The writer's side of the event log (include/tallyman/record.h). No lock, no allocation, no
 * descriptor kept; every function may run in a signal handler and in several threads at once, and a
 * jump out of any of them leaves at worst one record unfinished.
 */
#ifndef PRELOAD_LOG_H
#define PRELOAD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tallyman/event.h"
#include "tallyman/record.h"

/* Room that was taken for one record. */
struct log_slot {
    struct chunk *chunk;
    struct record *record;
    size_t room;     /* for both strings */
    uint64_t offset; /* of the record within the chunk's records */
    size_t dirty;    /* bytes of strings written so far, for log_abandon */
};

/* Opens the log file at `path` and takes the first chunk. False when there is nothing to report to.
 */
bool log_open(const char *path);

/* The control unit of the open log. */
struct log_control *log_control(void);

/* After a fork: leave the parent's chunk to the parent. */
void log_forked(void);

/* A new id for a process or an execution. */
uint64_t log_new_id(void);

/* Adds one to the record with this key, if it stands in the current chunk. */
bool log_fold(uint64_t key);

/* Takes room for a record whose strings have at most `room` bytes together. On failure the record
 * is counted as lost. Every success must be followed by log_commit. */
bool log_reserve(struct log_slot *slot, size_t room);
/* Completes the record; `used` bytes of strings were written. A key of 0 is not folded. */
void log_commit(struct log_slot *slot, size_t used, uint64_t key);

/* Takes the record back: it turned out to be a repeat, or its room too small. */
void log_abandon(struct log_slot *slot);

void log_count_lost(void);

/* Takes a large chunk now: the file may be out of reach later. */
void log_take_ahead(void);

/* From now on no system call is made by the log: the program is about to forbid itself some. Takes
 * room ahead first. */
void log_go_quiet(void);
bool log_is_quiet(void);

/* CLOCK_MONOTONIC in ns, without a system call once quiet. */
uint64_t log_time(void);

#endif
