/* SPDX-License-Identifier: MIT */
#include "changed_inputs.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "category.h"
#include "changed_findings.h"
#include "cleanup.h"
#include "database.h"
#include "made.h"
#include "summaries.h"
#include "tallyman/record.h"
#include "tallyman/status.h"

static const char *const deciders[] = {
#define DECIDER(program) program,
#define COMPARER(program)
#include "deciders.def"
#undef DECIDER
#undef COMPARER
    NULL};

static const char *const comparers[] = {
#define DECIDER(program)
#define COMPARER(program) program,
#include "deciders.def"
#undef DECIDER
#undef COMPARER
    NULL};

static const char *const tool_states[] = {
#define TOOL_STATE(pattern) pattern,
#define DEPENDENCIES(pattern)
#include "tool_state.def"
#undef TOOL_STATE
#undef DEPENDENCIES
    NULL};

static const char *const dependencies[] = {
#define TOOL_STATE(pattern)
#define DEPENDENCIES(pattern) pattern,
#include "tool_state.def"
#undef TOOL_STATE
#undef DEPENDENCIES
    NULL};

/* One use of a file. Numbers are those of `processes`. */
struct use {
    uint32_t process;
    int64_t first;
    bool sure;   /* a write that leaves other content, whatever the file is like in the end */
    bool output; /* a write that the manifest allows */
};

struct uses {
    struct use *rows;
    size_t count;
};

/* A file that the run wrote. */
struct written {
    uint32_t subject; /* that its names resolve to */
    struct uses writes;
    bool fresh; /* it was not there before */
};

struct inquest {
    struct analysis *analysis;
    sqlite3 *db;
    const struct subjects *subjects;
    const struct processes *processes;
    const struct artifacts *artifacts;
    struct made made;
    int64_t monotonic;    /* at the run's start */
    uint32_t *first_name; /* by subject: one that resolves to it; MAP_NONE */
    uint32_t *next_name;  /* by such a name: the next one */
    struct map numbers;   /* of subjects -> written */
    struct written *written;
    size_t written_count;
    struct map own_rules; /* rule.id: of the manifest itself */
    sqlite3_stmt *readers, *touched;
    struct changed_findings findings;
};

static uint32_t target_of(const struct subjects *subjects, uint32_t subject)
{
    uint32_t resolved = subjects->rows[subject].resolved;

    return resolved == MAP_NONE ? subject : resolved;
}

static void add_use(struct uses *uses, struct use use)
{
    if ((uses->count & (uses->count - 1)) == 0)
        uses->rows = xrealloc(uses->rows, (uses->count ? 2 * uses->count : 1) * sizeof *uses->rows);
    uses->rows[uses->count++] = use;
}

/* --- what the run wrote ------------------------------------------------------------------------
 */

static struct written *written_for(struct inquest *inquest, uint32_t subject)
{
    uint32_t *slot = map_slot(&inquest->numbers, (struct map_key){0, subject});

    if (*slot == MAP_NONE) {
        size_t number = inquest->written_count++;

        if ((number & (number - 1)) == 0)
            inquest->written =
                xrealloc(inquest->written, (number ? 2 * number : 1) * sizeof *inquest->written);
        inquest->written[number] = (struct written){.subject = subject};
        *slot = (uint32_t)number;
    }
    return &inquest->written[*slot];
}

/* Did the run leave other content under a name? */
static bool is_write(const struct summary *summary)
{
    switch (summary->kind) {
    case EVENT_WRITE:
        return summary->outcome == 0 && (!(summary->flags & (RECORD_UNNAMED | RECORD_APPEND)) ||
                                         (summary->flags & RECORD_TRUNCATE));
    case EVENT_RENAME_TO:
    case EVENT_LINK_TO:
    case EVENT_TRUNCATE:
        return summary->outcome == 0;
    default:
        return false;
    }
}

/* Does a rule of the manifest itself allow it? */
static bool is_allowed(const struct inquest *inquest, const struct summary_verdict *verdict)
{
    return verdict && verdict->verdict == VERDICT_DECLARED && verdict->rule &&
           map_get(&inquest->own_rules, (struct map_key){0, (uint64_t)verdict->rule}) != MAP_NONE;
}

static void take_writes(struct inquest *inquest, const struct summaries *summaries,
                        struct summary *summary)
{
    uint32_t subject = summary->subject;
    struct process_entry entry;
    struct written *written;

