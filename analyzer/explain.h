/* SPDX-License-Identifier: MIT
 *
 * One thing that a run used, in full: who, when, with which outcome, which rule decided and which
 * came nearest, and what the processes wrote afterwards. Reads the rows of this thing alone, so
 * that the answer is as quick for a run of millions of accesses as for a small one.
 */
#ifndef ANALYZER_EXPLAIN_H
#define ANALYZER_EXPLAIN_H

#include "analysis.h"
#include "nearest.h"

struct manifest;

struct explain_question {
    const char *subject;             /* see explain_find.h for what it can be */
    const char *cwd;                 /* where relative paths start; NULL unknown */
    const struct manifest *manifest; /* by which the run was judged; NULL not known */
    size_t most;                     /* processes to show of each part */
};

/* Uses of one process, of one subject and outcome. */
struct explanation_use {
    uint32_t member;    /* of the part's finding: operation, subject, outcome */
    bool shim, witness; /* who saw it */
    int64_t count;
    int64_t first; /* ns since the run's start */
};

struct explanation_process {
    uint32_t process;             /* in `analysis` */
    struct explanation_use *uses; /* in the order of time */
    size_t use_count;
    struct text *written; /* files that it wrote after its first use, the first few */
    size_t written_count;
    int64_t written_total;
};

/* Uses of one kind (read, written, not found ...) with one verdict. */
struct explanation_part {
    struct analysis_finding finding; /* members, counts, category, remedy; processes: the loaded */
    bool declared;                   /* by `rule`, or without one because the build made it */
    bool confirmed;    /* no use of its own: the witness's view of what the shim has */
    bool mine;         /* declared without a rule: the build's own */
    struct text rule;  /* that decided; bytes NULL none */
    int64_t rule_line; /* 0 built in */
    bool searched;     /* `nearest` is known */
    struct nearest nearest;
    int64_t first; /* ns since the run's start */
    size_t process_total;
    struct explanation_process *processes; /* at most `most` */
    size_t process_count;
};

struct explanation {
    struct analysis
        *analysis;        /* facts of the run; the processes that are shown, and their chains */
    const char *found_by; /* "path", "fingerprint", "package" ...: a row of explain_find.c */
    struct text subject;  /* the one name, or what was asked for */
    size_t subject_count;
    struct explanation_part *parts; /* undeclared first, then waived, declared, confirmed */
    size_t part_count;
    /* Findings that are about no single use, such as an input that changed: they need the whole
     * run. NULL where that was not needed; the parts are then all uses of their members. */
    struct analysis *whole;
    const struct analysis_finding **told; /* in `whole` */
    size_t told_count;
};

/* Fills *explanation, explanation_fini in any case. 0; TALLY_ERR_NOT_FOUND with one line in `why`
 * (and the nearest names of the run); TALLY_ERR_DATABASE. */
int explain(struct explanation *explanation, sqlite3 *db, int64_t run,
            const struct explain_question *question, struct buffer *why);
void explanation_fini(struct explanation *explanation);

#endif
