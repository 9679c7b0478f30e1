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

#define SELECT_PROCESS                                                                             \
    "SELECT p.id, p.parent, p.pid, p.how, s.name, p.argv, p.command, p.cwd, p.exit_status,"        \
    " p.signal, p.shim, p.environment, p.started - r.monotonic, p.ended - r.monotonic"             \
    " FROM process p JOIN run r ON r.id = p.run LEFT JOIN subject s ON s.id = p.exe"               \
    " WHERE p.run = ?1"

/* Processes that are being read. */
struct reading {
    struct processes *processes;
    struct memory *memory;
    struct analysis_process *rows;
    int64_t *parents;
};

static int read_rows(struct reading *reading, sqlite3_stmt *row)
{
    struct processes *processes = reading->processes;
    int code;

    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        uint32_t number = processes->count++;

        if ((number & (number - 1)) == 0) {
            size_t room = number ? number * 2ul : 1ul;

            reading->rows = xrealloc(reading->rows, room * sizeof *reading->rows);
            reading->parents = xrealloc(reading->parents, room * sizeof *reading->parents);
        }
        read_row(&reading->rows[number], row, reading->memory);
        reading->parents[number] = number_or(row, 1, -1);
        *map_slot(&processes->numbers, (struct map_key){0, (uint64_t)reading->rows[number].id}) =
            number;
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

/* Hands the rows to the memory and ties them to each other. */
static void finish(struct reading *reading)
{
    struct processes *processes = reading->processes;

    processes->rows = memory_take(reading->memory, processes->count * sizeof *processes->rows);
    if (processes->count)
        memcpy(processes->rows, reading->rows, processes->count * sizeof *processes->rows);
    for (uint32_t i = 0; i < processes->count; i++)
        processes->rows[i].parent = processes_find(processes, reading->parents[i]);
    cut_circles(processes);
    free(reading->rows);
    free(reading->parents);
}

int processes_load(struct processes *processes, sqlite3 *db, int64_t run, struct memory *memory)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(db, SELECT_PROCESS " ORDER BY p.id");
    struct reading reading = {processes, memory, NULL, NULL};
    int result = TALLY_ERR_DATABASE;

    *processes = (struct processes){0};
    if (row) {
        sqlite3_bind_int64(row, 1, run);
        result = read_rows(&reading, row);
    }
    finish(&reading);
    return result;
}

struct chains {
    struct map seen;
    int64_t *ids;
    size_t room;
};

/* Adds a process and those above it. */
static int climb(struct chains *chains, sqlite3_stmt *parent_of, int64_t id)
{
    for (;;) {
        uint32_t *slot = map_slot(&chains->seen, (struct map_key){0, (uint64_t)id});
        int code;

        if (*slot != MAP_NONE)
            return 0;
        *slot = 0;
        if (chains->seen.count > chains->room) {
            chains->room = chains->seen.count * 2;
            chains->ids = xrealloc(chains->ids, chains->room * sizeof *chains->ids);
        }
        chains->ids[chains->seen.count - 1] = id;
        sqlite3_bind_int64(parent_of, 2, id);
        code = sqlite3_step(parent_of);
        id = code == SQLITE_ROW ? sqlite3_column_int64(parent_of, 0) : 0;
        sqlite3_reset(parent_of);
        if (id == 0)
            return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
    }
}

static int compare_ids(const void *one, const void *other)
{
    int64_t a = *(const int64_t *)one;
    int64_t b = *(const int64_t *)other;

    return (a > b) - (a < b);
}

static int read_chains(struct reading *reading, struct chains *chains, sqlite3 *db, int64_t run)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(db, SELECT_PROCESS " AND p.id = ?2");
    int result = row ? 0 : TALLY_ERR_DATABASE;

    if (chains->seen.count)
        qsort(chains->ids, chains->seen.count, sizeof *chains->ids, compare_ids);
    if (row)
        sqlite3_bind_int64(row, 1, run);
    for (size_t i = 0; i < chains->seen.count && result == 0; i++) {
        sqlite3_bind_int64(row, 2, chains->ids[i]);
        result = read_rows(reading, row);
        sqlite3_reset(row);
    }
    return result;
}

int processes_load_chains(struct processes *processes, sqlite3 *db, int64_t run, const int64_t *ids,
                          size_t count, struct memory *memory)
{
    cleanup_statement sqlite3_stmt *parent_of =
        database_prepare(db, "SELECT parent FROM process WHERE run = ?1 AND id = ?2");
    struct reading reading = {processes, memory, NULL, NULL};
    struct chains chains = {{0}, NULL, 0};
    int result = parent_of ? 0 : TALLY_ERR_DATABASE;

    *processes = (struct processes){0};
    if (parent_of)
        sqlite3_bind_int64(parent_of, 1, run);
    for (size_t i = 0; i < count && result == 0; i++)
        result = climb(&chains, parent_of, ids[i]);
    if (result == 0)
        result = read_chains(&reading, &chains, db, run);
    finish(&reading);
    map_fini(&chains.seen);
    free(chains.ids);
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
