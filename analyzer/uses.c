/* SPDX-License-Identifier: MIT */
#include "uses.h"

#include <stdlib.h>

#include "cleanup.h"
#include "database.h"
#include "die.h"
#include "group.h"
#include "operation.h"
#include "summaries.h"
#include "tallyman/status.h"

#define VERDICT_COUNT (VERDICT_WAIVED + 1)

struct collector {
    const struct subjects *subjects;
    const struct processes *processes;
    use_handler handle;
    void *data;
    struct use uses[VERDICT_COUNT]; /* that one summary comes to */
    uint32_t *room;                 /* for the processes of all of them */
};

/* --- accesses ------------------------------------------------------------------------------- */

static bool is_writing(const struct collector *collector, const struct summary *summary)
{
    static const struct text devices = {"/dev", 4};

    return operation_class(summary->kind) == ACCESS_WRITE && summary->outcome == 0 &&
           !path_is_within(collector->subjects->rows[summary->subject].name, devices);
}

static enum verdict known_verdict(int verdict)
{
    return verdict == VERDICT_DECLARED || verdict == VERDICT_WAIVED ? (enum verdict)verdict
                                                                    : VERDICT_UNDECLARED;
}

static void share_out(struct collector *collector, const struct summaries *summaries,
                      struct summary *summary)
{
    bool writing = is_writing(collector, summary);
    struct process_entry entry;

    while (process_set_next(&summary->processes, &entry)) {
        const struct summary_verdict *found = summaries_verdict(summaries, entry.process);
        struct use *use =
            &collector->uses[found ? known_verdict(found->verdict) : VERDICT_UNDECLARED];

        if (!found)
            use->judged = false;
        use->rows = count_sum(use->rows, entry.rows);
        use->count = count_sum(use->count, entry.count);
        use->processes[use->process_count++] = entry.process;
        if (writing)
            collector->processes->rows[entry.process].wrote = true;
    }
}

static void take_summary(struct collector *collector, const struct summaries *summaries,
                         struct summary *summary)
{
    const struct summary_verdict *only = summaries_only_verdict(summaries);

    for (int i = 0; i < VERDICT_COUNT; i++)
        collector->uses[i] = (struct use){
            .subject = summary->subject,
            .kind = summary->kind,
            .outcome = summary->outcome,
            .flags = summary->flags,
            .witness = summary->witness,
            .judged = true,
            .verdict = (enum verdict)i,
            .processes = collector->room + (size_t)i * collector->processes->count,
        };
    /* Most is declared and read, and then nobody asks who did it. */
    if (only && only->verdict == VERDICT_DECLARED && !is_writing(collector, summary))
        collector->uses[VERDICT_DECLARED].rows = summary->rows;
    else
        share_out(collector, summaries, summary);
    for (int i = 0; i < VERDICT_COUNT; i++)
        if (collector->uses[i].rows)
            collector->handle(&collector->uses[i], collector->data);
}

static int collect_accesses(struct collector *collector, sqlite3 *db, int64_t run)
{
    struct summaries summaries;
    struct summary summary;

    if (summaries_open(&summaries, db, run, collector->subjects, collector->processes, true) == 0) {
        collector->room =
            xcalloc((size_t)collector->processes->count * VERDICT_COUNT, sizeof *collector->room);
        while (summaries_next(&summaries, &summary))
            if (!summary.confirmed)
                take_summary(collector, &summaries, &summary);
        free(collector->room);
    }
    return summaries_close(&summaries);
}

/* --- environments --------------------------------------------------------------------------- */

/* A variable of an environment block; those of one block follow each other. */
struct variable {
    int64_t block;
    uint32_t subject;
    enum verdict verdict;
    bool judged;
};

struct variables {
    struct variable *rows;
    uint32_t count;
    struct map blocks; /* -> number of the first */
};

static int load_variables(const struct collector *collector, sqlite3 *db, int64_t run,
                          struct variables *variables)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT block, subject, verdict FROM environment_variable"
                             " WHERE run = ?1 ORDER BY block, subject");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        uint32_t number = variables->count;
        struct variable variable = {
            .block = sqlite3_column_int64(row, 0),
            .subject = subjects_find(collector->subjects, sqlite3_column_int64(row, 1)),
            .judged = sqlite3_column_type(row, 2) != SQLITE_NULL,
        };
        uint32_t *first =
            map_slot(&variables->blocks, (struct map_key){0, (uint64_t)variable.block});

        if (variable.subject == MAP_NONE)
            continue;
        variable.verdict =
            variable.judged ? known_verdict(sqlite3_column_int(row, 2)) : VERDICT_UNDECLARED;
        if ((number & (number - 1)) == 0)
            variables->rows =
                xrealloc(variables->rows, (number ? number * 2ul : 1ul) * sizeof *variables->rows);
        variables->rows[variables->count++] = variable;
        if (*first == MAP_NONE)
            *first = number;
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

/* `processes` were all given the block that begins there. */
static void see_variables(const struct collector *collector, const struct variables *variables,
                          uint32_t first, uint32_t *processes, uint32_t count)
{
    int64_t block = variables->rows[first].block;

    for (uint32_t at = first; at < variables->count && variables->rows[at].block == block; at++) {
        const struct variable *variable = &variables->rows[at];
        struct use use = {
            .subject = variable->subject,
            .kind = EVENT_VISIBLE,
            .judged = variable->judged,
            .verdict = variable->verdict,
            .rows = count,
            .count = count,
            .processes = processes,
            .process_count = count,
        };

        collector->handle(&use, collector->data);
    }
}

/* A process, and where the variables that it was given begin. */
struct given {
    uint32_t first, process;
};

static int compare_given(const void *one, const void *other)
{
    const struct given *a = one;
    const struct given *b = other;

    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->process > b->process) - (a->process < b->process);
}

static uint32_t list_given(const struct processes *processes, const struct variables *variables,
                           struct given *given)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < processes->count; i++) {
        struct map_key key = {0, (uint64_t)processes->rows[i].environment};
        uint32_t first =
            processes->rows[i].has_environment ? map_get(&variables->blocks, key) : MAP_NONE;

        if (first < variables->count)
            given[count++] = (struct given){first, i};
    }
    if (count)
        qsort(given, count, sizeof *given, compare_given);
    return count;
}

static int collect_environments(const struct collector *collector, sqlite3 *db, int64_t run)
{
    struct variables variables = {0};
    cleanup_free struct given *given = xcalloc(collector->processes->count, sizeof *given);
    cleanup_free uint32_t *processes = xcalloc(collector->processes->count, sizeof *processes);
    int result = load_variables(collector, db, run, &variables);
    uint32_t count = result == 0 ? list_given(collector->processes, &variables, given) : 0;

    for (uint32_t i = 0, length; i < count; i += length) {
        for (length = 0; i + length < count && given[i + length].first == given[i].first; length++)
            processes[length] = given[i + length].process;
        see_variables(collector, &variables, given[i].first, processes, length);
    }
    free(variables.rows);
    map_fini(&variables.blocks);
    return result;
}

int uses_each(sqlite3 *db, int64_t run, const struct subjects *subjects,
              const struct processes *processes, use_handler handle, void *data)
{
    struct collector collector = {
        .subjects = subjects,
        .processes = processes,
        .handle = handle,
        .data = data,
    };
    int result = collect_accesses(&collector, db, run);

    return result ? result : collect_environments(&collector, db, run);
}
