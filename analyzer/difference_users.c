/* SPDX-License-Identifier: MIT
 *
 * What both runs used, and a process of one of them used that its partner did not.
 */
#include "comparing.h"

#include <stdlib.h>

struct row {
    uint32_t pair, thing;
    unsigned char bits;
    int64_t first;
};

struct rows {
    struct row *rows;
    size_t count;
};

static int compare_rows(const void *one, const void *other)
{
    const struct row *a = one;
    const struct row *b = other;

    if (a->pair != b->pair)
        return a->pair < b->pair ? -1 : 1;
    return (a->thing > b->thing) - (a->thing < b->thing);
}

/* What the runs made themselves depends on the order of their jobs. */
static bool is_of_interest(const struct thing *thing)
{
    return !thing->different && !thing->passing && !thing->sides[SIDE_A].own &&
           !thing->sides[SIDE_B].own && thing->channel != CHANNEL_ENVIRONMENT &&
           thing->sides[SIDE_A].subject != MAP_NONE && thing->sides[SIDE_B].subject != MAP_NONE;
}

static struct rows gather(const struct comparing *work, int side)
{
    const struct compared_run *run = &work->runs[side];
    const struct role_side *tree = &work->alignment.sides[side];
    struct rows rows = {xcalloc(run->use_count, sizeof *rows.rows), 0};
    size_t kept = 0;

    for (size_t i = 0; i < run->use_count; i++) {
        const struct compared_use *use = &run->uses[i];
        uint32_t pair = tree->partner[tree->image[use->process]];
        uint32_t thing = work->thing_of[side][use->subject];

        if (pair != ANALYSIS_NONE && is_of_interest(&work->things[thing]) &&
            (use->bits & USED_THERE))
            rows.rows[rows.count++] = (struct row){pair, thing, use->bits, use->first};
    }
    qsort(rows.rows, rows.count, sizeof *rows.rows, compare_rows);
    for (size_t i = 0; i < rows.count; i++) {
        struct row *row = &rows.rows[i];

        if (kept && compare_rows(row, &rows.rows[kept - 1]) == 0) {
            rows.rows[kept - 1].bits |= row->bits;
            if (row->first < rows.rows[kept - 1].first)
                rows.rows[kept - 1].first = row->first;
        } else {
            rows.rows[kept++] = *row;
        }
    }
    rows.count = kept;
    return rows;
}

static void report(struct comparing *work, int side, const struct row *row)
{
    uint32_t process = work->alignment.pairs[row->pair].process[side];
    struct difference like = {
        .kind = DIFFERENCE_USER,
        .side = side,
        .channel = CHANNEL_NONE,
        .group = "program",
        .subject = analysis_program(&work->runs[side].header.processes[process]),
        .counts = true,
    };
    struct difference_member member = {.subject = work->things[row->thing].name,
                                       .first = row->first,
                                       .distance = work->distance[side][process]};
    struct difference *difference = comparing_draft(work, &like);

    member.actual[side] =
        work->runs[side].subjects.rows[work->things[row->thing].sides[side].subject].name;
    if (row->first <= work->cut[side])
        difference->later = false;
    comparing_add_process(work, difference, side, process);
    comparing_add_member(work, difference, &member);
}

/* Reading content tells more than a look, which may be a question of what was cached. */
static bool tells(const struct row *row)
{
    return (row->bits & USED_CONTENT) != 0;
}

void users_compare(struct comparing *work)
{
    struct rows rows[] = {gather(work, SIDE_A), gather(work, SIDE_B)};
    size_t at[SIDE_COUNT] = {0, 0};

    while (at[SIDE_A] < rows[SIDE_A].count || at[SIDE_B] < rows[SIDE_B].count) {
        const struct row *a =
            at[SIDE_A] < rows[SIDE_A].count ? &rows[SIDE_A].rows[at[SIDE_A]] : NULL;
        const struct row *b =
            at[SIDE_B] < rows[SIDE_B].count ? &rows[SIDE_B].rows[at[SIDE_B]] : NULL;
        int order = !a ? 1 : !b ? -1 : compare_rows(a, b);

        if (a && order <= 0 && tells(a) && (order < 0 || !tells(b)))
            report(work, SIDE_A, a);
        if (b && order >= 0 && tells(b) && (order > 0 || !tells(a)))
            report(work, SIDE_B, b);
        at[SIDE_A] += order <= 0;
        at[SIDE_B] += order >= 0;
    }
    free(rows[SIDE_A].rows);
    free(rows[SIDE_B].rows);
}
