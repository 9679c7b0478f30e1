/* SPDX-License-Identifier: MIT */
#include "certificate.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "database.h"
#include "operation.h"
#include "sources.h"
#include "subjects.h"
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

static int load_sources(struct analysis *analysis, sqlite3 *db)
{
    struct analysis_certificate *certificate = &analysis->certificate;
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT o.channel, count(*) FILTER (WHERE a.source = 0),"
            " count(*) FILTER (WHERE a.source <> 0),"
            " count(*) FILTER (WHERE a.source <> 0 AND a.verdict IS ?2),"
            " count(*) FILTER (WHERE a.source <> 0 AND p.shim = 'loaded'),"
            " count(*) FILTER (WHERE a.source <> 0 AND p.shim = 'loaded' AND a.verdict IS ?2)"
            " FROM process p JOIN access a ON a.process = p.id"
            " JOIN operation o ON o.id = a.operation"
            " WHERE p.run = ?1 AND o.channel IS NOT NULL"
            " GROUP BY o.channel");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, analysis->run);
    sqlite3_bind_int(row, 2, VERDICT_CONFIRMED);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        int64_t channel = sqlite3_column_int64(row, 0);
        struct analysis_recall recall = {sqlite3_column_int64(row, 4),
                                         sqlite3_column_int64(row, 5)};

        if (channel < 0 || channel >= CHANNEL_COUNT)
            continue;
        certificate->shim += sqlite3_column_int64(row, 1);
        certificate->witness += sqlite3_column_int64(row, 2);
        certificate->confirmed += sqlite3_column_int64(row, 3);
        certificate->channels[channel] = recall;
        certificate->recall.seen += recall.seen;
        certificate->recall.recorded += recall.recorded;
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

static int load_missed(struct analysis *analysis, sqlite3 *db)
{
    struct analysis_certificate *certificate = &analysis->certificate;
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT a.operation, s.name, count(DISTINCT a.process), sum(a.count)"
            " FROM process p JOIN access a ON a.process = p.id JOIN subject s ON s.id = a.subject"
            " JOIN operation o ON o.id = a.operation"
            " WHERE p.run = ?1 AND p.shim = 'loaded' AND a.source <> 0 AND o.channel IS NOT NULL"
            " AND a.verdict IS NOT ?2 GROUP BY a.operation, a.subject"
            " ORDER BY count(DISTINCT a.process) DESC, sum(a.count) DESC, s.name LIMIT ?3");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, analysis->run);
    sqlite3_bind_int(row, 2, VERDICT_CONFIRMED);
    sqlite3_bind_int(row, 3, MOST_MISSED);
    certificate->missed = memory_take(analysis->memory, MOST_MISSED * sizeof *certificate->missed);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        if (!operation_is_access(sqlite3_column_int64(row, 0)))
            continue;
        certificate->missed[certificate->missed_count++] = (struct analysis_missed){
            .operation = (enum event_kind)sqlite3_column_int(row, 0),
            .subject = text_of_column(analysis->memory, row, 1),
            .processes = sqlite3_column_int64(row, 2),
            .count = sqlite3_column_int64(row, 3),
        };
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

int certificate_load(struct analysis *analysis, sqlite3 *db, const struct processes *processes)
{
    int result = load_blind_spots(analysis, db, processes);

    analysis->certificate.measured =
        analysis->witness.bytes && strcmp(analysis->witness.bytes, "full") == 0;
    if (result == 0)
        result = load_shims(analysis, db);
    if (result == 0)
        result = load_sources(analysis, db);
    if (result == 0 && analysis->certificate.measured)
        result = load_missed(analysis, db);
    return result;
}
