/* SPDX-License-Identifier: MIT */
#include "access_rest.h"

#include <stdlib.h>

#include "cleanup.h"
#include "database.h"
#include "die.h"
#include "operation.h"
#include "process_set.h"
#include "tallyman/judge.h"
#include "tallyman/status.h"

struct verdict_row {
    uint32_t action;
    int verdict;
    int64_t rule;
};

struct rest {
    sqlite3 *db;
    int64_t run;
    uint32_t process_count;
    uint32_t first;    /* place of the first process that counts, in the order of process.id */
    uint32_t *actions; /* by place; NULL: no process has one */
    sqlite3_stmt *judged;
    struct verdict_row *verdicts; /* of one summary */
    size_t verdict_count, verdict_room;
};

static int count_processes(struct rest *rest, int64_t bound)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(
        rest->db, "SELECT count(*), count(*) FILTER (WHERE id < ?2) FROM process WHERE run = ?1");

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, rest->run);
    sqlite3_bind_int64(row, 2, bound);
    if (sqlite3_step(row) != SQLITE_ROW)
        return TALLY_ERR_DATABASE;
    rest->process_count = (uint32_t)sqlite3_column_int64(row, 0);
    rest->first = (uint32_t)sqlite3_column_int64(row, 1);
    return 0;
}

/* A run without actions, which is the rule, costs one look. */
static int load_actions(struct rest *rest)
{
    cleanup_statement sqlite3_stmt *any =
        database_prepare(rest->db, "SELECT EXISTS (SELECT 1 FROM process_action x"
                                   " JOIN process p ON p.id = x.process WHERE p.run = ?1)");
    cleanup_statement sqlite3_stmt *row = database_prepare(
        rest->db, "SELECT x.action FROM process p LEFT JOIN process_action x ON x.process = p.id"
                  " WHERE p.run = ?1 ORDER BY p.id");

    if (!any || !row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(any, 1, rest->run);
    sqlite3_bind_int64(row, 1, rest->run);
    if (sqlite3_step(any) != SQLITE_ROW)
        return TALLY_ERR_DATABASE;
    if (!sqlite3_column_int(any, 0))
        return 0;
    rest->actions = xmalloc(rest->process_count * sizeof *rest->actions);
    for (uint32_t i = 0; i < rest->process_count; i++)
        rest->actions[i] =
            sqlite3_step(row) == SQLITE_ROW && sqlite3_column_type(row, 0) != SQLITE_NULL
                ? (uint32_t)sqlite3_column_int64(row, 0)
                : JUDGE_NO_ACTION;
    return 0;
}

static void load_verdicts(struct rest *rest, int64_t summary)
{
    rest->verdict_count = 0;
    sqlite3_bind_int64(rest->judged, 1, summary);
    while (sqlite3_step(rest->judged) == SQLITE_ROW) {
        if (rest->verdict_count == rest->verdict_room) {
            rest->verdict_room = rest->verdict_room ? rest->verdict_room * 2 : 4;
            rest->verdicts = xrealloc(rest->verdicts, rest->verdict_room * sizeof *rest->verdicts);
        }
        rest->verdicts[rest->verdict_count++] = (struct verdict_row){
            (uint32_t)sqlite3_column_int64(rest->judged, 0), sqlite3_column_int(rest->judged, 1),
            sqlite3_column_int64(rest->judged, 2)};
    }
    sqlite3_reset(rest->judged);
}

static void judge_row(const struct rest *rest, uint32_t process, struct access_row_of *access)
{
    uint32_t action = rest->actions ? rest->actions[process] : JUDGE_NO_ACTION;

    access->verdict = -1;
    access->rule = 0;
    for (size_t i = 0; i < rest->verdict_count; i++)
        if (rest->verdicts[i].action == action) {
            access->verdict = rest->verdicts[i].verdict;
            access->rule = rest->verdicts[i].rule;
        }
}

/* Columns: id, operation, outcome, source, processes. */
static void each_process(struct rest *rest, sqlite3_stmt *row, struct access_row_of access,
                         access_row_handler handle, void *data)
{
    const void *bytes = sqlite3_column_blob(row, 4);
    struct process_set set =
        process_set_read(bytes, bytes ? (size_t)sqlite3_column_bytes(row, 4) : 0,
                         rest->process_count, operation_class(access.kind) == ACCESS_WRITE);
    struct process_entry entry;

    load_verdicts(rest, sqlite3_column_int64(row, 0));
    while (process_set_next(&set, &entry)) {
        if (entry.process < rest->first)
            continue;
        access.process = -1 - (int64_t)entry.process;
        access.count = entry.count;
        judge_row(rest, entry.process, &access);
        handle(&access, data);
    }
}

static int each_summary(struct rest *rest, int64_t subject, access_row_handler handle, void *data)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(
        rest->db, "SELECT id, operation, outcome, source, processes FROM access_summary"
                  " WHERE subject = ?1 AND run = ?2");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, subject);
    sqlite3_bind_int64(row, 2, rest->run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        struct access_row_of access = {
            .subject = subject,
            .outcome = sqlite3_column_int(row, 2),
            .witness = sqlite3_column_int(row, 3) != 0,
            .first = INT64_MAX,
        };

        if (!operation_is_access(sqlite3_column_int64(row, 1)))
            continue;
        access.kind = (enum event_kind)sqlite3_column_int(row, 1);
        each_process(rest, row, access, handle, data);
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

int access_rest_of_subject(sqlite3 *db, int64_t run, int64_t subject, int64_t bound,
                           access_row_handler handle, void *data)
{
    cleanup_statement sqlite3_stmt *judged =
        database_prepare(db, "SELECT action, verdict, rule FROM judgement WHERE summary = ?1");
    struct rest rest = {.db = db, .run = run, .judged = judged};
    int result = judged ? count_processes(&rest, bound) : TALLY_ERR_DATABASE;

    if (result == 0)
        result = load_actions(&rest);
    if (result == 0)
        result = each_summary(&rest, subject, handle, data);
    free(rest.actions);
    free(rest.verdicts);
    return result;
}
