/* SPDX-License-Identifier: MIT
 *
 * Gathers the accesses of a run into findings and counts.
 */
#ifndef ANALYZER_FINDINGS_H
#define ANALYZER_FINDINGS_H

#include "analysis.h"
#include "memory.h"
#include "processes.h"
#include "subjects.h"

/* Fills findings, channels and `judged` of an analysis whose run and processes are loaded. */
int findings_load(struct analysis *analysis, sqlite3 *db, const struct subjects *subjects,
                  const struct processes *processes);

#endif
