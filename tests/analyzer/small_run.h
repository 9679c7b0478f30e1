/* SPDX-License-Identifier: MIT
 *
 * A database with one small run (small_run.sql), for tests. What fails fails the test.
 */
#ifndef TESTS_SMALL_RUN_H
#define TESTS_SMALL_RUN_H

#include <sqlite3.h>

#include "analysis.h"

struct small_run {
    char folder[64];
    char path[80];
    sqlite3 *db;
};

void small_run_open(struct small_run *run);
void small_run_close(struct small_run *run);

void small_run_execute(struct small_run *run, const char *sql);
/* One access of process 3 (cc1) on the file system, outcome 0, at `time`. */
void small_run_event(struct small_run *run, const char *operation, const char *path, int flags,
                     int time);
/* Judges by the built-in policy with the project's root, or by the text of a manifest. */
void small_run_judge(struct small_run *run, const char *manifest);

/* The first column of the first row; -99 for NULL, -98 for no row. */
long small_run_number(struct small_run *run, const char *sql);
/* Verdict of the one access with this operation and subject. */
long small_run_verdict(struct small_run *run, const char *operation, const char *subject);

struct analysis *small_run_load(struct small_run *run);
/* The finding whose subject it is; fails the test when there is none. */
const struct analysis_finding *small_run_finding(const struct analysis *analysis,
                                                 const char *subject);

#endif
