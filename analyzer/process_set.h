/* SPDX-License-Identifier: MIT
 *
 * Which processes made an access, as bytes for access_summary.processes: rising numbers (places in
 * the order of process.id) as differences, a byte each as a rule.
 *
 * An entry is a number in LEB128: twice the distance from the process before (from -1 the first
 * time) less 1, and one more when more than a single row that counts once stands behind it; then
 * the number of rows and the count follow. In a set with times, the time of the first occurrence
 * comes last.
 */
#ifndef ANALYZER_PROCESS_SET_H
#define ANALYZER_PROCESS_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer.h"

struct process_entry {
    uint32_t process;
    int64_t rows, count;
    int64_t first; /* 0 in a set without times */
};

/* A set that is being written. Start with the number of the last process UINT32_MAX. */
void process_set_add(struct buffer *set, uint32_t *last, const struct process_entry *entry,
                     bool timed);

/* The bytes may be anybody's: reading ends at what is no entry, or no process of the run. */
struct process_set {
    const unsigned char *at, *end;
    uint32_t next, process_count;
    bool timed;
};

struct process_set process_set_read(const void *bytes, size_t length, uint32_t process_count,
                                    bool timed);
/* False at the end. */
bool process_set_next(struct process_set *set, struct process_entry *entry);

#endif
