/* SPDX-License-Identifier: MIT */
#include "access_batch.h"

#include <stdlib.h>

#include "die.h"

#define BATCH_ROWS 65536u

struct access_batch {
    size_t count;
    struct access_row rows[BATCH_ROWS];
};

struct access_batch *access_batch_new(void)
{
    struct access_batch *batch = xmalloc(sizeof *batch);

    batch->count = 0;
    return batch;
}

void access_batch_free(struct access_batch *batch)
{
    free(batch);
}

bool access_batch_add(struct access_batch *batch, const struct access_row *row)
{
    batch->rows[batch->count++] = *row;
    return batch->count == BATCH_ROWS;
}

static int by_number(int64_t left, int64_t right)
{
    return (left > right) - (left < right);
}

/* The primary key of the table `access`, then time, so that the first of equal rows is the
 * earliest. */
static int by_key(const void *left, const void *right)
{
    const struct access_row *a = left, *b = right;
    int order = by_number(a->process, b->process);

    if (!order)
        order = by_number(a->operation, b->operation);
    if (!order)
        order = by_number(a->subject, b->subject);
    if (!order)
        order = by_number(a->other, b->other);
    if (!order)
        order = by_number(a->outcome, b->outcome);
    if (!order)
        order = by_number(a->flags, b->flags);
    if (!order)
        order = by_number(a->source, b->source);
    return order;
}

static int by_key_and_time(const void *left, const void *right)
{
    const struct access_row *a = left, *b = right;
    int order = by_key(left, right);

    return order ? order : by_number(a->first, b->first);
}

size_t access_batch_close(struct access_batch *batch, const struct access_row **rows)
{
    struct access_row *all = batch->rows;
    size_t kept = 0;

    qsort(all, batch->count, sizeof *all, by_key_and_time);
    for (size_t i = 0; i < batch->count; i++) {
        if (kept && by_key(&all[kept - 1], &all[i]) == 0)
            all[kept - 1].count += all[i].count;
        else
            all[kept++] = all[i];
    }
    batch->count = kept;
    *rows = all;
    return kept;
}

void access_batch_clear(struct access_batch *batch)
{
    batch->count = 0;
}
