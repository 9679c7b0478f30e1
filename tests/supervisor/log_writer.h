/* SPDX-License-Identifier: MIT
 *
 * Writes event logs as record.h describes them, for tests and benchmarks: the shim's counterpart
 * without a program around it.
 */
#ifndef LOG_WRITER_H
#define LOG_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tallyman/event.h"
#include "tallyman/record.h"

struct log_writer {
    int file;
    struct log_control *control;
    struct chunk *chunk;
    size_t chunk_size;
    uint32_t owner; /* for the chunks taken from now on */
    uint32_t units; /* likewise */
    uint64_t time;
};

/* A log in an unlinked file (in memory), with room for `limit` units before writers wait. */
int log_writer_make_log(uint32_t limit);

void log_writer_open(struct log_writer *writer, int file, uint32_t units, uint32_t owner);
/* Seals the chunk if `seal` and forgets it. */
void log_writer_close(struct log_writer *writer, bool seal);

/* Room for a record of that much text, in a new chunk when the present one is full; its word says
 * RESERVED. Waits when the log has no room. */
struct record *log_writer_reserve(struct log_writer *writer, size_t text);
void log_writer_commit(struct record *record);

/* A whole record. Strings end with NUL, `other` may be NULL. */
struct record *log_writer_add(struct log_writer *writer, enum event_kind kind, uint64_t process,
                              const char *subject, const char *other, int32_t error,
                              uint64_t value);

/* The start of a process: made by an execution, or by a fork of `from`. */
void log_writer_start(struct log_writer *writer, uint64_t process, uint32_t pid,
                      uint32_t parent_pid, uint64_t from, uint32_t how, const char *exe);

/* What the kernel's witness saw that pid do: its process is not known. */
struct record *log_writer_saw(struct log_writer *writer, enum event_kind kind, uint32_t pid,
                              uint32_t parent_pid, const char *subject, int32_t error);

#endif
