/* SPDX-License-Identifier: MIT */
#include "analysis.h"

#include <stdlib.h>
#include <string.h>

#include "artifact.h"
#include "certificate.h"
#include "changed_inputs.h"
#include "cleanup.h"
#include "database.h"
#include "findings.h"
#include "location.h"
#include "memory.h"
#include "processes.h"
#include "remedy.h"
#include "subjects.h"
#include "survivor.h"
#include "tallyman/status.h"

static int64_t number_or(sqlite3_stmt *row, int column, int64_t missing)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? missing
                                                           : sqlite3_column_int64(row, column);
}

static int load_run(struct analysis *analysis, sqlite3 *db)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT uuid, tool, command, argv, cwd, root, home, user, host, machine, mode, witness,"
            " manifest, started, ended, exit_status, signal, interrupted, evidence"
            " FROM run WHERE id = ?1");
    struct text *const texts[] = {&analysis->uuid,    &analysis->tool, &analysis->command,
                                  &analysis->argv,    &analysis->cwd,  &analysis->root,
                                  &analysis->home,    &analysis->user, &analysis->host,
                                  &analysis->machine, &analysis->mode, &analysis->witness,
                                  &analysis->manifest};
    const int count = sizeof texts / sizeof *texts;
    struct text evidence;
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, analysis->run);
    code = sqlite3_step(row);
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE ? TALLY_ERR_NOT_FOUND : TALLY_ERR_DATABASE;
    for (int i = 0; i < count; i++)
        *texts[i] = text_of_column(analysis->memory, row, i);
    analysis->started = sqlite3_column_int64(row, count);
    analysis->ended = sqlite3_column_int64(row, count + 1);
    analysis->exit_status = number_or(row, count + 2, -1);
    analysis->signal = sqlite3_column_int64(row, count + 3);
    analysis->interrupted = sqlite3_column_int64(row, count + 4);
    evidence = text_of_column(analysis->memory, row, count + 5);
    analysis->complete =
        analysis->ended && evidence.bytes && strcmp(evidence.bytes, "complete") == 0;
    return 0;
}

static int load_unused_waivers(struct analysis *analysis, sqlite3 *db)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT text, line FROM rule WHERE run = ?1 AND waiver = 1"
                             " AND used = 0 ORDER BY number");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, analysis->run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        size_t number = analysis->unused_waiver_count++;

        analysis->unused_waivers =
            xrealloc(analysis->unused_waivers,
                     analysis->unused_waiver_count * sizeof *analysis->unused_waivers);
        analysis->unused_waivers[number].text = text_of_column(analysis->memory, row, 0);
        analysis->unused_waivers[number].line = sqlite3_column_int64(row, 1);
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

/* What the files show in the end, and what is left of the processes. */
static int load_aftermath(struct analysis *analysis, sqlite3 *db, const struct subjects *subjects,
                          const struct processes *processes)
{
    struct artifacts artifacts;
    int result = artifacts_load(&artifacts, db, analysis->run, subjects, analysis->memory);

    if (result == 0) {
        artifacts_show(&artifacts, subjects, analysis);
        result = changed_inputs_add(analysis, db, subjects, processes, &artifacts);
    }
    if (result == 0)
        survivors_add_findings(analysis);
    artifacts_fini(&artifacts);
    return result;
}

static int load(struct analysis *analysis, sqlite3 *db)
{
    struct processes processes = {0};
    struct subjects subjects = {0};
    int result = load_run(analysis, db);

    if (result == 0)
        result = processes_load(&processes, db, analysis->run, analysis->memory);
    if (result == 0)
        result = subjects_load(&subjects, db, analysis->memory);
    analysis->processes = processes.rows;
    analysis->process_count = processes.count;
    if (result == 0)
        result = findings_load(analysis, db, &subjects, &processes);
    if (result == 0)
        result = certificate_load(analysis, db, &subjects, &processes);
    if (result == 0)
        result = load_aftermath(analysis, db, &subjects, &processes);
    if (result == 0)
        result = remedies_load(analysis, db, &processes);
    if (result == 0)
        result = locations_load(analysis, db);
    if (result == 0)
        result = load_unused_waivers(analysis, db);
    subjects_fini(&subjects);
    processes_fini(&processes);
    return result;
}

static struct analysis *load_by(int (*fill)(struct analysis *analysis, sqlite3 *db), sqlite3 *db,
                                int64_t run, struct buffer *why)
{
    struct analysis *analysis = xcalloc(1, sizeof *analysis);
    int result;

    analysis->run = run;
    analysis->memory = memory_new();
    result = fill(analysis, db);
    if (result == 0)
        return analysis;
    if (result == TALLY_ERR_NOT_FOUND)
        buffer_printf(why, "there is no run %lld", (long long)run);
    else
        buffer_printf(why, "cannot read run %lld: %s", (long long)run, sqlite3_errmsg(db));
    analysis_free(analysis);
    return NULL;
}

struct analysis *analysis_load(sqlite3 *db, int64_t run, struct buffer *why)
{
    return load_by(load, db, run, why);
}

struct analysis *analysis_load_run(sqlite3 *db, int64_t run, struct buffer *why)
{
    return load_by(load_run, db, run, why);
}

void analysis_free(struct analysis *analysis)
{
    if (!analysis)
        return;
    for (size_t i = 0; i < analysis->finding_count; i++) {
        free(analysis->findings[i].members);
        free(analysis->findings[i].processes);
    }
    free(analysis->findings);
    free(analysis->blind_spots);
    free(analysis->blind_classes);
    free(analysis->certificate.shims);
    free(analysis->unused_waivers);
    memory_free(analysis->memory);
    free(analysis);
}

int64_t analysis_find_run(sqlite3 *db, int64_t wanted, struct buffer *why)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT max(id), min(id), count(*) FILTER (WHERE id = ?1) FROM run");

    if (row)
        sqlite3_bind_int64(row, 1, wanted);
    if (!row || sqlite3_step(row) != SQLITE_ROW) {
        buffer_printf(why, "cannot read the database: %s", sqlite3_errmsg(db));
        return TALLY_ERR_DATABASE;
    }
    if (sqlite3_column_type(row, 0) == SQLITE_NULL) {
        buffer_add_text(why, "the database holds no run yet");
        return TALLY_ERR_NOT_FOUND;
    }
    if (wanted == 0)
        return sqlite3_column_int64(row, 0);
    if (sqlite3_column_int64(row, 2) == 1)
        return wanted;
    buffer_printf(why, "there is no run %lld; the database holds runs %lld to %lld",
                  (long long)wanted, (long long)sqlite3_column_int64(row, 1),
                  (long long)sqlite3_column_int64(row, 0));
    return TALLY_ERR_NOT_FOUND;
}

uint32_t analysis_undeclared(const struct analysis *analysis)
{
    uint32_t count = 0;

    for (int i = 0; i < CHANNEL_COUNT; i++)
        count += analysis->channels[i].findings;
    return count;
}

uint32_t analysis_known(const struct analysis *analysis)
{
    uint32_t count = 0;

    for (int i = 0; i < CHANNEL_COUNT; i++)
        count += analysis->channels[i].known;
    return count;
}
