/* SPDX-License-Identifier: MIT
 *
 * What one or several runs used, as a manifest has to declare it: every use of which nothing is
 * known already, once, with the name that decides.
 */
#ifndef ANALYZER_NEEDS_H
#define ANALYZER_NEEDS_H

#include <sqlite3.h>

#include "analysis.h"
#include "group.h"
#include "matter.h"
#include "memory.h"

enum need_use {
    NEED_LOOK,    /* a file or folder was only looked at */
    NEED_LIST,    /* a folder was listed */
    NEED_READ,    /* read, executed */
    NEED_WRITE,   /* created, changed or removed */
    NEED_PROBE,   /* looked for in vain */
    NEED_VALUE,   /* anything that is no file */
    NEED_PROGRAM, /* a program that was started: nothing to be declared, but it tells which tools
                     were used */
};

struct need {
    struct matter matter; /* in the subjects of its run */
    uint32_t run;         /* index */
    enum channel channel; /* where it is shown */
    enum need_use use;
    struct text name;    /* that decides; a path below the root as if the first run's root was it */
    struct text package; /* "name version" that owns the file; empty none */
    int64_t count;       /* occurrences */
    bool covered;
    bool ruled;    /* by a rule, and not because the build had made it itself */
    uint32_t line; /* of that rule; 0: one of a named set */
};

struct needs_run {
    struct analysis *facts; /* of analysis_load_run */
    struct subjects subjects;
};

struct needs {
    struct memory *memory;
    struct needs_run *runs;
    struct need *rows;
    uint32_t run_count, count, room;
};

struct needs *needs_new(void);
void needs_free(struct needs *needs); /* NULL is allowed */

/* Adds a run that has been summarised. 0 or TALLY_ERR_DATABASE, with one line in `why`. */
int needs_add(struct needs *needs, sqlite3 *db, int64_t run, struct buffer *why);

/* The places of the first run; the home is empty where the caller has another one, so that "~"
 * would not be it. */
struct places needs_places(const struct needs *needs);

#endif
