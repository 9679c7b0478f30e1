/* SPDX-License-Identifier: MIT */
#include "explain_writes.h"

#include <string.h>

#include "database.h"
#include "memory.h"
#include "subjects.h"
#include "tallyman/status.h"

#define MOST 5

/* Leave something behind under a name; what a process removes or only marks is none of it. */
static const enum event_kind kinds[] = {EVENT_WRITE,   EVENT_RENAME_TO, EVENT_LINK_TO,
                                        EVENT_SYMLINK, EVENT_MKNOD,     EVENT_TRUNCATE};

static sqlite3_stmt *prepare(sqlite3 *db)
{
    cleanup_buffer struct buffer sql = BUFFER_INIT;

    buffer_add_text(&sql, "SELECT s.name, min(a.first) FROM access a JOIN subject s ON s.id ="
                          " a.subject WHERE a.process = ?1 AND a.outcome = 0 AND a.first >= ?2"
                          " AND a.operation IN (");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        buffer_printf(&sql, "%s%d", i ? ", " : "", (int)kinds[i]);
    buffer_add_text(&sql, ") AND substr(s.name, 1, 5) <> '/dev/' GROUP BY a.subject ORDER BY 2");
    return database_prepare(db, sql.data);
}

static int load(sqlite3_stmt *row, struct analysis *analysis, struct explanation_process *process,
                int64_t since)
{
    int code;

    sqlite3_bind_int64(row, 1, analysis->processes[process->process].id);
    sqlite3_bind_int64(row, 2, since);
    process->written = memory_take(analysis->memory, MOST * sizeof *process->written);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        process->written_total++;
        if (process->written_count < MOST)
            process->written[process->written_count++] = text_of_column(analysis->memory, row, 0);
    }
    sqlite3_reset(row);
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

int explain_writes(sqlite3 *db, int64_t start, struct analysis *analysis,
                   struct explanation_part *part)
{
    cleanup_statement sqlite3_stmt *row = prepare(db);
    int result = row ? 0 : TALLY_ERR_DATABASE;

    /* Of what was written itself the part says it already. */
    if (part->finding.class == FINDING_WRITE)
        return result;
    for (size_t i = 0; i < part->process_count && result == 0; i++)
        result = load(row, analysis, &part->processes[i], start + part->processes[i].uses[0].first);
    return result;
}
