/* SPDX-License-Identifier: MIT
 *
 * Reads the event log (record.h). Every process of the build can write every byte of that file at
 * any moment, so nothing in it is trusted: it is read with pread(2) into private memory, checked
 * there, and used from there. The file is never read through a mapping, because a process that cuts
 * it off would kill the reader by SIGBUS.
 *
 * A chunk is taken once, when nothing can be added to it: sealed and nobody at work in it, or its
 * owner gone. Only then are its counts final. What is still open at the end is taken by the last
 * pass. The reader marks a chunk (chunk.drained = bytes taken) and gives its room back only when
 * the caller says that the facts are safe, so whatever is not marked can still be recovered.
 */
#ifndef LOG_READER_H
#define LOG_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tallyman/record.h"

/* Larger ids are nonsense: they do not fit the database's process ids. */
#define LOG_ID_MAX ((UINT64_C(1) << 28) - 1)

/* A record in private memory. Valid during the call of the sink alone. */
struct record_view {
    const struct record *head;
    const char *subject; /* head->subject bytes, no NUL */
    const char *other;   /* head->other bytes, no NUL */
    uint64_t count;      /* occurrences not taken before */
};

typedef void (*record_sink)(void *context, const struct record_view *record);

struct log_totals {
    uint64_t records; /* delivered */
    uint64_t damaged; /* torn or nonsensical, skipped */
    uint64_t lost;    /* that the writers said they could not write */
    uint64_t chunks;  /* taken */
    uint64_t stored;  /* bytes skipped because an earlier reader had marked them as safe */
};

struct log_reader;

/* `file` is borrowed: the log, open for reading and writing. With `trust_marks` what the log says
 * was taken before is skipped (recover); a live supervisor knows itself. */
struct log_reader *log_reader_new(int file, bool trust_marks);
void log_reader_free(struct log_reader *reader);

/* Takes chunks until about `limit` records were delivered. `final`: takes open chunks, too. True
 * when there is more to take at once. */
bool log_reader_pass(struct log_reader *reader, bool final, size_t limit, record_sink sink,
                     void *context);

/* Shows what stands in chunks that the last pass left open, of the kinds that tell which image a
 * pid is: starts, executions, ends. A pass delivers them all the same, later; some are shown twice.
 */
void log_reader_glance(struct log_reader *reader, record_sink sink, void *context);

/* What the passes so far delivered is safe: mark it, give the room back, wake writers that wait. */
void log_reader_release(struct log_reader *reader);

/* Keeps the limit above what cannot be given back, so that many long-lived processes with a chunk
 * each do not wait for one another. Called after a release, when there was nothing more to take. */
void log_reader_adjust_limit(struct log_reader *reader);

/* Sets the limit (units): when nothing will be released any more, writers must not wait. False when
 * it could not be written. */
bool log_reader_set_limit(struct log_reader *reader, uint32_t limit);

struct log_totals log_reader_totals(const struct log_reader *reader);

/* Units taken by writers since the last pass; UINT32_MAX when writers wait for room. */
uint32_t log_reader_backlog(struct log_reader *reader);

#endif
