/* SPDX-License-Identifier: MIT
 *
 * Fills the columns `verdict` and `rule`. SQLite walks the tables once and asks functions that are
 * registered for the time of the statement; equal questions are put to the judge only once.
 */
#include "analyzer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "database.h"
#include "die.h"
#include "endpoint.h"
#include "group.h"
#include "made.h"
#include "operation.h"
#include "processes.h"
#include "sources.h"
#include "tallyman/record.h"
#include "tallyman/status.h"

_Static_assert(JUDGE_NO_ACTION == MAP_NONE, "a process without action needs no entry in the map");

struct court {
    const struct policy *policy;
    struct memory *memory;
    struct subjects subjects;
    struct processes processes;
    struct made made;
    struct sources sources;
    struct map actions; /* of process.id */
    struct map answers; /* question -> number in `judgements` */
    struct judgement *judgements;
    int64_t first_rule; /* rule.id of the policy's rule 0 */
    uint32_t rule_count;
    int64_t *used; /* by rule */
};

/* The columns of an access that decide, as the registered functions get them. */
struct matter {
    enum event_kind kind;
    uint32_t subject;
    uint32_t action;
    bool absent, made;
    bool no_follow; /* concerns a link itself, or binds a socket */
};

/* Binding to a path makes a file there: who may make it may bind it. */
static struct judgement ask_about_file(const struct court *court, const struct matter *matter,
                                       struct judgement judgement)
{
    struct endpoint endpoint = endpoint_of(court->subjects.rows[matter->subject].name);
    struct question question = {
        .kind = EVENT_MKNOD,
        .subject = endpoint.path.bytes,
        .subject_length = endpoint.path.length,
        .action = matter->action,
    };
    struct judgement file;

    if (endpoint.kind != ENDPOINT_PATH)
        return judgement;
    file = judge(court->policy, &question);
    return file.verdict == VERDICT_DECLARED ? file : judgement;
}

static struct judgement ask(const struct court *court, const struct matter *matter)
{
    const struct subject *subject = &court->subjects.rows[matter->subject];
    struct question question = {
        .kind = matter->kind,
        .subject = subject->name.bytes,
        .subject_length = subject->name.length,
        .action = matter->action,
        .absent = matter->absent,
        .made = matter->made,
    };
    struct judgement judgement;

    if (subject->resolved != MAP_NONE) {
        struct text resolved = court->subjects.rows[subject->resolved].name;

        if (!matter->no_follow || path_same_last_name(subject->name, resolved)) {
            question.resolved = resolved.bytes;
            question.resolved_length = resolved.length;
        }
    }
    judgement = judge(court->policy, &question);
    if (matter->kind == EVENT_BIND && judgement.verdict == VERDICT_UNDECLARED)
        return ask_about_file(court, matter, judgement);
    return judgement;
}

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
        court->judgements[number] = ask(court, matter);
        *slot = number;
    }
    return court->judgements[*slot];
}

/* Arguments: process, operation, subject, outcome, flags, first, source. False: nothing to judge.
 */
static bool read_matter(struct court *court, sqlite3_value **values, struct matter *matter)
{
    int64_t operation = sqlite3_value_int64(values[1]);
    int outcome = sqlite3_value_int(values[3]);

    matter->subject = subjects_find(&court->subjects, sqlite3_value_int64(values[2]));
    if (!operation_is_access(operation) || matter->subject == MAP_NONE)
        return false;
    matter->kind = (enum event_kind)operation;
    matter->action =
        map_get(&court->actions, (struct map_key){0, (uint64_t)sqlite3_value_int64(values[0])});
    matter->absent = outcome == ENOENT || outcome == ENOTDIR;
    matter->no_follow = (sqlite3_value_int(values[4]) & RECORD_NO_FOLLOW) ||
                        matter->kind == EVENT_READLINK || matter->kind == EVENT_BIND;
    matter->made = made_before(&court->made, matter->subject, sqlite3_value_int64(values[5]),
                               matter->no_follow);
    return true;
}

/* A record of the witness that says nothing new? Same arguments. */
static bool is_confirmed(const struct court *court, sqlite3_value **values,
                         const struct matter *matter)
{
    struct witnessed access = {
        .subject = matter->subject,
        .kind = matter->kind,
        .outcome = sqlite3_value_int(values[3]),
    };

    if (sqlite3_value_int(values[6]) == 0)
        return false;
    access.process = processes_find(&court->processes, sqlite3_value_int64(values[0]));
    return sources_confirmed(&court->sources, &access);
}

