/* SPDX-License-Identifier: MIT
 *
 * Two observers record one build: the shim in its processes and the kernel witness from outside.
 * Which records of the witness say something that is not there already?
 *
 * Confirmed is what the shim has recorded in the same process: the same subject used in the same
 * way; a look at what the shim saw used in any way; a search that found nothing where the shim
 * found nothing. It follows from other records that the process looked at the folders above a path
 * that it used, and at the links on the way to it (realpath does so, mkdir -p as well). What a
 * child does between vfork and exec the shim notes under the parent.
 */
#ifndef ANALYZER_SOURCES_H
#define ANALYZER_SOURCES_H

#include <sqlite3.h>
#include <stdbool.h>

#include "processes.h"
#include "subjects.h"

/* The value of access.verdict beside those of enum verdict, for such records of the witness. */
#define VERDICT_CONFIRMED 3

struct sources {
    struct map confirmed; /* records of the witness that say nothing new */
};

/* What the witness has recorded, as far as it matters here. Numbers of `processes`, `subjects`. */
struct witnessed {
    uint32_t process, subject;
    enum event_kind kind;
    int outcome;
    int64_t first;
};

/* 0 or TALLY_ERR_DATABASE. sources_fini in any case. */
int sources_load(struct sources *sources, sqlite3 *db, int64_t run, const struct subjects *subjects,
                 const struct processes *processes);
void sources_fini(struct sources *sources);

bool sources_confirmed(const struct sources *sources, const struct witnessed *access);

#endif