    /* A new name is itself what was made, whatever it leads to. */
    if (summary->kind == EVENT_WRITE || summary->kind == EVENT_TRUNCATE)
        subject = target_of(inquest->subjects, subject);
    written = written_for(inquest, subject);
    /* Whether there was something to empty is not known. */
    if (summary->kind == EVENT_WRITE &&
        (summary->flags & (RECORD_CREATE | RECORD_EXISTED | RECORD_TRUNCATE)) == RECORD_CREATE &&
        summary->first <= inquest->made.target[subject])
        written->fresh = true;
    while (process_set_next(&summary->processes, &entry)) {
        struct use use = {
            .process = entry.process,
            .first = entry.first,
            .sure = summary->kind != EVENT_WRITE || (summary->flags & RECORD_TRUNCATE),
            .output = is_allowed(inquest, summaries_verdict(summaries, entry.process)),
        };

        add_use(&written->writes, use);
    }
}

static int load_own_rules(struct inquest *inquest)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(inquest->db, "SELECT id FROM rule WHERE run = ?1 AND line > 0");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, inquest->analysis->run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW)
        *map_slot(&inquest->own_rules,
                  (struct map_key){0, (uint64_t)sqlite3_column_int64(row, 0)}) = 1;
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

static int compare_uses(const void *one, const void *other)
{
    const struct use *a = one;
    const struct use *b = other;

    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static int load_writes(struct inquest *inquest)
{
    struct summaries summaries;
    struct summary summary;
    int result = load_own_rules(inquest);
    int closed;

    if (summaries_open(&summaries, inquest->db, inquest->analysis->run, inquest->subjects,
                       inquest->processes, true) == 0)
        while (summaries_next(&summaries, &summary))
            if (is_write(&summary))
                take_writes(inquest, &summaries, &summary);
    closed = summaries_close(&summaries);
    for (size_t i = 0; i < inquest->written_count; i++) {
        struct uses *writes = &inquest->written[i].writes;

        if (writes->count)
            qsort(writes->rows, writes->count, sizeof *writes->rows, compare_uses);
    }
    return result ? result : closed;
}

/* --- who read what was there before ------------------------------------------------------------
 */

/* All reads of the file under any of its names. */
static bool load_reads(struct inquest *inquest, uint32_t subject, struct uses *reads)
{
    uint32_t name = subject;
    int code = SQLITE_DONE;

    for (; name != MAP_NONE && code == SQLITE_DONE;
         name = name == subject ? inquest->first_name[subject] : inquest->next_name[name]) {
        sqlite3_bind_int64(inquest->readers, 1, inquest->subjects->rows[name].id);
        while ((code = sqlite3_step(inquest->readers)) == SQLITE_ROW) {
            struct use use = {
                .process =
                    processes_find(inquest->processes, sqlite3_column_int64(inquest->readers, 0)),
                .first = sqlite3_column_int64(inquest->readers, 1),
            };

            if (use.process != MAP_NONE)
                add_use(reads, use);
        }
        sqlite3_reset(inquest->readers);
    }
    return code == SQLITE_DONE;
}

/* A child that has not become another program is its parent still. */
static uint32_t image_of(const struct inquest *inquest, uint32_t process)
{
    const struct analysis_process *rows = inquest->processes->rows;

    while (strcmp(rows[process].how, "fork") == 0 && rows[process].parent != ANALYSIS_NONE)
        process = rows[process].parent;
    return process;
}

static int64_t unix_time(const struct inquest *inquest, int64_t monotonic)
{
    return inquest->analysis->started + (monotonic - inquest->monotonic);
}

/* The write that the reader missed, when it was another program's; NULL: there is none. Only the
 * first one counts: from then on the file is the build's own. */
static const struct use *missed_by(const struct inquest *inquest, const struct written *written,
                                   const struct use *read)
{
    const struct artifact *artifact =
        artifacts_find(inquest->artifacts, inquest->subjects, written->subject);
    bool changed = artifact && artifact->modified > unix_time(inquest, read->first);
    const struct use *first = NULL;

    if (made_before(&inquest->made, written->subject, read->first, false))
        return NULL;
    for (size_t i = 0; i < written->writes.count; i++) {
        const struct use *write = &written->writes.rows[i];

        if (write->first > read->first && (write->sure || changed) &&
            (!first || write->first < first->first))
            first = write;
    }
    return first && image_of(inquest, first->process) != image_of(inquest, read->process) ? first
                                                                                          : NULL;
}

/* make starts itself again when it has made its Makefile anew. */
static bool is_read_again(const struct inquest *inquest, const struct uses *reads,
                          const struct use *read, const struct use *write)
{
    for (size_t i = 0; i < reads->count; i++) {
        const struct analysis_process *process = &inquest->processes->rows[reads->rows[i].process];

        if (reads->rows[i].first > write->first && process->parent == read->process &&
            strcmp(process->how, "exec") == 0)
            return true;
    }
    return false;
}

static bool matches(const char *const *patterns, struct text text)
{
    cleanup_free char *name = xmemdup(text.bytes, text.length);

    while (*patterns && fnmatch(*patterns, name, 0) != 0)
        patterns++;
    return *patterns;
}

static bool is_program(const struct inquest *inquest, uint32_t process, const char *const *programs)
{
    return matches(programs, analysis_program(&inquest->analysis->processes[process]));
}

/* Caches, a tool's own notes and what the kernel makes up change under everybody's eyes. */
static bool is_restless(const struct inquest *inquest, struct text path)
{
    struct use_of_file use = {path, {"", 0}, EVENT_READ, FINDING_READ};

    switch (category_of_file(&inquest->findings.places, &use)) {
    case CATEGORY_PACKAGE_CACHE:
    case CATEGORY_PROC_SYS:
    case CATEGORY_DEVICE:
    case CATEGORY_RANDOM_DEVICE:
        return true;
    default:
        return matches(tool_states, path);
    }
}

/* Reads that came before a write by another program. */
static void judge_written(struct inquest *inquest, const struct written *written,
                          const struct uses *reads)
{
    cleanup_free struct changed_pair *pairs = xcalloc(reads->count, sizeof *pairs);
    enum change change = CHANGE_DECIDED;
    bool output = true;
    size_t count = 0;

    for (size_t i = 0; i < reads->count; i++) {
        const struct use *read = &reads->rows[i];
        const struct use *write = missed_by(inquest, written, read);
        bool used;

        if (!write || is_program(inquest, read->process, comparers))
            continue;
        used = !is_program(inquest, read->process, deciders) &&
               !is_read_again(inquest, reads, read, write);
        if (used && change == CHANGE_DECIDED) {
            /* Those who made something of it are the ones to be told. */
            change = CHANGE_USED;
            count = 0;
        }
        if (used != (change == CHANGE_USED))
            continue;
        output = output && write->output;
        pairs[count++] = (struct changed_pair){read->process, write->process};
    }
    /* The last build's outputs are looked at by the next one before it makes them anew. */
    output = output || matches(dependencies, inquest->subjects->rows[written->subject].name);
    if (count && !(change == CHANGE_DECIDED && output))
        changed_findings_add(&inquest->findings, change, written->subject, pairs, count);
}

static int judge_all_written(struct inquest *inquest)
{
    for (size_t i = 0; i < inquest->written_count; i++) {
        const struct written *written = &inquest->written[i];
        struct text path = inquest->subjects->rows[written->subject].name;
        struct uses reads = {0};
        bool loaded;

        if (written->fresh || written->writes.count == 0 || path.length == 0 ||
            path.bytes[0] != '/' || is_restless(inquest, path))
            continue;
        loaded = load_reads(inquest, written->subject, &reads);
        if (loaded)
            judge_written(inquest, written, &reads);
        free(reads.rows);
        if (!loaded)
            return TALLY_ERR_DATABASE;
    }
    return 0;
}

/* --- what somebody else changed ----------------------------------------------------------------
 */

/* 1 when the run did anything to the file that a change of it can come from, 0 when not. */
static int is_touched(struct inquest *inquest, uint32_t subject)
{
    uint32_t name = subject;
    int code = SQLITE_DONE;

    if (inquest->made.target[subject] != INT64_MAX || inquest->made.link[subject] != INT64_MAX)
        return 1;
    for (; name != MAP_NONE && code == SQLITE_DONE;
         name = name == subject ? inquest->first_name[subject] : inquest->next_name[name]) {
        sqlite3_bind_int64(inquest->touched, 1, inquest->subjects->rows[name].id);
        while ((code = sqlite3_step(inquest->touched)) == SQLITE_ROW)
            if (processes_find(inquest->processes, sqlite3_column_int64(inquest->touched, 0)) !=
                MAP_NONE)
                break;
        sqlite3_reset(inquest->touched);
    }
    return code == SQLITE_DONE ? 0 : code == SQLITE_ROW ? 1 : TALLY_ERR_DATABASE;
}

static int judge_outside(struct inquest *inquest, uint32_t subject, const struct artifact *artifact)
{
    const struct use *reader = NULL;
    struct uses reads = {0};
    int result = is_touched(inquest, subject);

    if (result)
        return result < 0 ? result : 0;
    if (!load_reads(inquest, subject, &reads))
        result = TALLY_ERR_DATABASE;
    for (size_t i = 0; result == 0 && i < reads.count; i++)
        if (!reader || reads.rows[i].first < reader->first)
            reader = &reads.rows[i];
    if (reader && artifact->changed > unix_time(inquest, reader->first)) {
        struct changed_pair pair = {reader->process, ANALYSIS_NONE};

        changed_findings_add(&inquest->findings, CHANGE_OUTSIDE, subject, &pair, 1);
    }
    free(reads.rows);
    return result;
}

/* A run that was recovered ended nobody knows when. */
static int judge_all_outside(struct inquest *inquest)
{
    int64_t started = inquest->analysis->started;
    int result = 0;

    if (inquest->analysis->exit_status < 0)
        return 0;
    for (uint32_t i = 0; result == 0 && i < inquest->artifacts->count; i++) {
        const struct artifact *artifact = &inquest->artifacts->rows[i];

        /* Times of the content can be set at will, the others say too much: a new mode, a link. */
        if (artifact->changed > started &&
            (artifact->modified > started || artifact->born > started) &&
            !is_restless(inquest, inquest->subjects->rows[artifact->subject].name))
            result = judge_outside(inquest, artifact->subject, artifact);
    }
    return result;
}

/* -----------------------------------------------------------------------------------------------
 */

static void list_names(struct inquest *inquest)
{
    const struct subjects *subjects = inquest->subjects;

    inquest->first_name = xmalloc(subjects->count * sizeof *inquest->first_name);
    inquest->next_name = xmalloc(subjects->count * sizeof *inquest->next_name);
    for (uint32_t i = 0; i < subjects->count; i++)
        inquest->first_name[i] = inquest->next_name[i] = MAP_NONE;
    for (uint32_t i = 0; i < subjects->count; i++) {
        uint32_t target = subjects->rows[i].resolved;

        if (target == MAP_NONE)
            continue;
        inquest->next_name[i] = inquest->first_name[target];
        inquest->first_name[target] = i;
    }
}

static int prepare(struct inquest *inquest)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(inquest->db, "SELECT monotonic FROM run WHERE id = ?1");

    inquest->readers = database_prepare(
        inquest->db,
        "SELECT process, first FROM access WHERE subject = ?1 AND operation IN (?2, ?3, ?4)"
        " AND outcome = 0");
    inquest->touched = database_prepare(
        inquest->db, "SELECT a.process FROM access a JOIN operation o ON o.id = a.operation"
                     " WHERE a.subject = ?1 AND a.outcome = 0 AND (o.class = ?2 OR o.id = ?3)");
    if (!row || !inquest->readers || !inquest->touched)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, inquest->analysis->run);
    if (sqlite3_step(row) != SQLITE_ROW)
        return TALLY_ERR_DATABASE;
    inquest->monotonic = sqlite3_column_int64(row, 0);
    sqlite3_bind_int(inquest->readers, 2, EVENT_READ);
    sqlite3_bind_int(inquest->readers, 3, EVENT_EXECUTE);
    sqlite3_bind_int(inquest->readers, 4, EVENT_LOAD);
    sqlite3_bind_int(inquest->touched, 2, ACCESS_WRITE);
    sqlite3_bind_int(inquest->touched, 3, EVENT_LINK);
    return 0;
}

