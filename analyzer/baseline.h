/* SPDX-License-Identifier: MIT
 *
 * Findings that are accepted because they were there before: a list of fingerprints. As text it is
 * made to lie in git: one line per finding, sorted, each line a function of its finding alone (no
 * totals, times or places of a machine), so that two branches that add lines merge.
 *
 *   # tallyman baseline 1
 *   0123456789abcdef installed # filesystem read, package libc6-dev
 *
 * A line is a fingerprint and, for people, words that are not read back. Lines that start with '#'
 * and empty ones are comments. The order does not matter to a reader, nor do duplicates or carriage
 * returns: merges and checkouts make them. The version changes with any change that an older reader
 * would misread.
 */
#ifndef ANALYZER_BASELINE_H
#define ANALYZER_BASELINE_H

#include "analysis.h"

#define BASELINE_VERSION  1
#define BASELINE_SIZE_MAX (64u << 20)

struct baseline;

/* True when the bytes start as the text does, whatever its version. */
bool baseline_is_text(const char *bytes, size_t length);

/* NULL after an error: `why` then has one line, which starts with `name`. */
struct baseline *baseline_parse(const char *name, const char *bytes, size_t length,
                                struct buffer *why);
/* The undeclared findings of another run. */
struct baseline *baseline_of(const struct analysis *analysis);
void baseline_free(struct baseline *baseline); /* NULL is allowed */

/* Number of different fingerprints. */
size_t baseline_count(const struct baseline *baseline);

/* The text for the undeclared findings of a run. */
void baseline_write(const struct analysis *analysis, struct buffer *out);

#endif
