/* SPDX-License-Identifier: MIT */
#include "derive.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyzer.h"
#include "artifact.h"
#include "cleanup.h"
#include "database.h"
#include "judged_run.h"
#include "manifest.h"
#include "tallyman/status.h"

static bool progress_shown;

static void show_progress(int64_t done, int64_t all)
{
    fprintf(stderr,
            "\r\033[Ktallyman: digests of undeclared files, %" PRId64 " of %" PRId64 " MiB\r",
            done >> 20, all >> 20);
    fflush(stderr);
    progress_shown = true;
}

static void record_artifacts(sqlite3 *db, int64_t run, bool show)
{
    int result = artifacts_record(db, run, show && isatty(STDERR_FILENO) ? show_progress : NULL);

    if (progress_shown)
        fputs("\r\033[K", stderr);
    progress_shown = false;
    if (result != 0)
        warn("%s: cannot record the digests of undeclared files: %s",
             sqlite3_db_filename(db, "main"), judged_run_reason(db, result));
}

/* 0, or TALLY_ERR_*: of SQLite where it is TALLY_ERR_DATABASE. */
static int judge_and_attribute(sqlite3 *db, int64_t run, const struct policy *policy)
{
    cleanup_buffer struct buffer trouble = BUFFER_INIT;
    /* Takes the right to write first: another run may write to the same database right now. */
    int result = database_execute(db, "BEGIN IMMEDIATE");

    /* Anew: what was recovered may have been in the database in part. */
    if (result == 0)
        result = analyzer_summarise(db, run);
    if (result == 0)
        result = analyzer_judge(db, run, policy);
    if (result == 0)
        result = analyzer_attribute(db, run, &trouble);
    if (result == 0)
        result = database_execute(db, "COMMIT");
    if (trouble.length)
        warn("%s", trouble.data);
    return result;
}

static bool derive(sqlite3 *db, int64_t run, const struct policy *policy, bool show)
{
    int result = judge_and_attribute(db, run, policy);

    if (result == 0)
        record_artifacts(db, run, show);
    else
        warn("%s: cannot judge the run: %s", sqlite3_db_filename(db, "main"),
             judged_run_reason(db, result));
    return result == 0;
}

bool derive_run(const char *database, int64_t run, const struct policy *policy, bool show)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;
    cleanup_database sqlite3 *db = NULL;

    if (database_open(database, DATABASE_WRITE, &db, &why) == 0)
        return derive(db, run, policy, show);
    warn("%s", why.data);
    return false;
}

static int64_t find_run(sqlite3 *db, const char *uuid)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT id FROM run WHERE uuid = ?1");

    if (!row)
        return 0;
    sqlite3_bind_text(row, 1, uuid, -1, SQLITE_STATIC);
    return sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_int64(row, 0) : 0;
}

void derive_by_uuid(const char *database, const char *uuid, bool show)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;
    cleanup_database sqlite3 *db = NULL;
    cleanup_free struct policy *policy = NULL;
    int64_t run;

    if (database_open(database, DATABASE_WRITE, &db, &why) != 0) {
        warn("%s", why.data);
        return;
    }
    run = find_run(db, uuid);
    policy = run ? judged_run_policy(db, run, &why) : NULL;
    if (policy)
        derive(db, run, policy, show);
    else
        warn("%s: cannot judge the run: %s", database, why.length ? why.data : "it is not there");
}
