/* SPDX-License-Identifier: MIT
 *
 * The steps of a synthesis: each adds the rules of one kind for what is still open.
 */
#ifndef ANALYZER_SYNTHESIS_STEP_H
#define ANALYZER_SYNTHESIS_STEP_H

#include "synthesis.h"

struct synthesis_step {
    struct draft *draft;
    struct needs *needs;
    struct places places;
    enum synthesis_balance balance;
    struct buffer *why;
};

/* All of them: 0 or TALLY_ERR_FORMAT. */
int synthesis_add_sets(struct synthesis_step *step);
int synthesis_add_crowds(struct synthesis_step *step);
int synthesis_add_packages(struct synthesis_step *step);
int synthesis_add_values(struct synthesis_step *step);
int synthesis_add_variables(struct synthesis_step *step);
int synthesis_add_endpoints(struct synthesis_step *step);
/* Files of the project and of the machine; where a rule stands in another's way, what is open after
 * all has its own name written down, and at last a folder with all in it. */
int synthesis_add_files(struct synthesis_step *step);

/* What a file that nobody used is worth, in lines. */
double synthesis_worth(const struct synthesis_step *step);

/* Judges the needs again: how many are open, or TALLY_ERR_FORMAT. */
int64_t synthesis_judge(struct synthesis_step *step);

#endif
