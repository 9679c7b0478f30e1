/* SPDX-License-Identifier: MIT */
#include "processes.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "database.h"
#include "die.h"
#include "subjects.h"
#include "tallyman/status.h"

static int64_t number_or(sqlite3_stmt *row, int column, int64_t missing)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? missing
                                                           : sqlite3_column_int64(row, column);
}

static void read_row(struct analysis_process *process, sqlite3_stmt *row, struct memory *memory)
{
    *process = (struct analysis_process){
        .id = sqlite3_column_int64(row, 0),
        .parent = ANALYSIS_NONE,
        .pid = sqlite3_column_int64(row, 2),
        .how = text_of_column(memory, row, 3).bytes,
        .exe = text_of_column(memory, row, 4),
        .argv = text_of_column(memory, row, 5),
        .command = text_of_column(memory, row, 6),
        .cwd = text_of_column(memory, row, 7),
        .exit_status = number_or(row, 8, -1),
        .signal = number_or(row, 9, -1),
        .started = number_or(row, 12, 0),
        .ended = number_or(row, 13, -1),
        .shim = text_of_column(memory, row, 10).bytes,
        .environment = sqlite3_column_int64(row, 11),
        .has_environment = sqlite3_column_type(row, 11) != SQLITE_NULL,
    };
}

/* Cuts the parent links of a database that was tampered with, so that all walks upwards end. */
static void cut_circles(struct processes *processes)
{
    enum { NEW, ON_THE_WAY, DONE };
    cleanup_free char *state = xcalloc(processes->count, 1);

    for (uint32_t start = 0; start < processes->count; start++) {
        uint32_t at = start;

        while (state[at] == NEW) {
            struct analysis_process *process = &processes->rows[at];

            state[at] = ON_THE_WAY;
            if (process->parent != ANALYSIS_NONE && state[process->parent] == ON_THE_WAY)
                process->parent = ANALYSIS_NONE;
            if (process->parent == ANALYSIS_NONE)
                break;
            at = process->parent;
        }
        for (at = start; at != ANALYSIS_NONE && state[at] == ON_THE_WAY;
             at = processes->rows[at].parent)
            state[at] = DONE;
    }
}

static int read_rows(struct processes *processes, sqlite3 *db, int64_t run, struct memory *memory,
                     int64_t **parents)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT p.id, p.parent, p.pid, p.how, s.name, p.argv, p.command, p.cwd, p.exit_status,"
            " p.signal, p.shim, p.environment, p.started - r.monotonic, p.ended - r.monotonic"
            " FROM process p JOIN run r ON r.id = p.run LEFT JOIN subject s ON s.id = p.exe"
            " WHERE p.run = ?1 ORDER BY p.id");
    cleanup_free struct analysis_process *rows = NULL;
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        uint32_t number = processes->count++;

        if ((number & (number - 1)) == 0) {
            size_t room = number ? number * 2ul : 1ul;

            rows = xrealloc(rows, room * sizeof *rows);
            *parents = xrealloc(*parents, room * sizeof **parents);
        }
        read_row(&rows[number], row, memory);
        (*parents)[number] = number_or(row, 1, -1);
        *map_slot(&processes->numbers, (struct map_key){0, (uint64_t)rows[number].id}) = number;
    }
    processes->rows = memory_take(memory, processes->count * sizeof *rows);
    if (processes->count)
        memcpy(processes->rows, rows, processes->count * sizeof *rows);
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

int processes_load(struct processes *processes, sqlite3 *db, int64_t run, struct memory *memory)
{
    cleanup_free int64_t *parents = NULL;
    int result;

    *processes = (struct processes){0};
    result = read_rows(processes, db, run, memory, &parents);
    for (uint32_t i = 0; i < processes->count; i++)
        processes->rows[i].parent = processes_find(processes, parents[i]);
    cut_circles(processes);
    return result;
}

void processes_fini(struct processes *processes)
{
    map_fini(&processes->numbers);
}

uint32_t processes_find(const struct processes *processes, int64_t id)
{
    return map_get(&processes->numbers, (struct map_key){0, (uint64_t)id});
}
