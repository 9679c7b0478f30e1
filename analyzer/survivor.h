/* SPDX-License-Identifier: MIT
 *
 * Processes that were still running when the run ended, as findings; the supervisor has left them
 * in the database as blind spots, for nobody saw what they did from then on.
 */
#ifndef ANALYZER_SURVIVOR_H
#define ANALYZER_SURVIVOR_H

#include "analysis.h"

#define SURVIVOR_CLASS "survivor" /* of blind spots */

/* Adds a finding for each program among them; blind spots and processes are loaded. */
void survivors_add_findings(struct analysis *analysis);

/* The user accepts that processes survive: their findings are waived. */
void survivors_accept(struct analysis *analysis);

#endif
