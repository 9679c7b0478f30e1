/* SPDX-License-Identifier: MIT
 *
 * What a judged run used, thing by thing: the summaries of its accesses shared out by verdict, and
 * the variables that its processes could see.
 */
#ifndef ANALYZER_USES_H
#define ANALYZER_USES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "processes.h"
#include "subjects.h"

/* The same use by a number of processes. */
struct use {
    uint32_t subject;
    enum event_kind kind;
    int outcome;
    int64_t flags; /* of record.h */
    bool witness;
    bool judged; /* if not, the verdict is undeclared */
    enum verdict verdict;
    int64_t rows; /* of access */
    int64_t count;
    uint32_t *processes; /* rising; none are listed of what is declared and only read */
    uint32_t process_count;
};

typedef void (*use_handler)(const struct use *use, void *data);

/* Without what the witness only confirms. Marks the processes that wrote. 0 or TALLY_ERR_DATABASE.
 */
int uses_each(sqlite3 *db, int64_t run, const struct subjects *subjects,
              const struct processes *processes, use_handler handle, void *data);

#endif
