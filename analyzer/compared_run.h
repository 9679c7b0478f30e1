/* SPDX-License-Identifier: MIT
 *
 * The facts of one run as a comparison needs them. Verdicts and manifests play no part in it: what
 * is declared can be missing on the other machine as well.
 */
#ifndef ANALYZER_COMPARED_RUN_H
#define ANALYZER_COMPARED_RUN_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis.h"
#include "buffer.h"
#include "made.h"
#include "map.h"
#include "naming.h"
#include "processes.h"
#include "subjects.h"

/* What became of a thing, as bits: uses by all of a process, or of a run, are joined. */
enum {
    USED_LOOK = 1,     /* is there, and was looked at alone */
    USED_CONTENT = 2,  /* was read, listed, run, asked for */
    USED_ABSENT = 4,   /* is not there */
    USED_REFUSED = 8,  /* may not be used */
    USED_FAILED = 16,  /* any other error */
    USED_CHANGED = 32, /* was made, changed or removed */
    USED_OWN = 64,     /* after the run had made it itself */
};
#define USED_THERE (USED_LOOK | USED_CONTENT)

struct compared_use {
    uint32_t process, subject;
    unsigned char kind; /* enum event_kind */
    unsigned char bits;
    int64_t first; /* ns since the run's start */
};

struct compared_variable {
    int64_t block;
    uint32_t subject;
    uint64_t hash;
    bool has_hash; /* false: looks like a secret */
};

/* What became of a file of the run's own. */
struct compared_fate {
    int64_t made, removed; /* the first time of each, INT64_MAX never */
    bool random;           /* its name was chosen at random */
};

/* What a file held when the run had ended. */
struct compared_content {
    const char *digest; /* NULL: not known */
    int64_t size;       /* -1: not known */
};

struct compared_run {
    struct analysis header; /* of the run, its processes and blind spots by class; no findings */
    struct naming naming;
    struct processes processes;
    struct subjects subjects;
    struct made made;
    struct compared_fate *fates; /* by subject */
    struct compared_use *uses;   /* by process */
    size_t use_count;
    bool *used; /* by subject: in this run, for a database may hold others */
    struct compared_variable *variables; /* by block, then subject */
    size_t variable_count;
    struct map blocks;                 /* -> the first of its variables */
    struct compared_content *contents; /* by subject; NULL: the database has none */
};

/* `shim_alone`: leaves out what only the witness recorded. 0 or TALLY_ERR_*;
 * compared_run_fini in any case. */
int compared_run_load(struct compared_run *run, sqlite3 *db, int64_t id, bool shim_alone);
void compared_run_fini(struct compared_run *run);

/* Made by the run and gone when it ended, or of a name that nobody finds again. */
bool compared_run_is_passing(const struct compared_run *run, uint32_t subject);

/* Finds the names of files that the run made and removed and that the other run does not know: it
 * chose them at random. For both, once both are loaded. */
void compared_run_find_random_names(struct compared_run *run, const struct compared_run *other);

/* Forgets that processes took random bytes which chose such a name: how many of them it takes is a
 * matter of luck. After the names were found. */
void compared_run_forget_draws(struct compared_run *run);

/* Whether two files hold the same; what is not known of one of them counts as the same. */
bool compared_run_contents_differ(const struct compared_run *one, uint32_t subject,
                                  const struct compared_run *other, uint32_t other_subject);

/* How the run was witnessed, to be asked before it is loaded: "off", "gaps", "full"; the buffer is
 * empty when there is no such run. */
int compared_run_witness(sqlite3 *db, int64_t id, struct buffer *witness);

#endif
