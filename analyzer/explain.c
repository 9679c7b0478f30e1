/* SPDX-License-Identifier: MIT
 *
 * From the rows of a few subjects to parts. A part is what a finding would be if these subjects
 * were all that the run used, so that words and lines are made by the same code.
 */
#include "explain.h"

#include <stdlib.h>
#include <string.h>

#include "access_rows.h"
#include "category.h"
#include "cleanup.h"
#include "database.h"
#include "endpoint.h"
#include "explain_find.h"
#include "explain_parts.h"
#include "explain_told.h"
#include "explain_writes.h"
#include "memory.h"
#include "remedy.h"
#include "subjects.h"
#include "tallyman/status.h"

/* More processes than these are counted and not loaded. */
#define LOADED_MOST 500
/* Rows of one subject that are read; what further processes did is added up. */
#define READ_MOST 2000

/* Of the file that a name leads to. A database of an earlier tallyman has no digests. */
static struct text digest_of(const struct parts *parts, sqlite3_stmt *row, int64_t file)
{
    struct text digest = {NULL, 0};

    if (!row)
        return digest;
    sqlite3_bind_int64(row, 1, parts->analysis->run);
    sqlite3_bind_int64(row, 2, file);
    if (sqlite3_step(row) == SQLITE_ROW)
        digest = text_of_column(parts->analysis->memory, row, 0);
    sqlite3_reset(row);
    return digest;
}

static int load_subject(struct parts *parts, sqlite3_stmt *row, sqlite3_stmt *digest, int64_t id)
{
    struct memory *memory = parts->analysis->memory;
    struct part_subject *subject = &parts->subjects[parts->subject_count];
    int code;

    sqlite3_bind_int64(row, 1, id);
    code = sqlite3_step(row);
    if (code == SQLITE_ROW) {
        *subject = (struct part_subject){
            .id = id,
            .name = text_of_column(memory, row, 0),
            .package = text_of_column(memory, row, 1),
            .resolved = text_of_column(memory, row, 2),
            .digest = digest_of(parts, digest, sqlite3_column_int64(row, 3)),
        };
        parts->subject_count++;
    }
    sqlite3_reset(row);
    return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

static int load_subjects(struct parts *parts, sqlite3 *db, const struct finding_subjects *found)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT s.name, s.package, r.name, coalesce(s.resolved, s.id)"
                             " FROM subject s LEFT JOIN subject r ON r.id = s.resolved"
                             " AND r.id <> s.id WHERE s.id = ?1");
    cleanup_statement sqlite3_stmt *digest =
        database_prepare(db, "SELECT digest FROM artifact WHERE run = ?1 AND subject = ?2");
    int result = row ? 0 : TALLY_ERR_DATABASE;

    parts->subjects = xcalloc(found->count, sizeof *parts->subjects);
    for (size_t i = 0; i < found->count && result == 0; i++)
        result = load_subject(parts, row, digest, found->ids[i]);
    return result;
}

static void take_row(const struct access_row_of *row, void *data)
{
    parts_add(data, row);
}

static int load_rows(struct parts *parts, sqlite3 *db)
{
    int result = 0;

    for (uint32_t i = 0; i < parts->subject_count && result == 0; i++) {
        parts->subject = i;
        result =
            access_rows_of_subject(db, parts->analysis->run, parts->subjects[i].id,
                                   parts->most == SIZE_MAX ? SIZE_MAX : READ_MOST, take_row, parts);
    }
    if (result == 0)
        parts_settle(parts);
    return result;
}

static int load_rules(struct parts *parts, sqlite3 *db)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT text, line FROM rule WHERE id = ?1");

    if (!row)
        return TALLY_ERR_DATABASE;
    for (size_t i = 0; i < parts->count; i++) {
        struct explanation_part *part = &parts->drafts[i].part;

        sqlite3_bind_int64(row, 1, parts->drafts[i].rule);
        if (parts->drafts[i].rule && sqlite3_step(row) == SQLITE_ROW) {
            part->rule = text_of_column(parts->analysis->memory, row, 0);
            part->rule_line = sqlite3_column_int64(row, 1);
        }
        sqlite3_reset(row);
    }
    return 0;
}

/* Those that are shown, and enough of the others to name their programs. */
static int load_processes(struct parts *parts, struct processes *processes, sqlite3 *db)
{
    cleanup_free int64_t *ids = NULL;
    size_t count = 0;
    int result;

    for (size_t i = 0; i < parts->count; i++) {
        const struct part_draft *draft = &parts->drafts[i];
        size_t some = draft->user_count < LOADED_MOST ? draft->user_count : LOADED_MOST;

        if (some < parts->most)
            some = draft->user_count < parts->most ? draft->user_count : parts->most;
        ids = xrealloc(ids, (count + some + 1) * sizeof *ids);
        for (size_t j = 0; j < some && draft->users[j].process > 0; j++)
            ids[count++] = draft->users[j].process;
    }
    result = processes_load_chains(processes, db, parts->analysis->run, ids, count,
                                   parts->analysis->memory);
    parts->analysis->processes = processes->rows;
    parts->analysis->process_count = processes->count;
    return result;
}

