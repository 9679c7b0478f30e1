/* SPDX-License-Identifier: MIT
 *
 * The table access_summary with the verdicts of `judgement`: what all accesses of a run come to,
 * without reading them one by one. In the order in which the run's processes made them first.
 */
#ifndef ANALYZER_SUMMARIES_H
#define ANALYZER_SUMMARIES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "process_set.h"
#include "processes.h"
#include "subjects.h"

/* Accesses that differ in the process alone, or in the second subject. */
struct summary {
    int64_t id;
    uint32_t subject; /* of `subjects` */
    enum event_kind kind;
    int outcome;
    int64_t flags; /* of record.h */
    bool witness;
    bool made;      /* the build had made the thing itself */
    bool confirmed; /* by the witness, and nothing that is not known already (sources.h) */
    int64_t rows;   /* of access */
    int64_t count;
    int64_t first; /* as in the database */
    struct process_set processes;
};

struct summary_verdict {
    uint32_t action;
    int verdict;  /* enum verdict, VERDICT_CONFIRMED */
    int64_t rule; /* rule.id, 0 none */
};

struct summaries {
    const struct subjects *subjects;
    const struct processes *processes;
    sqlite3 *db;
    sqlite3_stmt *row, *judged;
    uint32_t *actions; /* by process; NULL when no process of the run has one */
    struct summary_verdict *verdicts;
    size_t verdict_count, verdict_room;
    int code, judged_code; /* SQLite's, of the last steps */
    bool started;          /* the second cursor */
};

/* 0 or TALLY_ERR_DATABASE. `judged`: with verdicts. summaries_close in any case. */
int summaries_open(struct summaries *summaries, sqlite3 *db, int64_t run,
                   const struct subjects *subjects, const struct processes *processes, bool judged);
/* False at the end and after an error. The set of processes is valid until the next call. */
bool summaries_next(struct summaries *summaries, struct summary *summary);
/* 0, or TALLY_ERR_DATABASE when not all could be read. */
int summaries_close(struct summaries *summaries);

/* Of the summary that was read last; NULL: it was not judged. */
const struct summary_verdict *summaries_verdict(const struct summaries *summaries,
                                                uint32_t process);
/* The same when it is one for all processes; NULL also when there are several. */
const struct summary_verdict *summaries_only_verdict(const struct summaries *summaries);

/* Has the run been summarised? TALLY_ERR_DATABASE or a truth. */
int summaries_exist(sqlite3 *db, int64_t run);

/* The sum of two counts, as much as fits; a negative one, which is nonsense, is none. */
int64_t count_sum(int64_t one, int64_t other);

#endif
