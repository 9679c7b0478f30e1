/* SPDX-License-Identifier: MIT
 *
 * What tells two runs of one build apart, on one machine or on two, ready to be shown: the nearest
 * first to the process that failed in one of them, or to a result that came out differently.
 *
 * It rests on facts alone: two runs of one machine that do the same have no difference, whatever
 * their numbers of processes, temporary names, checkouts and order of jobs are.
 */
#ifndef ANALYZER_DIFFERENCE_H
#define ANALYZER_DIFFERENCE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis.h"
#include "buffer.h"
#include "naming.h"
#include "role.h"

enum difference_kind {
#define DIFFERENCE(id, name, follows, one, both) DIFFERENCE_##id,
#include "differences.def"
#undef DIFFERENCE
    DIFFERENCE_KIND_COUNT
};

struct difference_member {
    struct text subject;            /* by its name of any run: "{root}/a.c", "~/.netrc" */
    struct text actual[SIDE_COUNT]; /* as it was used; bytes NULL: it was not */
    int64_t first;                  /* time of the first use, ns since that run's start */
    uint32_t distance;
};

struct difference {
    enum difference_kind kind;
    int side;             /* the run that has it; SIDE_COUNT: both, differently */
    enum channel channel; /* CHANNEL_NONE: about processes */
    const char *group; /* what `subject` is, as in struct analysis_finding, or program, variable */
    struct text subject;           /* by its name of any run; empty: the members are all there is */
    struct text value[SIDE_COUNT]; /* version, path, words; bytes NULL: nothing to tell */
    uint32_t distance; /* steps from what failed; 0: it used it itself, or nothing failed */
    bool later;        /* a run came to it after it had failed in the other: a consequence */
    bool counts;       /* false: is another in any two runs, such as the number of a session */
    bool inherited;    /* VARIABLE: the command was started with it; false: the build set it */
    uint32_t process[SIDE_COUNT];      /* the nearest one that used it, ANALYSIS_NONE none */
    uint32_t processes[SIDE_COUNT];    /* how many */
    struct difference_member *members; /* nearest first */
    size_t member_count;
};

/* Processes of the two runs that ended differently; ANALYSIS_NONE: that run has none. */
struct comparison_end {
    uint32_t process[SIDE_COUNT];
};

struct comparison {
    const struct analysis *runs[SIDE_COUNT]; /* headers, processes and blind spots; no findings */
    const struct naming *naming[SIDE_COUNT];
    bool command_differs; /* its arguments, by their names of any run */
    bool status_differs;
    bool witness_differs;         /* so that what the witness saw was left out */
    struct comparison_end first;  /* the earliest; both ANALYSIS_NONE: none */
    struct comparison_end fatal;  /* that the run failed by, if another */
    uint32_t paired;              /* processes with a partner */
    uint32_t alone[SIDE_COUNT];   /* without one */
    uint32_t watched_differently; /* pairs of which one alone had the shim */
    struct difference *differences;
    size_t difference_count;
    struct comparing *work; /* owns all of the above */
};

/* Compares run `a` of one database with run `b` of another or the same; NULL after an error, with
 * one line in `why`. comparison_free takes NULL. */
struct comparison *comparison_make(sqlite3 *db_a, int64_t a, sqlite3 *db_b, int64_t b,
                                   struct buffer *why);
void comparison_free(struct comparison *comparison);

/* Something differs that counts. */
bool comparison_differs(const struct comparison *comparison);

/* False: the run that does not have it lacks complete evidence, so that it may have used it unseen.
 */
bool comparison_is_proven(const struct comparison *comparison, const struct difference *difference);

const char *difference_name(enum difference_kind kind);
/* It is more often an effect of others than a cause. */
bool difference_follows(enum difference_kind kind);
/* For a heading, with the names of the runs: "there in A, not in B". */
void difference_add_title(const struct difference *difference, struct buffer *out);

/* How a process ended: "exit status 1", "signal 11", "not known". */
void difference_add_end(const struct comparison *comparison, int side, uint32_t process,
                        struct buffer *out);

#endif
