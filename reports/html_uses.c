/* SPDX-License-Identifier: MIT
 *
 * A finding sums over processes. The page also shows what each process used, so the accesses are
 * read once more and traced back to the members of the findings.
 */
#include "html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "database.h"
#include "map.h"
#include "tallyman/status.h"

/* The text of the query, taken in by the assembler so that the file stays the only copy. */
__asm__(".pushsection .rodata\n"
        "report_uses_sql:\n"
        ".incbin \"" USES_SQL_FILE "\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char report_uses_sql[] __attribute__((visibility("hidden")));

#define MOST_MEMBERS         500000
#define MOST_MEMBERS_OF_EACH 1000 /* where there are more in all */
#define MOST_USES            2000000

struct index {
    struct names subjects;
    struct map members;
};

static struct map_key key_of(uint32_t subject, int64_t operation, int outcome, enum verdict verdict)
{
    return (struct map_key){(uint64_t)subject << 32 | (uint64_t)verdict,
                            (uint64_t)operation << 32 | (uint32_t)outcome};
}

size_t html_most_members(const struct analysis *analysis)
{
    size_t all = 0;

    for (size_t i = 0; i < analysis->finding_count; i++)
        all += analysis->findings[i].member_count;
    return all > MOST_MEMBERS ? MOST_MEMBERS_OF_EACH : SIZE_MAX;
}

static void fill(struct index *index, const struct analysis *analysis)
{
    size_t most = html_most_members(analysis);
    uint32_t number = 0;

    for (size_t i = 0; i < analysis->finding_count; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];

        for (size_t j = 0; j < finding->member_count && j < most; j++) {
            const struct analysis_member *member = &finding->members[j];
            uint32_t subject =
                names_add(&index->subjects, member->subject.bytes, member->subject.length);

            *map_slot(&index->members, key_of(subject, member->operation, member->outcome,
                                              finding->verdict)) = number++;
        }
    }
}

static uint32_t find(const struct index *index, const char *name, size_t length, int64_t operation,
                     int outcome, enum verdict verdict)
{
    uint32_t subject = names_find(&index->subjects, name, length);

    return subject == MAP_NONE
               ? MAP_NONE
               : map_get(&index->members, key_of(subject, operation, outcome, verdict));
}

/* What was not judged counts as undeclared, as it does in the analysis. */
static enum verdict verdict_of(sqlite3_stmt *row, int column)
{
    return sqlite3_column_int(row, column) == VERDICT_WAIVED ? VERDICT_WAIVED : VERDICT_UNDECLARED;
}

static const char *name_of(sqlite3_stmt *row, int column)
{
    const char *name = sqlite3_column_blob(row, column);

    return name ? name : "";
}

/* Opens the arrays up to that of the process; those that used nothing stay empty. */
static void turn_to(struct buffer *out, size_t *open, size_t process)
{
    for (; *open <= process; ++*open)
        buffer_add_text(out, *open ? "],[" : "[");
}

static void close_arrays(struct buffer *out, size_t open)
{
    buffer_add_text(out, open ? "]]" : "]");
}

/* Where the reading of the accesses is; they come in the order of their processes. */
struct reading {
    const struct index *index;
    size_t process; /* of the row */
    size_t open;    /* arrays that were begun */
    size_t last;    /* process of the use before */
    uint32_t count;
};

static void add_use(struct html_uses *uses, struct reading *reading,
                    const struct analysis *analysis, sqlite3_stmt *row)
{
    int64_t id = sqlite3_column_int64(row, 0);
    const struct analysis_process *process;
    uint32_t member =
        find(reading->index, name_of(row, 5), (size_t)sqlite3_column_bytes(row, 5),
             sqlite3_column_int64(row, 1), sqlite3_column_int(row, 2), verdict_of(row, 3));
    int64_t since;

    while (reading->process < analysis->process_count &&
           analysis->processes[reading->process].id < id)
        reading->process++;
    if (reading->process == analysis->process_count)
        return;
    process = &analysis->processes[reading->process];
    if (process->id != id)
        return;
    if (member == MAP_NONE || reading->count == MOST_USES) {
        uses->cut = true;
        return;
    }
    since = sqlite3_column_int64(row, 4) - process->started;
    turn_to(&uses->processes, &reading->open, reading->process);
    buffer_printf(&uses->processes, "%s%" PRIu32 ",%" PRId64,
                  reading->process == reading->last ? "," : "", member, since / 1000);
    reading->last = reading->process;
    reading->count++;
}

static int load_processes(struct html_uses *uses, const struct index *index,
                          const struct analysis *analysis, sqlite3 *db)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(db, report_uses_sql);
    struct reading reading = {.index = index, .last = ANALYSIS_NONE};
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, analysis->run);
    buffer_add_char(&uses->processes, '[');
    while ((code = sqlite3_step(row)) == SQLITE_ROW)
        add_use(uses, &reading, analysis, row);
    if (analysis->process_count)
        turn_to(&uses->processes, &reading.open, analysis->process_count - 1);
    close_arrays(&uses->processes, reading.open);
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

static void find_blocks(struct html_uses *uses, const struct map *numbers,
                        const struct analysis *analysis)
{
    uses->block = xmalloc((analysis->process_count + 1) * sizeof *uses->block);
    for (size_t i = 0; i < analysis->process_count; i++) {
        const struct analysis_process *process = &analysis->processes[i];
        struct map_key key = {0, (uint64_t)process->environment};

        uses->block[i] = process->has_environment ? map_get(numbers, key) : MAP_NONE;
    }
}

static int load_blocks(struct html_uses *uses, const struct index *index,
                       const struct analysis *analysis, sqlite3 *db)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT e.block, e.verdict, s.name FROM environment_variable e"
            " JOIN subject s ON s.id = e.subject"
            " WHERE e.run = ?1 AND (e.verdict IS NULL OR e.verdict IN (1, 2)) ORDER BY e.block");
    struct map numbers = {NULL, 0, 0};
    size_t open = 0;
    bool first = true;
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, analysis->run);
    buffer_add_char(&uses->blocks, '[');
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        struct map_key key = {0, (uint64_t)sqlite3_column_int64(row, 0)};
        uint32_t member = find(index, name_of(row, 2), (size_t)sqlite3_column_bytes(row, 2),
                               EVENT_VISIBLE, 0, verdict_of(row, 1));

        if (member == MAP_NONE)
            continue;
        if (map_get(&numbers, key) == MAP_NONE) {
            *map_slot(&numbers, key) = (uint32_t)open;
            turn_to(&uses->blocks, &open, open);
            first = true;
        }
        buffer_printf(&uses->blocks, "%s%" PRIu32, first ? "" : ",", member);
        first = false;
    }
    close_arrays(&uses->blocks, open);
    find_blocks(uses, &numbers, analysis);
    map_fini(&numbers);
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

int html_uses_load(struct html_uses *uses, const struct analysis *analysis, sqlite3 *db)
{
    struct index index = {0};
    int result;

    *uses = (struct html_uses){BUFFER_INIT, BUFFER_INIT, NULL, false};
    fill(&index, analysis);
    result = load_processes(uses, &index, analysis, db);
    if (result == 0)
        result = load_blocks(uses, &index, analysis, db);
    names_fini(&index.subjects);
    map_fini(&index.members);
    return result;
}

void html_uses_fini(struct html_uses *uses)
{
    buffer_fini(&uses->processes);
    buffer_fini(&uses->blocks);
    free(uses->block);
}
