/* SPDX-License-Identifier: MIT */
#include "access_rows.h"

#include "access_rest.h"
#include "database.h"
#include "operation.h"
#include "tallyman/status.h"

static int verdict_of(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? -1 : sqlite3_column_int(row, column);
}

/* Columns: process, subject, operation, outcome, source, verdict, rule, count, first. */
static int each_row(sqlite3_stmt *row, access_row_handler handle, void *data)
{
    int code;

    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        struct access_row_of access = {
            .process = sqlite3_column_int64(row, 0),
            .subject = sqlite3_column_int64(row, 1),
            .outcome = sqlite3_column_int(row, 3),
            .witness = sqlite3_column_int(row, 4) != 0,
            .verdict = verdict_of(row, 5),
            .rule = sqlite3_column_int64(row, 6),
            .count = sqlite3_column_int64(row, 7),
            .first = sqlite3_column_int64(row, 8),
        };

        if (!operation_is_access(sqlite3_column_int64(row, 2)))
            continue;
        access.kind = (enum event_kind)sqlite3_column_int(row, 2);
        handle(&access, data);
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

/* ?1 the run, ?2 a subject, ?3 the operation of variables that can be seen. */
static int each_of(sqlite3 *db, const char *sql, int64_t run, int64_t subject,
                   access_row_handler handle, void *data)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(db, sql);

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run);
    if (sqlite3_bind_parameter_count(row) > 1)
        sqlite3_bind_int64(row, 2, subject);
    if (sqlite3_bind_parameter_count(row) > 2)
        sqlite3_bind_int64(row, 3, EVENT_VISIBLE);
    return each_row(row, handle, data);
}

static bool is_variable(sqlite3 *db, int64_t subject)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT channel FROM subject WHERE id = ?1");

    return row && sqlite3_bind_int64(row, 1, subject) == SQLITE_OK &&
           sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int64(row, 0) == CHANNEL_ENVIRONMENT;
}

/* The process from which on rows are no longer read one by one; INT64_MAX: all are. */
static int find_bound(sqlite3 *db, int64_t run, int64_t subject, size_t most, int64_t *bound)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT a.process FROM access a JOIN process p ON p.id = a.process"
            " WHERE p.run = ?1 AND a.subject = ?2 ORDER BY a.process LIMIT 1 OFFSET ?3");
    int code;

    *bound = INT64_MAX;
    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run);
    sqlite3_bind_int64(row, 2, subject);
    sqlite3_bind_int64(row, 3, most > INT32_MAX ? INT32_MAX : (int64_t)most);
    code = sqlite3_step(row);
    if (code == SQLITE_ROW)
        *bound = sqlite3_column_int64(row, 0);
    return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

static int each_access(sqlite3 *db, int64_t run, int64_t subject, int64_t bound,
                       access_row_handler handle, void *data)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT a.process, a.subject, a.operation, a.outcome, a.source, a.verdict, a.rule,"
            " a.count, a.first FROM judged_access a JOIN process p ON p.id = a.process"
            " WHERE p.run = ?1 AND a.subject = ?2 AND a.process < ?3 ORDER BY a.process");

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run);
    sqlite3_bind_int64(row, 2, subject);
    sqlite3_bind_int64(row, 3, bound);
    return each_row(row, handle, data);
}

int access_rows_of_subject(sqlite3 *db, int64_t run, int64_t subject, size_t most,
                           access_row_handler handle, void *data)
{
    int64_t bound;
    int result = find_bound(db, run, subject, most, &bound);

    if (result == 0)
        result = each_access(db, run, subject, bound, handle, data);
    if (result == 0 && bound != INT64_MAX)
        result = access_rest_of_subject(db, run, subject, bound, handle, data);
    if (result != 0 || !is_variable(db, subject))
        return result;
    return each_of(db,
                   "SELECT p.id, e.subject, ?3, 0, p.shim <> 'loaded', e.verdict, e.rule, 1,"
                   " p.started FROM process p CROSS JOIN environment_variable e ON e.run = p.run"
                   " AND e.block = p.environment AND e.subject = ?2"
                   " WHERE p.run = ?1 ORDER BY p.id",
                   run, subject, handle, data);
}

int access_rows_undeclared(sqlite3 *db, int64_t run, access_row_handler handle, void *data)
{
    int result = each_of(db,
                         "SELECT DISTINCT 0, s.subject, s.operation, s.outcome, 0, j.verdict, 0, 0,"
                         " 0 FROM access_summary s JOIN judgement j ON j.summary = s.id"
                         " WHERE s.run = ?1 AND j.verdict IN (1, 2)",
                         run, 0, handle, data);

    if (result != 0)
        return result;
    return each_of(db,
                   "SELECT DISTINCT 0, subject, ?3, 0, 0, verdict, 0, 0, 0"
                   " FROM environment_variable WHERE run = ?1 AND ?2 = 0 AND verdict IN (1, 2)",
                   run, 0, handle, data);
}

int access_rows_has(sqlite3 *db, int64_t run, int64_t subject)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT EXISTS (SELECT 1 FROM access_summary WHERE subject = ?2 AND run = ?1)"
            " OR EXISTS (SELECT 1 FROM environment_variable WHERE run = ?1 AND subject = ?2)");

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run);
    sqlite3_bind_int64(row, 2, subject);
    return sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_int(row, 0) : TALLY_ERR_DATABASE;
}
