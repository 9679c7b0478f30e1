/* SPDX-License-Identifier: MIT */
#include "certificate.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "database.h"
#include "operation.h"
#include "subjects.h"
#include "summaries.h"
#include "survivor.h"
#include "tallyman/status.h"

#define MOST_MISSED 5

/* --- blind spots ---------------------------------------------------------------------------- */

struct known_spot {
    const char *name, *text, *remedy;
};

static const struct known_spot known_spots[] = {
#define BLIND_SPOT(id, name, text, remedy) {name, text, remedy},
#include "tallyman/blind_spots.def"
#undef BLIND_SPOT
};

/* One of a newer version says nothing but its name. */
static struct known_spot spot_of(const char *class)
{
    for (size_t i = 0; i < sizeof known_spots / sizeof *known_spots; i++)
        if (strcmp(known_spots[i].name, class) == 0)
            return known_spots[i];
    return (struct known_spot){class, class, ""};
}

/* The rows come sorted by class. */
static void add_to_class(struct analysis *analysis, const struct analysis_blind_spot *spot)
{
    size_t count = analysis->blind_class_count;
    struct known_spot known = spot_of(spot->class);

    if (count == 0 || strcmp(analysis->blind_classes[count - 1].name, spot->class) != 0) {
        analysis->blind_classes =
            xrealloc(analysis->blind_classes, (count + 1) * sizeof *analysis->blind_classes);
        analysis->blind_classes[count] = (struct analysis_blind_class){
            .name = spot->class,
            .text = known.text,
            .remedy = known.remedy,
            .spots = analysis->blind_spot_count - 1,
        };
        analysis->blind_class_count = ++count;
    }
    analysis->blind_classes[count - 1].spot_count++;
    analysis->blind_classes[count - 1].count += spot->count;
}

static void add_spot(struct analysis *analysis, sqlite3_stmt *row,
                     const struct processes *processes)
{
    size_t number = analysis->blind_spot_count++;
    struct analysis_blind_spot *spot;

    if ((number & (number - 1)) == 0)
        analysis->blind_spots = xrealloc(analysis->blind_spots,
                                         (number ? number * 2 : 1) * sizeof *analysis->blind_spots);
    spot = &analysis->blind_spots[number];
    spot->class = text_of_column(analysis->memory, row, 0).bytes;
    spot->text = spot_of(spot->class).text;
    spot->detail = text_of_column(analysis->memory, row, 1);
    spot->count = sqlite3_column_int64(row, 2);
    spot->process = ANALYSIS_NONE;
    if (sqlite3_column_type(row, 3) != SQLITE_NULL)
        spot->process = processes_find(processes, sqlite3_column_int64(row, 3));
    add_to_class(analysis, spot);
}

static int load_blind_spots(struct analysis *analysis, sqlite3 *db,
                            const struct processes *processes)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT class, detail, count, process FROM blind_spot WHERE run = ?1"
                             " ORDER BY class, process, detail");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, analysis->run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW)
        add_spot(analysis, row, processes);
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

static struct text name_of(const struct analysis *analysis, const struct analysis_blind_spot *spot,
                           enum analysis_blind_name which)
{
    struct text program = {"", 0};

    if (which != BLIND_NAME_PROGRAM && spot->detail.length)
        return spot->detail;
    if (which != BLIND_NAME_DETAIL && spot->process != ANALYSIS_NONE)
        program = analysis_program(&analysis->processes[spot->process]);
    return program;
}

struct text *analysis_blind_names(const struct analysis *analysis,
                                  const struct analysis_blind_class *class,
                                  enum analysis_blind_name which, size_t *count)
{
    struct text *list = xcalloc(class->spot_count, sizeof *list);
    struct names seen = {0};

    for (size_t i = 0; i < class->spot_count; i++) {
        struct text name = name_of(analysis, &analysis->blind_spots[class->spots + i], which);
        size_t before = seen.count;

        if (name.length && names_add(&seen, name.bytes, name.length) == before)
            list[before] = name;
    }
    *count = seen.count;
    names_fini(&seen);
    return list;
}

void analysis_accept(struct analysis *analysis, const char *name)
{
    for (size_t i = 0; i < analysis->blind_class_count; i++)
        if (strcmp(analysis->blind_classes[i].name, name) == 0)
            analysis->blind_classes[i].accepted = true;
    if (strcmp(name, SURVIVOR_CLASS) == 0)
        survivors_accept(analysis);
}

bool analysis_suffices(const struct analysis *analysis)
{
    if (analysis->complete)
        return true;
    /* A run that did not end lacks what no class of blind spots names. */
    if (!analysis->ended || analysis->blind_class_count == 0)
        return false;
    for (size_t i = 0; i < analysis->blind_class_count; i++)
        if (!analysis->blind_classes[i].accepted)
            return false;
    return true;
}

/* --- who observed --------------------------------------------------------------------------- */

static bool has_shim(const struct analysis *analysis, uint32_t process)
{
    const char *shim = analysis->processes[process].shim;

    return shim && strcmp(shim, "loaded") == 0;
}

static int load_shims(struct analysis *analysis, sqlite3 *db)
{
    struct analysis_certificate *certificate = &analysis->certificate;
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT shim, count(*) FROM process WHERE run = ?1 GROUP BY shim"
                             " ORDER BY shim <> 'loaded', count(*) DESC, shim");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, analysis->run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        certificate->shims = xrealloc(certificate->shims,
                                      (certificate->shim_count + 1) * sizeof *certificate->shims);
        certificate->shims[certificate->shim_count++] = (struct analysis_shim){
            .name = text_of_column(analysis->memory, row, 0).bytes,
            .processes = sqlite3_column_int64(row, 1),
        };
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

