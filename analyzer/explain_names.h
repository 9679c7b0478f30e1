/* SPDX-License-Identifier: MIT
 *
 * Names that a person may have meant.
 */
#ifndef ANALYZER_EXPLAIN_NAMES_H
#define ANALYZER_EXPLAIN_NAMES_H

#include "analysis.h"

#define PATHS_MOST 4

/* Absolute paths without "//", "." and "..". */
struct paths {
    struct text rows[PATHS_MOST];
    size_t count;
};

/* As the name is written; relative ones from `cwd`, from the project's root and from where the run
 * was started; "~" is the home of the run's caller. */
void paths_meant(struct paths *paths, const struct analysis *analysis, const char *name,
                 const char *cwd);
void paths_fini(struct paths *paths);

/* One line: that several subjects end like this, and the first of them. */
void explain_several(struct buffer *why, sqlite3 *db, struct text asked, const int64_t *ids,
                     size_t count);
/* One line: that the run has nothing of that name, and the nearest names that it has. */
void explain_nearest(struct buffer *why, sqlite3 *db, int64_t run, struct text asked);

#endif
