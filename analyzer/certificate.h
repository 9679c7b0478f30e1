/* SPDX-License-Identifier: MIT
 *
 * What the evidence of a run rests on: who observed it, and what nobody did.
 */
#ifndef ANALYZER_CERTIFICATE_H
#define ANALYZER_CERTIFICATE_H

#include "analysis.h"
#include "processes.h"
#include "subjects.h"

/* Fills blind_spots, blind_classes and certificate of an analysis whose run is loaded. 0 or
 * TALLY_ERR_DATABASE. */
int certificate_load(struct analysis *analysis, sqlite3 *db, const struct subjects *subjects,
                     const struct processes *processes);

#endif