static int load_start(struct parts *parts, sqlite3 *db)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT monotonic FROM run WHERE id = ?1");

    if (!row || sqlite3_bind_int64(row, 1, parts->analysis->run) != SQLITE_OK ||
        sqlite3_step(row) != SQLITE_ROW)
        return TALLY_ERR_DATABASE;
    parts->start = sqlite3_column_int64(row, 0);
    return 0;
}

static void find_nearest(struct explanation_part *part, const struct manifest *manifest)
{
    const struct analysis_member *member = &part->finding.members[0];
    struct unmatched unmatched = {.kind = member->operation,
                                  .name = member->subject.bytes,
                                  .length = member->subject.length,
                                  .absent = part->finding.class == FINDING_PROBE};

    if (!manifest || part->declared || part->confirmed || part->rule.bytes)
        return;
    if (member->resolved.length) {
        unmatched.name = member->resolved.bytes;
        unmatched.length = member->resolved.length;
    }
    nearest_find(manifest, &unmatched, &part->nearest);
    part->searched = true;
}

static int advise(struct analysis *analysis, struct explanation_part *part, sqlite3 *db,
                  const struct processes *processes, const struct manifest *manifest)
{
    bool all = part->finding.process_count == part->process_total;

    find_nearest(part, manifest);
    if (part->declared || part->confirmed)
        return 0;
    return remedy_write(analysis, &part->finding, db, all ? processes : NULL);
}

static int fill(struct parts *parts, sqlite3 *db, const struct finding_subjects *found,
                const struct manifest *manifest)
{
    struct processes processes = {0};
    int result = load_start(parts, db);

    if (result == 0)
        result = load_subjects(parts, db, found);
    if (result == 0)
        result = load_rows(parts, db);
    if (result == 0)
        result = load_rules(parts, db);
    if (result == 0)
        result = load_processes(parts, &processes, db);
    for (size_t i = 0; i < parts->count && result == 0; i++) {
        parts_show(parts, &parts->drafts[i], &processes);
        result = explain_writes(db, parts->start, parts->analysis, &parts->drafts[i].part);
    }
    for (size_t i = 0; i < parts->count && result == 0; i++)
        result = advise(parts->analysis, &parts->drafts[i].part, db, &processes, manifest);
    processes_fini(&processes);
    return result;
}

static void hand_over(struct explanation *explanation, struct parts *parts,
                      const struct finding_subjects *found, const char *asked)
{
    explanation->found_by = found_by_name(found->by);
    explanation->subject_count = parts->subject_count;
    explanation->subject =
        (struct text){memory_copy(parts->analysis->memory, asked, strlen(asked)), strlen(asked)};
    if (parts->subject_count == 1 && !explanation->whole)
        explanation->subject = parts->subjects[0].name;
    explanation->parts = xcalloc(parts->count, sizeof *explanation->parts);
    for (size_t i = 0; i < parts->count; i++)
        explanation->parts[i] = parts->drafts[i].part;
    explanation->part_count = parts->count;
}

int explain(struct explanation *explanation, sqlite3 *db, int64_t run,
            const struct explain_question *question, struct buffer *why)
{
    struct finding_subjects found = {.by = FOUND_NOTHING};
    struct parts parts = {.most = question->most};
    int result;

    *explanation = (struct explanation){.found_by = NULL};
    explanation->analysis = analysis_load_run(db, run, why);
    if (!explanation->analysis)
        return TALLY_ERR_DATABASE;
    result = explain_find(&found, db, explanation->analysis, question->subject, question->cwd, why);
    if (result == TALLY_ERR_NOT_FOUND)
        result = explain_told(explanation, &found, db, question->subject, why);
    if (result == 0) {
        parts_init(&parts, explanation->analysis, &found);
        result = fill(&parts, db, &found, question->manifest);
        hand_over(explanation, &parts, &found, question->subject);
        parts_fini(&parts);
    }
    if (result == TALLY_ERR_DATABASE)
        buffer_printf(why, "cannot read run %lld: %s", (long long)run, sqlite3_errmsg(db));
    finding_subjects_fini(&found);
    return result;
}

static void part_fini(struct explanation_part *part)
{
    free(part->finding.members);
    free(part->finding.processes);
    for (size_t i = 0; i < part->process_count; i++)
        free(part->processes[i].uses);
    free(part->processes);
    nearest_fini(&part->nearest);
}

void explanation_fini(struct explanation *explanation)
{
    for (size_t i = 0; i < explanation->part_count; i++)
        part_fini(&explanation->parts[i]);
    free(explanation->parts);
    free(explanation->told);
    analysis_free(explanation->whole);
    analysis_free(explanation->analysis);
    *explanation = (struct explanation){.found_by = NULL};
}
