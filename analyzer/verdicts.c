/* SPDX-License-Identifier: MIT
 *
 * Fills `judgement`, a row for every summary and each action of its processes, and the columns
 * `verdict` and `rule` of the variables; equal questions are put to the judge only once.
 */
#include "analyzer.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "database.h"
#include "die.h"
#include "matter.h"
#include "processes.h"
#include "sources.h"
#include "summaries.h"
#include "tallyman/status.h"

struct court {
    const struct policy *policy;
    struct memory *memory;
    struct subjects subjects;
    struct processes processes;
    uint32_t *actions;  /* by process */
    bool has_actions;   /* one of them is none of JUDGE_NO_ACTION */
    struct map answers; /* question -> number in `judgements` */
    struct judgement *judgements;
    int64_t first_rule; /* rule.id of the policy's rule 0 */
    uint32_t rule_count;
    int64_t *used; /* by rule */
};

static struct judgement answer(struct court *court, const struct matter *matter)
{
    struct map_key key = {(uint64_t)matter->subject << 32 | matter->action,
                          (uint64_t)matter->kind << 3 | matter->no_follow << 2 |
                              matter->absent << 1 | matter->made};
    uint32_t *slot = map_slot(&court->answers, key);

    if (*slot == MAP_NONE) {
        uint32_t number = (uint32_t)court->answers.count - 1;

        if ((number & (number - 1)) == 0)
            court->judgements = xrealloc(court->judgements,
                                         (number ? number * 2ul : 1ul) * sizeof *court->judgements);
        court->judgements[number] = matter_judge(matter, court->policy, &court->subjects);
        *slot = number;
    }
    return court->judgements[*slot];
}

static void count_use(struct court *court, uint32_t rule, int64_t rows)
{
    if (rule < court->rule_count)
        court->used[rule] = count_sum(court->used[rule], rows);
}

static void give_rule(struct court *court, sqlite3_context *context, uint32_t rule)
{
    if (rule < court->rule_count)
        sqlite3_result_int64(context, court->first_rule + rule);
}

/* Several processes share a block, and actions say nothing about the environment. */
static bool visible_answer(struct court *court, sqlite3_value *value, struct judgement *judgement)
{
    struct matter matter = {
        .kind = EVENT_VISIBLE,
        .subject = subjects_find(&court->subjects, sqlite3_value_int64(value)),
        .action = JUDGE_NO_ACTION,
    };

    if (matter.subject == MAP_NONE)
        return false;
    *judgement = answer(court, &matter);
    return true;
}

static void visible_verdict(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct court *court = sqlite3_user_data(context);
    struct judgement judgement;

    (void)count;
    if (!visible_answer(court, values[0], &judgement))
        return;
    count_use(court, judgement.rule, 1);
    sqlite3_result_int(context, (int)judgement.verdict);
}

static void visible_rule(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct court *court = sqlite3_user_data(context);
    struct judgement judgement;

    (void)count;
    if (visible_answer(court, values[0], &judgement))
        give_rule(court, context, judgement.rule);
}

/* The action of a process depends on its parent's, so the walk goes up first and then down again.
 */
static uint32_t action_of(const struct court *court, uint32_t number, uint32_t *actions,
                          char *known, uint32_t *stack)
{
    const struct processes *processes = &court->processes;
    uint32_t depth = 0;
    uint32_t action = JUDGE_NO_ACTION;

    for (; number != ANALYSIS_NONE && !known[number]; number = processes->rows[number].parent)
        stack[depth++] = number;
    if (number != ANALYSIS_NONE)
        action = actions[number];
    while (depth > 0) {
        const struct analysis_process *process = &processes->rows[stack[--depth]];

        action = policy_action_of(
            court->policy, process->exe.bytes ? process->exe.bytes : "", process->exe.length,
            process->argv.bytes ? process->argv.bytes : "", process->argv.length, action);
        actions[stack[depth]] = action;
        known[stack[depth]] = 1;
    }
    return action;
}

static void find_actions(struct court *court)
{
    uint32_t count = court->processes.count;
    cleanup_free uint32_t *stack = xcalloc(count, sizeof *stack);
    cleanup_free char *known = xcalloc(count, 1);

    court->actions = xcalloc(count, sizeof *court->actions);
    for (uint32_t i = 0; i < count; i++) {
        if (!known[i])
            action_of(court, i, court->actions, known, stack);
        if (court->actions[i] != JUDGE_NO_ACTION)
            court->has_actions = true;
    }
}

