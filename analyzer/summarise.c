/* SPDX-License-Identifier: MIT
 *
 * Fills access_summary and access.summary. The accesses are visited process by process, so that the
 * sets of processes grow at their ends.
 */
#include "analyzer.h"

#include <stdlib.h>

#include "database.h"
#include "die.h"
#include "made.h"
#include "operation.h"
#include "processes.h"
#include "sources.h"
#include "subjects.h"
#include "summaries.h"
#include "tallyman/record.h"
#include "tallyman/status.h"

_Static_assert(EVENT_KIND_COUNT <= 256, "a kind of event takes a byte of a key");

/* A summary that is still growing. */
struct draft {
    uint32_t subject;
    enum event_kind kind;
    int outcome;
    uint32_t flags;
    bool witness, made, confirmed;
    int64_t rows, count, first;
    struct buffer set;
    uint32_t last;              /* process in `set` */
    struct process_entry entry; /* to be added to `set` next */
};

struct summariser {
    struct memory *memory;
    struct subjects subjects;
    struct processes processes;
    struct made made;
    struct sources sources;
    struct map numbers; /* what makes a summary -> draft */
    struct draft *drafts;
    uint32_t count;
    uint32_t process; /* whose accesses are visited */
    int64_t first_id;
};

/* One access, as the columns say it. */
struct row {
    struct draft draft; /* without the sets */
    int64_t count, first;
};

static bool read_row(const struct summariser *summariser, sqlite3_value **values, struct row *row)
{
    int64_t operation = sqlite3_value_int64(values[0]);
    struct draft *draft = &row->draft;
    struct witnessed witnessed;
    bool no_follow;

    *row = (struct row){
        .draft = {.subject = subjects_find(&summariser->subjects, sqlite3_value_int64(values[1])),
                  .outcome = sqlite3_value_int(values[2]),
                  .flags = (uint32_t)sqlite3_value_int64(values[3]),
                  .witness = sqlite3_value_int(values[4]) != 0},
        .count = sqlite3_value_int64(values[5]),
        .first = sqlite3_value_int64(values[6]),
    };
    if (!operation_is_access(operation) || draft->subject == MAP_NONE)
        return false;
    draft->kind = (enum event_kind)operation;
    no_follow = operation_no_follow(draft->kind, draft->flags);
    draft->made = made_before(&summariser->made, draft->subject, row->first, no_follow);
    witnessed = (struct witnessed){
        .process = summariser->process,
        .subject = draft->subject,
        .kind = draft->kind,
        .outcome = draft->outcome,
    };
    draft->confirmed = draft->witness && sources_confirmed(&summariser->sources, &witnessed);
    return true;
}

static struct draft *find_draft(struct summariser *summariser, const struct draft *like)
{
    struct map_key key = {(uint64_t)like->subject << 32 | (uint32_t)like->outcome,
                          (uint64_t)like->flags << 16 | (uint64_t)like->kind << 8 |
                              (uint64_t)like->witness << 2 | (uint64_t)like->made << 1 |
                              like->confirmed};
    uint32_t *slot = map_slot(&summariser->numbers, key);
    uint32_t number = *slot;

    if (number != MAP_NONE)
        return &summariser->drafts[number];
    number = *slot = summariser->count++;
    if ((number & (number - 1)) == 0)
        summariser->drafts = xrealloc(summariser->drafts,
                                      (number ? number * 2ul : 1ul) * sizeof *summariser->drafts);
    summariser->drafts[number] = *like;
    summariser->drafts[number].first = INT64_MAX;
    summariser->drafts[number].last = summariser->drafts[number].entry.process = MAP_NONE;
    return &summariser->drafts[number];
}

static void close_entry(struct draft *draft)
{
    if (draft->entry.process != MAP_NONE)
        process_set_add(&draft->set, &draft->last, &draft->entry,
                        operation_class(draft->kind) == ACCESS_WRITE);
}

static void add_row(struct draft *draft, uint32_t process, const struct row *row)
{
    struct process_entry *entry = &draft->entry;

    if (entry->process != process) {
        close_entry(draft);
        *entry = (struct process_entry){.process = process, .first = INT64_MAX};
    }
    entry->rows++;
    entry->count = count_sum(entry->count, row->count);
    draft->rows++;
    draft->count = count_sum(draft->count, row->count);
    if (row->first < entry->first)
        entry->first = row->first;
    if (row->first < draft->first)
        draft->first = row->first;
}

/* tally_summary(operation, subject, outcome, flags, source, count, first): access_summary.id; NULL
 * when the access makes no sense. */
static void summary_of(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct summariser *summariser = sqlite3_user_data(context);
    struct row row;
    struct draft *draft;

    (void)count;
    if (!read_row(summariser, values, &row))
        return;
    draft = find_draft(summariser, &row.draft);
    add_row(draft, summariser->process, &row);
    sqlite3_result_int64(context, summariser->first_id + (draft - summariser->drafts));
}

