/* SPDX-License-Identifier: MIT
 *
 * Two cursors run side by side, both in the order of access_summary.id.
 */
#include "summaries.h"

#include <stdlib.h>

#include "database.h"
#include "die.h"
#include "operation.h"
#include "tallyman/status.h"

int64_t count_sum(int64_t one, int64_t other)
{
    int64_t sum;

    one = one < 0 ? 0 : one;
    other = other < 0 ? 0 : other;
    return __builtin_add_overflow(one, other, &sum) ? INT64_MAX : sum;
}

static int load_actions(struct summaries *summaries, int64_t run)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(summaries->db, "SELECT x.process, x.action FROM process_action x"
                                        " JOIN process p ON p.id = x.process WHERE p.run = ?1");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        uint32_t process = processes_find(summaries->processes, sqlite3_column_int64(row, 0));

        if (process == MAP_NONE)
            continue;
        if (!summaries->actions) {
            summaries->actions = xmalloc(summaries->processes->count * sizeof *summaries->actions);
            for (uint32_t i = 0; i < summaries->processes->count; i++)
                summaries->actions[i] = JUDGE_NO_ACTION;
        }
        summaries->actions[process] = (uint32_t)sqlite3_column_int64(row, 1);
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

int summaries_open(struct summaries *summaries, sqlite3 *db, int64_t run,
                   const struct subjects *subjects, const struct processes *processes, bool judged)
{
    *summaries = (struct summaries){
        .subjects = subjects,
        .processes = processes,
        .db = db,
        .code = SQLITE_ROW,
        .judged_code = SQLITE_DONE,
    };
    summaries->row = database_prepare(
        db, "SELECT id, operation, subject, outcome, flags, source, made, confirmed, rows, count,"
            " first, processes FROM access_summary WHERE run = ?1 ORDER BY id");
    if (judged)
        summaries->judged = database_prepare(db, "SELECT summary, action, verdict, rule"
                                                 " FROM judgement WHERE summary >= ?1"
                                                 " ORDER BY summary, action");
    if (!summaries->row || (judged && !summaries->judged)) {
        summaries->code = SQLITE_ERROR;
        return TALLY_ERR_DATABASE;
    }
    sqlite3_bind_int64(summaries->row, 1, run);
    return judged ? load_actions(summaries, run) : 0;
}

static bool read_row(const struct summaries *summaries, struct summary *summary)
{
    sqlite3_stmt *row = summaries->row;
    int64_t operation = sqlite3_column_int64(row, 1);

    *summary = (struct summary){
        .id = sqlite3_column_int64(row, 0),
        .subject = subjects_find(summaries->subjects, sqlite3_column_int64(row, 2)),
        .outcome = sqlite3_column_int(row, 3),
        .flags = sqlite3_column_int64(row, 4),
        .witness = sqlite3_column_int(row, 5) != 0,
        .made = sqlite3_column_int(row, 6) != 0,
        .confirmed = sqlite3_column_int(row, 7) != 0,
        .rows = sqlite3_column_int64(row, 8),
        .count = sqlite3_column_int64(row, 9),
        .first = sqlite3_column_int64(row, 10),
    };
    if (!operation_is_access(operation) || summary->subject == MAP_NONE)
        return false;
    summary->kind = (enum event_kind)operation;
    const void *bytes = sqlite3_column_blob(row, 11);

    summary->processes = process_set_read(bytes, bytes ? (size_t)sqlite3_column_bytes(row, 11) : 0,
                                          summaries->processes->count,
                                          operation_class(summary->kind) == ACCESS_WRITE);
    return true;
}

static void add_verdict(struct summaries *summaries)
{
    if (summaries->verdict_count == summaries->verdict_room) {
        summaries->verdict_room = summaries->verdict_room ? summaries->verdict_room * 2 : 4;
        summaries->verdicts =
            xrealloc(summaries->verdicts, summaries->verdict_room * sizeof *summaries->verdicts);
    }
    summaries->verdicts[summaries->verdict_count++] = (struct summary_verdict){
        .action = (uint32_t)sqlite3_column_int64(summaries->judged, 1),
        .verdict = sqlite3_column_int(summaries->judged, 2),
        .rule = sqlite3_column_int64(summaries->judged, 3),
    };
}

/* Takes the verdicts of this summary, and leaves the cursor on the next one's. */
static void read_verdicts(struct summaries *summaries, int64_t id)
{
    sqlite3_stmt *row = summaries->judged;

    summaries->verdict_count = 0;
    if (!row)
        return;
    if (!summaries->started) {
        summaries->started = true;
        sqlite3_bind_int64(row, 1, id);
        summaries->judged_code = sqlite3_step(row);
    }
    while (summaries->judged_code == SQLITE_ROW && sqlite3_column_int64(row, 0) <= id) {
        if (sqlite3_column_int64(row, 0) == id)
            add_verdict(summaries);
        summaries->judged_code = sqlite3_step(row);
    }
}

bool summaries_next(struct summaries *summaries, struct summary *summary)
{
    while (summaries->code == SQLITE_ROW &&
           (summaries->code = sqlite3_step(summaries->row)) == SQLITE_ROW) {
        read_verdicts(summaries, sqlite3_column_int64(summaries->row, 0));
        if (read_row(summaries, summary))
            return true;
    }
    return false;
}

int summaries_close(struct summaries *summaries)
{
    bool complete = summaries->code == SQLITE_DONE &&
                    (summaries->judged_code == SQLITE_DONE || summaries->judged_code == SQLITE_ROW);

    sqlite3_finalize(summaries->row);
    sqlite3_finalize(summaries->judged);
    free(summaries->actions);
    free(summaries->verdicts);
    return complete ? 0 : TALLY_ERR_DATABASE;
}

const struct summary_verdict *summaries_verdict(const struct summaries *summaries, uint32_t process)
{
    uint32_t action = summaries->actions ? summaries->actions[process] : JUDGE_NO_ACTION;

    for (size_t i = 0; i < summaries->verdict_count; i++)
        if (summaries->verdicts[i].action == action)
            return &summaries->verdicts[i];
    return NULL;
}

const struct summary_verdict *summaries_only_verdict(const struct summaries *summaries)
{
    return summaries->verdict_count == 1 ? &summaries->verdicts[0] : NULL;
}

int summaries_exist(sqlite3 *db, int64_t run)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT EXISTS (SELECT 1 FROM access_summary WHERE run = ?1)");

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run);
    return sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_int(row, 0) : TALLY_ERR_DATABASE;
}
