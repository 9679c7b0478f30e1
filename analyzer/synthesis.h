/* SPDX-License-Identifier: MIT
 *
 * Writes a manifest that declares what runs used: the named rule sets of the tools that they
 * started, packages, folders, patterns, and single files last. What the rules cover is found out by
 * judging the runs by them.
 */
#ifndef ANALYZER_SYNTHESIS_H
#define ANALYZER_SYNTHESIS_H

#include "draft.h"
#include "needs.h"

/* Few lines, or little that is allowed and was not used. */
enum synthesis_balance { SYNTHESIS_TIGHT, SYNTHESIS_BALANCED, SYNTHESIS_LOOSE };

struct synthesis {
    struct draft *draft; /* the caller's: draft_free */
    size_t lines;        /* that say something */
    size_t covered;      /* uses that its rules decided */
    int64_t times;
    size_t excess;         /* files that folders and patterns allow and nobody used */
    size_t package_excess; /* the same of packages, but for those of named sets */
    size_t open;           /* uses that no rule can declare; they are named in its head */
};

/* `root`: of the project, where the manifest will lie in another folder; NULL else. 0, or
 * TALLY_ERR_FORMAT with lines in `why` when what was written is no manifest, which is a fault of
 * tallyman's. */
int synthesis_make(struct synthesis *synthesis, struct needs *needs, const char *root,
                   enum synthesis_balance balance, struct buffer *why);

/* One line that says what the score is. */
void synthesis_add_score(const struct synthesis *synthesis, struct buffer *out);

#endif
