/* SPDX-License-Identifier: MIT
 *
 * Where in the project a reviewer looks for the cause of a finding.
 */
#ifndef ANALYZER_LOCATION_H
#define ANALYZER_LOCATION_H

#include "analysis.h"

/* Fills `location` of all findings: the file itself where it is one of the project, otherwise the
 * file that the nearest process above the first use worked from (build_files.def), if the run has
 * read it. 0 or TALLY_ERR_DATABASE. */
int locations_load(struct analysis *analysis, sqlite3 *db);

#endif
