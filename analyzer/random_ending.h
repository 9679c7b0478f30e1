/* SPDX-License-Identifier: MIT
 *
 * Names of temporary files: their ends were chosen at random, as mkstemp and Python's tempfile do.
 */
#ifndef ANALYZER_RANDOM_ENDING_H
#define ANALYZER_RANDOM_ENDING_H

#include "analysis.h"
#include "buffer.h"

/* How many bytes of it; 0 none. */
size_t random_ending(struct text name);

/* A pattern for all names that differ there alone: "build-??????". */
void random_ending_pattern(struct buffer *out, struct text name);

#endif