static int run_statement(sqlite3 *db, const char *sql, int64_t run)
{
    cleanup_statement sqlite3_stmt *statement = database_prepare(db, sql);

    if (!statement)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(statement, 1, run);
    return sqlite3_step(statement) == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

static int write_rules(struct court *court, sqlite3 *db, int64_t run)
{
    cleanup_statement sqlite3_stmt *next =
        database_prepare(db, "SELECT coalesce(max(id), 0) + 1 FROM rule");
    cleanup_statement sqlite3_stmt *insert = database_prepare(
        db, "INSERT INTO rule (id, run, number, text, line, waiver) VALUES (?, ?, ?, ?, ?, ?)");

    if (!next || !insert || sqlite3_step(next) != SQLITE_ROW)
        return TALLY_ERR_DATABASE;
    court->first_rule = sqlite3_column_int64(next, 0);
    sqlite3_reset(next);
    for (uint32_t i = 0; i < court->rule_count; i++) {
        sqlite3_bind_int64(insert, 1, court->first_rule + i);
        sqlite3_bind_int64(insert, 2, run);
        sqlite3_bind_int64(insert, 3, i);
        sqlite3_bind_text(insert, 4, policy_rule_text(court->policy, i), -1, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 5, policy_rule_line(court->policy, i));
        sqlite3_bind_int(insert, 6, policy_rule_is_waiver(court->policy, i));
        if (sqlite3_step(insert) != SQLITE_DONE)
            return TALLY_ERR_DATABASE;
        sqlite3_reset(insert);
    }
    return 0;
}

static int write_uses(const struct court *court, sqlite3 *db)
{
    cleanup_statement sqlite3_stmt *update =
        database_prepare(db, "UPDATE rule SET used = ? WHERE id = ?");

    if (!update)
        return TALLY_ERR_DATABASE;
    for (uint32_t i = 0; i < court->rule_count; i++) {
        if (!court->used[i])
            continue;
        sqlite3_bind_int64(update, 1, court->used[i]);
        sqlite3_bind_int64(update, 2, court->first_rule + i);
        if (sqlite3_step(update) != SQLITE_DONE)
            return TALLY_ERR_DATABASE;
        sqlite3_reset(update);
    }
    return 0;
}

typedef void (*sql_function)(sqlite3_context *, int, sqlite3_value **);

static const struct {
    const char *name;
    int arguments;
    sql_function function;
} functions[] = {
    {"tally_visible_verdict", 1, visible_verdict},
    {"tally_visible_rule", 1, visible_rule},
};

/* With `court` NULL they are taken away again. */
static int register_functions(sqlite3 *db, struct court *court)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (sqlite3_create_function(db, functions[i].name, functions[i].arguments,
                                    SQLITE_UTF8 | SQLITE_DIRECTONLY, court,
                                    court ? functions[i].function : NULL, NULL, NULL) != SQLITE_OK)
            return TALLY_ERR_DATABASE;
    return 0;
}

static int write_visible(struct court *court, sqlite3 *db, int64_t run)
{
    int result = register_functions(db, court);

    if (result == 0)
        result = run_statement(db,
                               "UPDATE environment_variable SET"
                               " verdict = tally_visible_verdict(subject),"
                               " rule = tally_visible_rule(subject) WHERE run = ?1",
                               run);
    register_functions(db, NULL);
    return result;
}

static int write_actions(const struct court *court, sqlite3 *db)
{
    cleanup_statement sqlite3_stmt *insert =
        database_prepare(db, "INSERT INTO process_action (process, action) VALUES (?1, ?2)");

    if (!insert)
        return TALLY_ERR_DATABASE;
    for (uint32_t i = 0; i < court->processes.count; i++) {
        if (court->actions[i] == JUDGE_NO_ACTION)
            continue;
        sqlite3_bind_int64(insert, 1, court->processes.rows[i].id);
        sqlite3_bind_int64(insert, 2, court->actions[i]);
        if (sqlite3_step(insert) != SQLITE_DONE)
            return TALLY_ERR_DATABASE;
        sqlite3_reset(insert);
    }
    return 0;
}

/* Accesses of a summary whose processes have one action. */
struct share {
    uint32_t action;
    int64_t rows;
};

struct shares {
    struct share *list;
    size_t count, room, last;
};

static void add_share(struct shares *shares, uint32_t action, int64_t rows)
{
    for (size_t i = 0; i <= shares->count; i++) {
        /* Neighbours tend to be of one action. */
        size_t at = (shares->last + i) % (shares->count + 1);

        if (at < shares->count && shares->list[at].action == action) {
            shares->list[at].rows = count_sum(shares->list[at].rows, rows);
            shares->last = at;
            return;
        }
    }
    if (shares->count == shares->room) {
        shares->room = shares->room ? shares->room * 2 : 8;
        shares->list = xrealloc(shares->list, shares->room * sizeof *shares->list);
    }
    shares->last = shares->count;
    shares->list[shares->count++] = (struct share){action, rows};
}