static int visit(struct summariser *summariser, sqlite3 *db)
{
    cleanup_statement sqlite3_stmt *update = database_prepare(
        db, "UPDATE access SET summary = tally_summary(operation, subject, outcome, flags, source,"
            " count, first) WHERE process = ?1");

    if (!update)
        return TALLY_ERR_DATABASE;
    for (uint32_t i = 0; i < summariser->processes.count; i++) {
        summariser->process = i;
        sqlite3_bind_int64(update, 1, summariser->processes.rows[i].id);
        if (sqlite3_step(update) != SQLITE_DONE)
            return TALLY_ERR_DATABASE;
        sqlite3_reset(update);
    }
    return 0;
}

/* With `summariser` NULL the function is taken away again. */
static int register_function(sqlite3 *db, struct summariser *summariser)
{
    return sqlite3_create_function(db, "tally_summary", 7, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                   summariser, summariser ? summary_of : NULL, NULL,
                                   NULL) == SQLITE_OK
               ? 0
               : TALLY_ERR_DATABASE;
}

static int visit_all(struct summariser *summariser, sqlite3 *db)
{
    cleanup_statement sqlite3_stmt *next =
        database_prepare(db, "SELECT coalesce(max(id), 0) + 1 FROM access_summary");
    int result;

    if (!next || sqlite3_step(next) != SQLITE_ROW)
        return TALLY_ERR_DATABASE;
    summariser->first_id = sqlite3_column_int64(next, 0);
    sqlite3_reset(next);
    result = register_function(db, summariser);
    if (result == 0)
        result = visit(summariser, db);
    register_function(db, NULL);
    return result;
}

static void bind_draft(const struct summariser *summariser, sqlite3_stmt *insert,
                       const struct draft *draft)
{
    const int64_t numbers[] = {summariser->subjects.rows[draft->subject].id,
                               draft->outcome,
                               draft->flags,
                               draft->witness,
                               draft->made,
                               draft->confirmed,
                               draft->rows,
                               draft->count,
                               draft->first};
    const int count = sizeof numbers / sizeof *numbers;

    sqlite3_bind_int64(insert, 1, summariser->first_id + (draft - summariser->drafts));
    sqlite3_bind_int(insert, 3, (int)draft->kind);
    for (int i = 0; i < count; i++)
        sqlite3_bind_int64(insert, 4 + i, numbers[i]);
    sqlite3_bind_blob64(insert, 4 + count, draft->set.data, draft->set.length, SQLITE_STATIC);
}

static int write_drafts(struct summariser *summariser, sqlite3 *db, int64_t run)
{
    cleanup_statement sqlite3_stmt *insert = database_prepare(
        db, "INSERT INTO access_summary (id, run, operation, subject, outcome, flags, source, made,"
            " confirmed, rows, count, first, processes)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)");

    if (!insert)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(insert, 2, run);
    for (uint32_t i = 0; i < summariser->count; i++) {
        close_entry(&summariser->drafts[i]);
        bind_draft(summariser, insert, &summariser->drafts[i]);
        if (sqlite3_step(insert) != SQLITE_DONE)
            return TALLY_ERR_DATABASE;
        sqlite3_reset(insert);
    }
    return 0;
}

static int forget(sqlite3 *db, int64_t run)
{
    static const char *const statements[] = {
        "DELETE FROM judgement WHERE summary IN (SELECT id FROM access_summary WHERE run = ?1)",
        "DELETE FROM access_summary WHERE run = ?1",
    };

    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        cleanup_statement sqlite3_stmt *statement = database_prepare(db, statements[i]);

        if (!statement)
            return TALLY_ERR_DATABASE;
        sqlite3_bind_int64(statement, 1, run);
        if (sqlite3_step(statement) != SQLITE_DONE)
            return TALLY_ERR_DATABASE;
    }
    return 0;
}

static int summarise(struct summariser *summariser, sqlite3 *db, int64_t run)
{
    int result = forget(db, run);

    if (result == 0)
        result = subjects_load(&summariser->subjects, db, summariser->memory);
    if (result == 0)
        result = made_load(&summariser->made, db, run, &summariser->subjects);
    if (result == 0)
        result = processes_load(&summariser->processes, db, run, summariser->memory);
    if (result == 0)
        result = sources_load(&summariser->sources, db, run, &summariser->subjects,
                              &summariser->processes);
    if (result == 0)
        result = visit_all(summariser, db);
    if (result == 0)
        result = write_drafts(summariser, db, run);
    return result;
}

static void summariser_fini(struct summariser *summariser)
{
    for (uint32_t i = 0; i < summariser->count; i++)
        buffer_fini(&summariser->drafts[i].set);
    free(summariser->drafts);
    map_fini(&summariser->numbers);
    made_fini(&summariser->made);
    sources_fini(&summariser->sources);
    processes_fini(&summariser->processes);
    subjects_fini(&summariser->subjects);
    memory_free(summariser->memory);
}

int analyzer_summarise(sqlite3 *db, int64_t run)
{
    struct summariser summariser = {.memory = memory_new()};
    int result = TALLY_ERR_DATABASE;

    if (database_execute(db, "SAVEPOINT tally_summarise") == 0) {
        result = summarise(&summariser, db, run);
        if (result != 0)
            database_execute(db, "ROLLBACK TO tally_summarise");
        if (database_execute(db, "RELEASE tally_summarise") != 0)
            result = TALLY_ERR_DATABASE;
    }
    summariser_fini(&summariser);
    return result;
}
