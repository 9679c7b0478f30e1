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

void access_batch_flush(struct access_batch *batch,
                        void (*write)(void *context, const struct access_row *row), void *context)
{
    struct access_row *rows = batch->rows;

    qsort(rows, batch->count, sizeof *rows, by_key_and_time);
    for (size_t i = 0; i < batch->count;) {
        size_t next = i + 1;

        for (; next < batch->count && by_key(&rows[i], &rows[next]) == 0; next++)
            rows[i].count += rows[next].count;
        write(context, &rows[i]);
        i = next;
    }
    batch->count = 0;
}
