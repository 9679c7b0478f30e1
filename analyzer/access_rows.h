/* SPDX-License-Identifier: MIT
 *
 * Rows of accesses with their verdicts, by subject: the place that knows how these are stored, for
 * those who look at one thing and not at the whole run.
 */
#ifndef ANALYZER_ACCESS_ROWS_H
#define ANALYZER_ACCESS_ROWS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tallyman/event.h"

struct access_row_of {
    int64_t process; /* 0: any; negative: one whose row was not read (access_rest.h) */
    int64_t subject;
    enum event_kind kind;
    int outcome;
    bool witness;
    int verdict;  /* enum verdict, VERDICT_CONFIRMED, -1 not judged */
    int64_t rule; /* rule.id, 0 none */
    int64_t count;
    int64_t first; /* as in the database; INT64_MAX not known */
};

typedef void (*access_row_handler)(const struct access_row_of *row, void *data);

/* Those of one subject, by process. Rows are read one by one up to about `most`, and added up from
 * the summaries from there on. 0 or TALLY_ERR_DATABASE. */
int access_rows_of_subject(sqlite3 *db, int64_t run, int64_t subject, size_t most,
                           access_row_handler handle, void *data);
/* What is undeclared or waived in the run: each (kind, subject, outcome) at least once; process,
 * count and first are not known. */
int access_rows_undeclared(sqlite3 *db, int64_t run, access_row_handler handle, void *data);

/* Was the subject used in the run? TALLY_ERR_DATABASE or a truth. */
int access_rows_has(sqlite3 *db, int64_t run, int64_t subject);

#endif