/* Rows of the summary that processes with the shim made. */
static int64_t rows_with_shim(const struct analysis *analysis, struct process_set set)
{
    struct process_entry entry;
    int64_t rows = 0;

    while (process_set_next(&set, &entry))
        if (has_shim(analysis, entry.process))
            rows = count_sum(rows, entry.rows);
    return rows;
}

static void add_source(struct analysis *analysis, const struct summary *summary)
{
    struct analysis_certificate *certificate = &analysis->certificate;
    struct analysis_recall *channel = &certificate->channels[operation_channel(summary->kind)];
    int64_t seen;

    if (!summary->witness) {
        certificate->shim = count_sum(certificate->shim, summary->rows);
        return;
    }
    seen = rows_with_shim(analysis, summary->processes);
    certificate->witness = count_sum(certificate->witness, summary->rows);
    channel->seen = count_sum(channel->seen, seen);
    certificate->recall.seen = count_sum(certificate->recall.seen, seen);
    if (!summary->confirmed)
        return;
    certificate->confirmed = count_sum(certificate->confirmed, summary->rows);
    channel->recorded = count_sum(channel->recorded, seen);
    certificate->recall.recorded = count_sum(certificate->recall.recorded, seen);
}

/* Something that the witness saw of processes with the shim, and the shim did not. */
struct missed {
    struct analysis_missed missed;
    struct map seen; /* processes */
};

struct misses {
    struct map numbers; /* (operation, subject) -> row */
    struct missed *rows;
    uint32_t count;
};

static struct missed *missed_for(struct misses *misses, const struct subjects *subjects,
                                 const struct summary *summary)
{
    uint32_t *slot =
        map_slot(&misses->numbers, (struct map_key){summary->subject, (uint64_t)summary->kind});

    if (*slot == MAP_NONE) {
        uint32_t number = *slot = misses->count++;

        if ((number & (number - 1)) == 0)
            misses->rows =
                xrealloc(misses->rows, (number ? number * 2ul : 1ul) * sizeof *misses->rows);
        misses->rows[number] = (struct missed){
            .missed = {.subject = subjects->rows[summary->subject].name,
                       .operation = summary->kind},
        };
    }
    return &misses->rows[*slot];
}

static void add_missed(const struct analysis *analysis, struct misses *misses,
                       const struct subjects *subjects, const struct summary *summary)
{
    struct process_set set = summary->processes;
    struct process_entry entry;
    struct missed *missed = NULL;

    while (process_set_next(&set, &entry)) {
        if (!has_shim(analysis, entry.process))
            continue;
        if (!missed)
            missed = missed_for(misses, subjects, summary);
        *map_slot(&missed->seen, (struct map_key){0, entry.process}) = 1;
        missed->missed.count = count_sum(missed->missed.count, entry.count);
    }
}

static int compare_missed(const void *one, const void *other)
{
    const struct analysis_missed *a = &((const struct missed *)one)->missed;
    const struct analysis_missed *b = &((const struct missed *)other)->missed;
    size_t shorter = a->subject.length < b->subject.length ? a->subject.length : b->subject.length;
    int order;

    if (a->processes != b->processes)
        return a->processes > b->processes ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    order = memcmp(a->subject.bytes, b->subject.bytes, shorter);
    if (order)
        return order;
    if (a->subject.length != b->subject.length)
        return a->subject.length < b->subject.length ? -1 : 1;
    return (a->operation > b->operation) - (a->operation < b->operation);
}

static void finish_missed(struct analysis *analysis, struct misses *misses)
{
    struct analysis_certificate *certificate = &analysis->certificate;

    for (uint32_t i = 0; i < misses->count; i++) {
        misses->rows[i].missed.processes = (int64_t)misses->rows[i].seen.count;
        map_fini(&misses->rows[i].seen);
    }
    if (misses->count)
        qsort(misses->rows, misses->count, sizeof *misses->rows, compare_missed);
    certificate->missed = memory_take(analysis->memory, MOST_MISSED * sizeof *certificate->missed);
    for (uint32_t i = 0; i < misses->count && i < MOST_MISSED; i++)
        certificate->missed[certificate->missed_count++] = misses->rows[i].missed;
    map_fini(&misses->numbers);
    free(misses->rows);
}

static int load_sources(struct analysis *analysis, sqlite3 *db, const struct subjects *subjects,
                        const struct processes *processes)
{
    struct summaries summaries;
    struct summary summary;
    struct misses misses = {.count = 0};

    if (summaries_open(&summaries, db, analysis->run, subjects, processes, false) == 0)
        while (summaries_next(&summaries, &summary)) {
            add_source(analysis, &summary);
            if (analysis->certificate.measured && summary.witness && !summary.confirmed)
                add_missed(analysis, &misses, subjects, &summary);
        }
    if (analysis->certificate.measured)
        finish_missed(analysis, &misses);
    return summaries_close(&summaries);
}

int certificate_load(struct analysis *analysis, sqlite3 *db, const struct subjects *subjects,
                     const struct processes *processes)
{
    int result = load_blind_spots(analysis, db, processes);

    analysis->certificate.measured =
        analysis->witness.bytes && strcmp(analysis->witness.bytes, "full") == 0;
    if (result == 0)
        result = load_shims(analysis, db);
    if (result == 0)
        result = load_sources(analysis, db, subjects, processes);
    return result;
}