static void count_use(struct court *court, uint32_t rule)
{
    if (rule < court->rule_count)
        court->used[rule]++;
}

static void give_rule(struct court *court, sqlite3_context *context, uint32_t rule)
{
    if (rule < court->rule_count)
        sqlite3_result_int64(context, court->first_rule + rule);
}

static void access_verdict(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct court *court = sqlite3_user_data(context);
    struct matter matter;
    struct judgement judgement;

    (void)count;
    if (!read_matter(court, values, &matter))
        return;
    if (is_confirmed(court, values, &matter)) {
        sqlite3_result_int(context, VERDICT_CONFIRMED);
        return;
    }
    judgement = answer(court, &matter);
    count_use(court, judgement.rule);
    sqlite3_result_int(context, (int)judgement.verdict);
}

static void access_rule(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct court *court = sqlite3_user_data(context);
    struct matter matter;

    (void)count;
    if (read_matter(court, values, &matter) && !is_confirmed(court, values, &matter))
        give_rule(court, context, answer(court, &matter).rule);
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
    count_use(court, judgement.rule);
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
    cleanup_free uint32_t *actions = xcalloc(count, sizeof *actions);
    cleanup_free uint32_t *stack = xcalloc(count, sizeof *stack);
    cleanup_free char *known = xcalloc(count, 1);

    for (uint32_t i = 0; i < count; i++) {
        const struct analysis_process *process = &court->processes.rows[i];

        if (!known[i])
            action_of(court, i, actions, known, stack);
        if (actions[i] != JUDGE_NO_ACTION)
            *map_slot(&court->actions, (struct map_key){0, (uint64_t)process->id}) = actions[i];
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
    {"tally_access_verdict", 7, access_verdict},
    {"tally_access_rule", 7, access_rule},
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

static int write_verdicts(struct court *court, sqlite3 *db, int64_t run)
{
    int result = register_functions(db, court);

    if (result == 0)
        result = run_statement(
            db,
            "UPDATE access SET verdict = tally_access_verdict(process, operation, subject,"
            " outcome, flags, first, source), rule = tally_access_rule(process, operation,"
            " subject, outcome, flags, first, source)"
            " WHERE process IN (SELECT id FROM process WHERE run = ?1)",
            run);
    if (result == 0)
        result = run_statement(db,
                               "UPDATE environment_variable SET"
                               " verdict = tally_visible_verdict(subject),"
                               " rule = tally_visible_rule(subject) WHERE run = ?1",
                               run);
    register_functions(db, NULL);
    return result;
}

static int hold_court(struct court *court, sqlite3 *db, int64_t run)
{
    int result = subjects_load(&court->subjects, db, court->memory);

    if (result == 0)
        result = made_load(&court->made, db, run, &court->subjects);
    if (result == 0)
        result = processes_load(&court->processes, db, run, court->memory);
    if (result == 0)
        result = sources_load(&court->sources, db, run, &court->subjects, &court->processes);
    if (result == 0)
        find_actions(court);
    if (result == 0)
        result = run_statement(db, "DELETE FROM rule WHERE run = ?1", run);
    if (result == 0)
        result = write_rules(court, db, run);
    if (result == 0)
        result = write_verdicts(court, db, run);
    if (result == 0)
        result = write_uses(court, db);
    return result;
}

int analyzer_judge(sqlite3 *db, int64_t run, const struct policy *policy)
{
    struct court court = {.policy = policy, .rule_count = policy_rule_count(policy)};
    int result;

    if (database_execute(db, "SAVEPOINT tally_judge") != 0)
        return TALLY_ERR_DATABASE;
    court.memory = memory_new();
    court.used = xcalloc(court.rule_count, sizeof *court.used);
    result = hold_court(&court, db, run);
    if (result != 0)
        database_execute(db, "ROLLBACK TO tally_judge");
    if (database_execute(db, "RELEASE tally_judge") != 0)
        result = TALLY_ERR_DATABASE;
    free(court.used);
    free(court.judgements);
    map_fini(&court.actions);
    map_fini(&court.answers);
    made_fini(&court.made);
    sources_fini(&court.sources);
    processes_fini(&court.processes);
    subjects_fini(&court.subjects);
    memory_free(court.memory);
    return result;
}
