/* SPDX-License-Identifier: MIT
 *
 * Sorts the rows of some subjects into the parts of an explanation.
 */
#ifndef ANALYZER_EXPLAIN_PARTS_H
#define ANALYZER_EXPLAIN_PARTS_H

#include "access_rows.h"
#include "category.h"
#include "explain.h"
#include "explain_find.h"
#include "group.h"
#include "map.h"
#include "processes.h"

struct part_subject {
    int64_t id;
    struct text name;
    struct text package;  /* bytes NULL: not looked up */
    struct text resolved; /* bytes NULL: the same */
    struct text digest;   /* bytes NULL: not known */
};

/* A row with the part that it belongs to. */
struct part_row {
    struct access_row_of row;
    uint32_t subject; /* in `subjects` */
    uint32_t draft, member;
    bool witness_too; /* a row of the witness confirmed it */
};

/* Rows of one process, which follow each other in `rows`. */
struct part_user {
    int64_t process; /* process.id */
    int64_t first;
    size_t start, end;
};

struct part_draft {
    struct explanation_part part;
    int64_t rule; /* rule.id, 0 none */
    size_t member_room;
    int telling;
    uint32_t installed[CATEGORY_INSTALLED_COUNT];
    struct part_user *users; /* by the time of the first use */
    size_t user_count;
};

struct parts {
    struct analysis *analysis;
    const struct finding_subjects *found; /* its fingerprint or category narrows the rows */
    struct places places;
    size_t most;
    int64_t start; /* of the run: CLOCK_MONOTONIC */
    struct part_subject *subjects;
    uint32_t subject_count;
    uint32_t subject; /* whose rows are being added */
    struct part_row *rows;
    size_t row_count, row_room;
    struct part_draft *drafts;
    size_t count;
    struct map routes;  /* (subject, kind, outcome), (verdict, rule) -> draft, or ROUTE_NOWHERE */
    struct map members; /* (draft, subject), (kind, outcome) -> member */
};

void parts_init(struct parts *parts, struct analysis *analysis,
                const struct finding_subjects *found);
void parts_add(struct parts *parts, const struct access_row_of *row);
/* When all rows were added: makes the parts and puts them in order. */
void parts_settle(struct parts *parts);
/* Fills in the processes of a part, as far as they are loaded. */
void parts_show(struct parts *parts, struct part_draft *draft, const struct processes *processes);
void parts_fini(struct parts *parts); /* what the parts own stays */

#endif