static void inquest_fini(struct inquest *inquest)
{
    for (size_t i = 0; i < inquest->written_count; i++)
        free(inquest->written[i].writes.rows);
    free(inquest->written);
    free(inquest->first_name);
    free(inquest->next_name);
    changed_findings_fini(&inquest->findings);
    map_fini(&inquest->numbers);
    map_fini(&inquest->own_rules);
    made_fini(&inquest->made);
    sqlite3_finalize(inquest->readers);
    sqlite3_finalize(inquest->touched);
}

int changed_inputs_add(struct analysis *analysis, sqlite3 *db, const struct subjects *subjects,
                       const struct processes *processes, const struct artifacts *artifacts)
{
    struct inquest inquest = {
        .analysis = analysis,
        .db = db,
        .subjects = subjects,
        .processes = processes,
        .artifacts = artifacts,
        .findings = changed_findings_new(analysis, subjects),
    };
    int result = prepare(&inquest);

    list_names(&inquest);
    if (result == 0)
        result = made_load(&inquest.made, db, analysis->run, subjects);
    if (result == 0)
        result = load_writes(&inquest);
    if (result == 0)
        result = judge_all_written(&inquest);
    if (result == 0)
        result = judge_all_outside(&inquest);
    changed_findings_finish(&inquest.findings);
    inquest_fini(&inquest);
    return result;
}
