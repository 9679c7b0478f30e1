/* SPDX-License-Identifier: MIT
 *
 * What became of it: the files that a process wrote after it used something.
 */
#ifndef ANALYZER_EXPLAIN_WRITES_H
#define ANALYZER_EXPLAIN_WRITES_H

#include "explain.h"

/* For each process that is shown. `start`: of the run, CLOCK_MONOTONIC. 0 or TALLY_ERR_DATABASE. */
int explain_writes(sqlite3 *db, int64_t start, struct analysis *analysis,
                   struct explanation_part *part);

#endif
