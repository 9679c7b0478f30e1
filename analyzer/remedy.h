/* SPDX-License-Identifier: MIT
 *
 * What a person can do about one finding: words, lines of a manifest that would declare it, lines
 * that would waive it for now.
 */
#ifndef ANALYZER_REMEDY_H
#define ANALYZER_REMEDY_H

#include "analysis.h"
#include "processes.h"

/* Fills remedy (where it is empty), declaration and waiver of all findings. 0 or
 * TALLY_ERR_DATABASE. */
int remedies_load(struct analysis *analysis, sqlite3 *db, const struct processes *processes);

/* One finding whose members are known, for a subject that is explained alone. `processes` has all
 * of the finding's; NULL where not all are loaded, and who asked for a variable is then not said.
 * The texts are in `analysis->memory`. 0 or TALLY_ERR_DATABASE. */
int remedy_write(struct analysis *analysis, struct analysis_finding *finding, sqlite3 *db,
                 const struct processes *processes);

#endif