static void share_out(const struct court *court, struct summary *summary, struct shares *shares)
{
    struct process_entry entry;

    shares->count = shares->last = 0;
    if (!court->has_actions)
        add_share(shares, JUDGE_NO_ACTION, summary->rows);
    else
        while (process_set_next(&summary->processes, &entry))
            add_share(shares, court->actions[entry.process], entry.rows);
}

static int write_judgement(struct court *court, sqlite3_stmt *insert, const struct summary *summary,
                           const struct share *share)
{
    struct matter matter = matter_of_summary(summary, share->action);
    struct judgement judgement = {.rule = JUDGE_NO_RULE};
    int code;

    if (!summary->confirmed)
        judgement = answer(court, &matter);
    count_use(court, judgement.rule, share->rows);
    sqlite3_bind_int64(insert, 1, summary->id);
    sqlite3_bind_int64(insert, 2, share->action == JUDGE_NO_ACTION ? -1 : (int64_t)share->action);
    sqlite3_bind_int(insert, 3, summary->confirmed ? VERDICT_CONFIRMED : (int)judgement.verdict);
    if (judgement.rule < court->rule_count)
        sqlite3_bind_int64(insert, 4, court->first_rule + judgement.rule);
    else
        sqlite3_bind_null(insert, 4);
    code = sqlite3_step(insert);
    sqlite3_reset(insert);
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

static int write_judgements(struct court *court, sqlite3 *db, int64_t run)
{
    cleanup_statement sqlite3_stmt *insert = database_prepare(
        db, "INSERT INTO judgement (summary, action, verdict, rule) VALUES (?1, ?2, ?3, ?4)");
    struct summaries summaries;
    struct summary summary;
    struct shares shares = {0};
    int result = summaries_open(&summaries, db, run, &court->subjects, &court->processes, false);
    int closed;

    if (!insert)
        result = TALLY_ERR_DATABASE;
    while (result == 0 && summaries_next(&summaries, &summary)) {
        share_out(court, &summary, &shares);
        for (size_t i = 0; i < shares.count && result == 0; i++)
            result = write_judgement(court, insert, &summary, &shares.list[i]);
    }
    closed = summaries_close(&summaries);
    free(shares.list);
    return result ? result : closed;
}

static int forget(sqlite3 *db, int64_t run)
{
    static const char *const statements[] = {
        "DELETE FROM rule WHERE run = ?1",
        "DELETE FROM judgement WHERE summary IN (SELECT id FROM access_summary WHERE run = ?1)",
        "DELETE FROM process_action WHERE process IN (SELECT id FROM process WHERE run = ?1)",
    };
    int result = 0;

    for (size_t i = 0; i < sizeof statements / sizeof *statements && result == 0; i++)
        result = run_statement(db, statements[i], run);
    return result;
}

static int hold_court(struct court *court, sqlite3 *db, int64_t run)
{
    int result = subjects_load(&court->subjects, db, court->memory);

    if (result == 0)
        result = processes_load(&court->processes, db, run, court->memory);
    if (result == 0)
        result = forget(db, run);
    if (result == 0) {
        find_actions(court);
        result = write_actions(court, db);
    }
    if (result == 0)
        result = write_rules(court, db, run);
    if (result == 0)
        result = write_judgements(court, db, run);
    if (result == 0)
        result = write_visible(court, db, run);
    if (result == 0)
        result = write_uses(court, db);
    return result;
}

/* What is judged is the summaries: makes them where the run has none. */
static int need_summaries(sqlite3 *db, int64_t run)
{
    int exist = summaries_exist(db, run);

    return exist == 0 ? analyzer_summarise(db, run) : exist < 0 ? exist : 0;
}

int analyzer_judge(sqlite3 *db, int64_t run, const struct policy *policy)
{
    struct court court = {.policy = policy, .rule_count = policy_rule_count(policy)};
    int result;

    if (database_execute(db, "SAVEPOINT tally_judge") != 0)
        return TALLY_ERR_DATABASE;
    court.memory = memory_new();
    court.used = xcalloc(court.rule_count, sizeof *court.used);
    result = need_summaries(db, run);
    if (result == 0)
        result = hold_court(&court, db, run);
    if (result != 0)
        database_execute(db, "ROLLBACK TO tally_judge");
    if (database_execute(db, "RELEASE tally_judge") != 0)
        result = TALLY_ERR_DATABASE;
    free(court.used);
    free(court.judgements);
    free(court.actions);
    map_fini(&court.answers);
    processes_fini(&court.processes);
    subjects_fini(&court.subjects);
    memory_free(court.memory);
    return result;
}
