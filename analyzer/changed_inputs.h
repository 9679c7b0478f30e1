/* SPDX-License-Identifier: MIT
 *
 * Inputs that were changed while the build ran, declared or not. Who read the old content and who
 * wrote the new one follows from the records; that somebody else wrote it, from what the file was
 * like in the end (artifact.h).
 *
 * Not told is what cannot be told from ordinary life: a program that reads and then writes a file
 * itself, what is only appended to, a file opened for writing and not changed, caches, new modes,
 * owners and links of a file. A file that somebody else replaced by an older one is not noticed.
 */
#ifndef ANALYZER_CHANGED_INPUTS_H
#define ANALYZER_CHANGED_INPUTS_H

#include <sqlite3.h>

#include "analysis.h"
#include "artifact.h"
#include "processes.h"
#include "subjects.h"

/* Adds the findings to an analysis that has all others. 0 or TALLY_ERR_DATABASE. */
int changed_inputs_add(struct analysis *analysis, sqlite3 *db, const struct subjects *subjects,
                       const struct processes *processes, const struct artifacts *artifacts);

#endif
