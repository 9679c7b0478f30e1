/* SPDX-License-Identifier: MIT
 *
 * The supervisor's own records in the event log (record.h): a chunk at a time. Any thread may use a
 * pen. Like any writer a pen waits while the log is full. A process of the build that cuts the file
 * off ends the pen and nothing else: what it is then given is counted.
 */
#ifndef LOG_PEN_H
#define LOG_PEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tallyman/record.h"

struct log_pen;

/* `log` is borrowed. NULL when the log's first unit cannot be mapped. */
struct log_pen *log_pen_new(int log);
/* Seals its chunk. */
void log_pen_free(struct log_pen *pen);

/* Adds a record with these fields of the head (sizes, count and key are filled in) and strings.
 * With `fold` an equal record of the current chunk (all but times and sizes) is counted up instead;
 * records that differ in `key` are not equal.
 * What cannot be written is counted. */
void log_pen_write(struct log_pen *pen, const struct record *head, const char *subject,
                   size_t length, const char *other, size_t other_length, bool fold);

uint64_t log_pen_lost(const struct log_pen *pen);

/* A new id for a process, 0 when there is none to be had. */
uint64_t log_pen_new_id(struct log_pen *pen);

/* True when the entries of the environment block of that hash are to be written; false when they
 * are in the log. */
bool log_pen_first_environment(struct log_pen *pen, uint64_t hash);

#endif
