/* SPDX-License-Identifier: MIT
 *
 * Findings about inputs that changed during the build, put together by folder.
 */
#ifndef ANALYZER_CHANGED_FINDINGS_H
#define ANALYZER_CHANGED_FINDINGS_H

#include "analysis.h"
#include "group.h"
#include "map.h"
#include "subjects.h"

/* What became of the old content that somebody had read. */
enum change {
    CHANGE_USED,    /* by a program that makes something of what it reads */
    CHANGE_DECIDED, /* only by such as decide or compare, or they read the new content, too */
    CHANGE_OUTSIDE  /* no process of the run is known to have written the new one */
};

/* Who read the old content, and who wrote the new one (ANALYSIS_NONE: somebody else). */
struct changed_pair {
    uint32_t reader, writer;
};

struct changed_findings {
    struct analysis *analysis;
    const struct subjects *subjects;
    struct places places;
    struct names keys; /* numbers of findings */
    struct analysis_finding *findings;
};

struct changed_findings changed_findings_new(struct analysis *analysis,
                                             const struct subjects *subjects);
void changed_findings_fini(struct changed_findings *findings);

/* A file with one pair at least. */
void changed_findings_add(struct changed_findings *findings, enum change change, uint32_t subject,
                          const struct changed_pair *pairs, size_t count);

/* Hands them over to the analysis. */
void changed_findings_finish(struct changed_findings *findings);

#endif
