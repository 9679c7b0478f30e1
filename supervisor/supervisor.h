/* SPDX-License-Identifier: MIT
 *
 * One run of a build: start the command under the shim, keep the event log, fill the database.
 * The stages: run_directory (where the log lives), log_reader (its bytes, hostile), ingest (records
 * to facts), store (facts to SQLite), launch and signals (the command). What a record means for a
 * report is not decided here.
 */
#ifndef SUPERVISOR_H
#define SUPERVISOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "buffer.h"
#include "tallyman/judge.h"

struct manifest;

#define SUPERVISOR_GRACE_MS 2000

struct run_options {
    const struct manifest *manifest; /* for run.root, run.manifest, run.manifest_text */
    const struct policy *policy;     /* for the progress line alone; may be NULL */
    size_t policy_size;
    const char *database;
    const char *mode;    /* audit, enforce, sandbox: as stored */
    const char *witness; /* off, gaps, full: as stored */
    bool quiet;          /* no progress line */
    bool progress;       /* a progress line, if stderr is a terminal */
    bool own_process;    /* this process exists for the run alone: once the command has started, the
                            inherited descriptors but stderr are closed here, so that a pipe ends
                            when the command's last process ends */
    long grace_ms; /* how long to wait for processes that outlive the command; < 0: the default */
    const char *shim; /* NULL: find the installed one */
    char **argv;      /* the command; ends with NULL */
};

struct run_result {
    int exit_status; /* what `tallyman run` shall return */
    int64_t run;     /* run.id in the database, 0 none */
    int signal;      /* that ended the command, 0 none */
    int interrupted; /* signal that the user sent, 0 none */
    bool complete;   /* evidence */
    char *log_kept;  /* the run's directory, when the database could not be written; free() it */
};

/* Runs the command. 0: `result` says how it ended, also where tallyman itself failed (exit_status
 * 125, the reason has been said on stderr). Never prints on stdout. Not re-entrant. */
int supervisor_run(const struct run_options *options, struct run_result *result);

/* Puts what is left of a run whose supervisor did not finish into `database` (NULL: the one it was
 * meant for). 0 or TALLY_ERR_*; `why` gets the account, or the reason of the failure, in lines. */
int supervisor_recover(const char *run_directory, const char *database, struct buffer *why);

#endif
