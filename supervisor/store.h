/* SPDX-License-Identifier: MIT
 *
 * Facts into the database: all SQL of the supervisor. One writer, few large transactions. The first
 * failure is kept and turns every later call into nothing; store_commit tells.
 */
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "blind_spot.h"
#include "buffer.h"
#include "run_facts.h"
#include "subject_table.h"
#include "tallyman/event.h"

struct store;

/* A row of `access`, before it is written. */
struct access_row {
    int64_t process;
    int64_t subject;
    int64_t other;
    int64_t count;
    int64_t first;
    const char *hook; /* static */
    int32_t outcome;
    uint32_t flags;
    uint8_t operation;
    uint8_t source;
};

/* A row of `process`. */
struct process_row {
    int64_t id;
    int64_t serial;
    int64_t parent; /* 0 none */
    const char *how;
    int64_t pid;
    int64_t parent_pid;
    int64_t exe;               /* 0 unknown */
    const struct buffer *argv; /* NULL unknown, or unchanged when the row is there */
    const struct buffer *command;
    const struct buffer *cwd;
    int64_t started;
    int64_t ended;                                /* 0 unknown */
    int64_t exit_status;                          /* < 0 unknown */
    int64_t signal;                               /* < 0 unknown */
    int64_t user_us, system_us, max_resident_kib; /* < 0 unknown */
    const char *shim;
    int64_t environment;
    bool has_environment;
    bool has_argv; /* of a row that was read */
};

typedef void (*process_row_sink)(void *context, const struct process_row *row);

struct run_end {
    int64_t ended;   /* Unix time, ns */
    int exit_status; /* < 0 unknown */
    int signal;      /* < 0 unknown */
    int interrupted;
    bool complete;
};

/* 0 and *store, or TALLY_ERR_* as database_open with a line in `why`. */
int store_open(struct store **store, const char *path, struct buffer *why);

/* Closes the database as a single file; 0 or the first failure. */
int store_close(struct store *store);

/* Starts the run's row, or takes the one of the same uuid up again (*resumed). Its id; 0 on
 * failure. */
int64_t store_begin_run(struct store *store, const struct run_facts *facts, bool *resumed);

/* process.id of the process with that id in the log; <= LOG_ID_MAX apart. */
int64_t store_process_id(const struct store *store, uint64_t serial);

/* The subject of that name, with its id. NULL after a failure. Valid until store_commit. */
struct subject *store_subject(struct store *store, enum channel channel, const char *name,
                              size_t length);
void store_resolved(struct store *store, const struct subject *subject,
                    const struct subject *resolved);

void store_access(struct store *store, const struct access_row *row);
void store_process(struct store *store, const struct process_row *row);
/* Argv of a process as it was stored before, added to `argv`. */
void store_argv(struct store *store, int64_t process, struct buffer *argv);
/* The rows that a run has that was taken up again, `parent` as serial, without texts but `how` and
 * `shim`. */
void store_processes(struct store *store, process_row_sink sink, void *context);
/* `hash` is NULL or 16 hex digits. */
void store_environment(struct store *store, int64_t block, const struct subject *subject,
                       const char *hash);
/* `process` 0: the whole run. Equal ones are counted together. */
void store_blind_spot(struct store *store, int64_t process, enum blind_spot class,
                      const char *detail, size_t length, uint64_t count);
/* How many rows of blind spots the run has. */
int64_t store_blind_spots(struct store *store);

/* Sets `ended` of images that another image of the same process replaced. */
void store_end_replaced(struct store *store);
void store_end_run(struct store *store, const struct run_end *end);

/* Makes everything so far permanent. 0, or the first failure: TALLY_ERR_FULL, TALLY_ERR_DATABASE
 * ... */
int store_commit(struct store *store);
int store_status(const struct store *store);
/* One line about the first failure; "" without one. */
const char *store_failure(const struct store *store);

#endif
