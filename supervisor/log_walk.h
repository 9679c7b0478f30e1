/* SPDX-License-Identifier: MIT
 *
 * The walk over the bytes of one chunk, all in private memory. Pure: this is what the fuzzer
 * drives.
 */
#ifndef LOG_WALK_H
#define LOG_WALK_H

#include "log_reader.h"

struct log_walk {
    record_sink sink;
    void *context;
    uint64_t records;
    uint64_t damaged;
    size_t whole; /* bytes from the start with nothing in them that a writer may still be at */
};

/* `bytes` must be aligned for uint64_t. */
void log_walk(struct log_walk *walk, const char *bytes, size_t length);

#endif
