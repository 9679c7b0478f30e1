/* SPDX-License-Identifier: MIT */
#include "needs.h"

#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "operation.h"
#include "processes.h"
#include "tallyman/status.h"

struct needs *needs_new(void)
{
    struct needs *needs = xcalloc(1, sizeof *needs);

    needs->memory = memory_new();
    return needs;
}

void needs_free(struct needs *needs)
{
    if (!needs)
        return;
    for (uint32_t i = 0; i < needs->run_count; i++) {
        subjects_fini(&needs->runs[i].subjects);
        analysis_free(needs->runs[i].facts);
    }
    memory_free(needs->memory);
    free(needs->runs);
    free(needs->rows);
    free(needs);
}

/* As if all runs had been made in the tree of the first. */
static struct text in_first_root(struct needs *needs, uint32_t run, struct text path)
{
    struct text root = needs->runs[run].facts->root;
    struct text first = needs->runs[0].facts->root;
    struct buffer moved = BUFFER_INIT;
    struct text result;

    if (run == 0 || root.length < 2 || !path_is_within(path, root))
        return path;
    buffer_add(&moved, first.bytes, first.length);
    buffer_add(&moved, path.bytes + root.length, path.length - root.length);
    result = (struct text){memory_copy(needs->memory, moved.data, moved.length), moved.length};
    buffer_fini(&moved);
    return result;
}

static enum need_use use_of(const struct matter *matter, enum channel channel)
{
    if (channel != CHANNEL_FILESYSTEM)
        return NEED_VALUE;
    if (matter->absent)
        return NEED_PROBE;
    switch (operation_class(matter->kind)) {
    case ACCESS_WRITE:
        return NEED_WRITE;
    case ACCESS_LIST:
        return NEED_LIST;
    case ACCESS_LOOK:
        return NEED_LOOK;
    default:
        return NEED_READ;
    }
}

static void add_need(struct needs *needs, uint32_t run, const struct matter *matter, int64_t count)
{
    const struct subjects *subjects = &needs->runs[run].subjects;
    const struct subject *deciding = &subjects->rows[matter_deciding_subject(matter, subjects)];
    struct text package = deciding->package;
    enum channel channel = group_channel(matter->kind, deciding->name);

    if (!package.length)
        package = subjects->rows[matter->subject].package;
    if (needs->count == needs->room) {
        needs->room = needs->room ? needs->room * 2 : 1024;
        needs->rows = xrealloc(needs->rows, needs->room * sizeof *needs->rows);
    }
    needs->rows[needs->count++] = (struct need){
        .matter = *matter,
        .run = run,
        .channel = channel,
        .use = use_of(matter, channel),
        .name = channel == CHANNEL_FILESYSTEM ? in_first_root(needs, run, deciding->name)
                                              : deciding->name,
        .package = package.bytes ? package : (struct text){"", 0},
        .count = count,
    };
}

/* Also those that no other process started: the command itself, and the interpreters of scripts. */
static int add_programs(struct needs *needs, uint32_t run, sqlite3 *db)
{
    struct needs_run *of = &needs->runs[run];
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT DISTINCT exe FROM process WHERE run = ?1 AND exe IS NOT NULL");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, of->facts->run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        struct matter matter = {
            .kind = EVENT_EXECUTE,
            .subject = subjects_find(&of->subjects, sqlite3_column_int64(row, 0)),
            .action = JUDGE_NO_ACTION,
        };

        if (matter.subject == MAP_NONE)
            continue;
        add_need(needs, run, &matter, 0);
        needs->rows[needs->count - 1].use = NEED_PROGRAM;
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

/* What every image could see; several share a block, and a variable counts once. */
static int add_variables(struct needs *needs, uint32_t run, sqlite3 *db)
{
    struct needs_run *of = &needs->runs[run];
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT subject, count(*) FROM environment_variable WHERE run = ?1 GROUP BY subject");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, of->facts->run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        struct matter matter = {
            .kind = EVENT_VISIBLE,
            .subject = subjects_find(&of->subjects, sqlite3_column_int64(row, 0)),
            .action = JUDGE_NO_ACTION,
        };

        if (matter.subject != MAP_NONE)
            add_need(needs, run, &matter, sqlite3_column_int64(row, 1));
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

/* Accesses of which the witness saw nothing that is not known already are judged by nobody. */
static int add_accesses(struct needs *needs, uint32_t run, sqlite3 *db)
{
    struct needs_run *of = &needs->runs[run];
    struct processes processes = {0};
    struct summaries summaries;
    struct summary summary;
    int result = processes_load(&processes, db, of->facts->run, needs->memory);
    int closed;

    if (result == 0) {
        result = summaries_open(&summaries, db, of->facts->run, &of->subjects, &processes, false);
        while (result == 0 && summaries_next(&summaries, &summary)) {
            struct matter matter = matter_of_summary(&summary, JUDGE_NO_ACTION);

            if (!summary.confirmed)
                add_need(needs, run, &matter, summary.count);
        }
        closed = summaries_close(&summaries);
        result = result ? result : closed;
    }
    processes_fini(&processes);
    return result;
}

int needs_add(struct needs *needs, sqlite3 *db, int64_t run, struct buffer *why)
{
    struct analysis *facts = analysis_load_run(db, run, why);
    uint32_t number = needs->run_count;
    int result;

    if (!facts)
        return TALLY_ERR_DATABASE;
    needs->runs = xrealloc(needs->runs, (number + 1) * sizeof *needs->runs);
    needs->runs[number] = (struct needs_run){.facts = facts};
    needs->run_count++;
    result = subjects_load(&needs->runs[number].subjects, db, needs->memory);
    if (result == 0)
        result = add_accesses(needs, number, db);
    if (result == 0)
        result = add_variables(needs, number, db);
    if (result == 0)
        result = add_programs(needs, number, db);
    if (result != 0)
        buffer_printf(why, "cannot read run %lld: %s", (long long)run, sqlite3_errmsg(db));
    return result;
}

struct places needs_places(const struct needs *needs)
{
    const struct analysis *facts = needs->runs[0].facts;
    const char *home = getenv("HOME");
    struct places places = {facts->root, facts->home, facts->user, facts->host};

    if (!home || !places.home.bytes || strcmp(home, places.home.bytes) != 0)
        places.home = (struct text){"", 0};
    return places;
}
