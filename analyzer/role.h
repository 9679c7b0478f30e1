/* SPDX-License-Identifier: MIT
 *
 * What part a process plays in its build, and which process of another run plays the same.
 *
 * The role of a process is the path of roles above it, its program, its arguments and folder by
 * their names of any run (naming.h), and its place among equals. Processes are aligned from the
 * first one downwards. What then has no partner is looked for everywhere else, so that a shell or
 * a wrapper more in one of the runs hides nothing; what is left may differ in its options.
 *
 * A forked child that runs no other program is a part of the process that it was forked from.
 */
#ifndef ANALYZER_ROLE_H
#define ANALYZER_ROLE_H

#include "analysis.h"
#include "naming.h"

enum { SIDE_A, SIDE_B, SIDE_COUNT };

/* How sure it is: SAME has the same arguments, RELATED the same program and files and another
 * option, ALONE only the program, and no other was left to choose from. */
enum role_kinship { ROLE_SAME, ROLE_RELATED, ROLE_ALONE };

struct role_run {
    const struct analysis_process *processes;
    uint32_t count;
    const struct naming *naming;
};

struct role_pair {
    uint32_t process[SIDE_COUNT];
    enum role_kinship kinship;
};

struct role_side {
    uint32_t *image;   /* by process: the one that it is a part of */
    uint32_t *parent;  /* by image: the image that called it, ANALYSIS_NONE the first */
    uint32_t *partner; /* by image: number of its pair, ANALYSIS_NONE none */
    uint32_t *order;   /* images: those with the same parent follow each other as they started */
    uint32_t *first;   /* by image: its children are order[first] to order[first + children - 1] */
    uint32_t *children;
    uint32_t images, tops; /* of all; order starts with the `tops` that have no parent */
};

struct alignment {
    struct role_run runs[SIDE_COUNT];
    struct role_side sides[SIDE_COUNT];
    struct role_pair *pairs; /* parents before their children */
    uint32_t pair_count;
};

void alignment_make(struct alignment *alignment, const struct role_run *a,
                    const struct role_run *b);
void alignment_fini(struct alignment *alignment);

/* Adds the arguments by their names of any run, a NUL after each: of the program the last part
 * alone, and no number of jobs. */
void role_add_arguments(const struct role_run *run, uint32_t process, enum naming_level level,
                        struct buffer *out);

/* make and its like: it runs what can be run at once, and ends when one of these fails. */
bool role_is_make(struct text program);

#endif
