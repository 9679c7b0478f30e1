/* SPDX-License-Identifier: MIT
 *
 * Reads a database of runs and derives from its facts: the verdict of each access, the package that
 * owns each file. What a report shows is gathered by analysis.h.
 * All functions return 0 or TALLY_ERR_*; sqlite3_errmsg(db) has the details.
 */
#ifndef ANALYZER_ANALYZER_H
#define ANALYZER_ANALYZER_H

#include <sqlite3.h>
#include <stdint.h>

#include "buffer.h"
#include "tallyman/judge.h"

/* Sums up the accesses of the run: replaces its rows of `access_summary` and fills access.summary.
 * To be called once the run has ended. One transaction. */
int analyzer_summarise(sqlite3 *db, int64_t run);

/* Judges every access of the run by its summaries, which are made where there are none: replaces
 * the run's rows of `judgement`, `process_action` and `rule`, fills verdict and rule of
 * `environment_variable`. One transaction. */
int analyzer_judge(sqlite3 *db, int64_t run, const struct policy *policy);

/* Fills subject.package of the files that the run used from the databases of the package managers
 * that are there (packages.h). What cannot be read of them has no package; `trouble` then gets one
 * line that says so. */
int analyzer_attribute(sqlite3 *db, int64_t run, struct buffer *trouble);
/* The same with the machine's root folder given; "" is the machine itself. */
int analyzer_attribute_under(sqlite3 *db, int64_t run, const char *root, struct buffer *trouble);

/* Puts temporary copies of the derived tables, of this run alone, in front of the real ones, so
 * that analyzer_judge changes nothing in the file. `db` may be open for reading only. To be called
 * once. */
int analyzer_shadow(sqlite3 *db, int64_t run);

#endif
