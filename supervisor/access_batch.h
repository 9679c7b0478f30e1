/* SPDX-License-Identifier: MIT
 *
 * Accesses on their way to the database: sorted by the table's key and summed up, because rows that
 * arrive in the order of the key cost half.
 */
#ifndef ACCESS_BATCH_H
#define ACCESS_BATCH_H

#include <stdbool.h>
#include "store.h"

struct access_batch;

struct access_batch *access_batch_new(void);
void access_batch_free(struct access_batch *batch);

/* True when it is full and has to be flushed before the next. */
bool access_batch_add(struct access_batch *batch, const struct access_row *row);

/* Hands every row to `write`, in order, and empties the batch. */
void access_batch_flush(struct access_batch *batch,
                        void (*write)(void *context, const struct access_row *row), void *context);

#endif
