/* SPDX-License-Identifier: MIT
 *
 * The table `subject` in memory, by consecutive numbers.
 */
#ifndef ANALYZER_SUBJECTS_H
#define ANALYZER_SUBJECTS_H

#include <sqlite3.h>
#include <stdint.h>

#include "analysis.h"
#include "map.h"
#include "memory.h"

struct subject {
    int64_t id;
    int64_t resolved_id; /* 0 none */
    enum channel channel;
    struct text name;
    struct text package; /* "name version", empty none, bytes NULL not looked up */
    uint32_t resolved;   /* number, MAP_NONE when the same */
};

struct subjects {
    struct subject *rows;
    uint32_t count;
    struct map numbers; /* of ids */
};

/* Loads all: runs of one project share most of theirs. The bytes are in `memory`. 0 or
 * TALLY_ERR_DATABASE. */
int subjects_load(struct subjects *subjects, sqlite3 *db, struct memory *memory);
void subjects_fini(struct subjects *subjects);

/* The number of an id, MAP_NONE when it was not loaded. */
uint32_t subjects_find(const struct subjects *subjects, int64_t id);

/* A column of bytes, copied to `memory`; NULL bytes for an SQL NULL. */
struct text text_of_column(struct memory *memory, sqlite3_stmt *statement, int column);

#endif
