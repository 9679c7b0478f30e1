/* SPDX-License-Identifier: MIT
 *
 * Findings that are derived from several uses together. They are found in a run that is loaded as a
 * whole, which takes as long as a report.
 */
#ifndef ANALYZER_EXPLAIN_TOLD_H
#define ANALYZER_EXPLAIN_TOLD_H

#include "explain.h"
#include "explain_find.h"

/* To be asked when nothing else has an answer: 0, or TALLY_ERR_NOT_FOUND and what `why` says stays.
 * Fills `whole` and `told`; the subjects are those of the members that are files. */
int explain_told(struct explanation *explanation, struct finding_subjects *found, sqlite3 *db,
                 const char *asked, struct buffer *why);

#endif
