/* SPDX-License-Identifier: MIT
 *
 * The processes of a run in memory, in the order of process.id.
 */
#ifndef ANALYZER_PROCESSES_H
#define ANALYZER_PROCESSES_H

#include "analysis.h"
#include "map.h"
#include "memory.h"

struct processes {
    struct analysis_process *rows; /* in `memory` after the load */
    uint32_t count;
    struct map numbers; /* of ids */
};

/* A parent that is not in the run, or that would close a circle, is ANALYSIS_NONE. */
int processes_load(struct processes *processes, sqlite3 *db, int64_t run, struct memory *memory);
/* The same for these processes alone and those above them, in the order of process.id. */
int processes_load_chains(struct processes *processes, sqlite3 *db, int64_t run, const int64_t *ids,
                          size_t count, struct memory *memory);
void processes_fini(struct processes *processes); /* the rows stay */

uint32_t processes_find(const struct processes *processes, int64_t id);

#endif
