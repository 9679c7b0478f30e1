/* SPDX-License-Identifier: MIT
 *
 * The order in which findings are shown, and what is in them; and findings that do not come from
 * accesses that were judged.
 */
#ifndef ANALYZER_FINDING_ORDER_H
#define ANALYZER_FINDING_ORDER_H

#include "analysis.h"

/* Members most often used first; processes in the order of their start, each once. */
void finding_sort(struct analysis_finding *finding);

/* By channel, class, then most used first. */
void findings_sort(struct analysis *analysis);

/* Adds them, counts them for their channels and sorts again; members and processes are handed over.
 */
void findings_add(struct analysis *analysis, const struct analysis_finding *findings, size_t count);

#endif
