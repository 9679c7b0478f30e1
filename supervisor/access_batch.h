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

/* True when it is full and has to be written before the next. */
bool access_batch_add(struct access_batch *batch, const struct access_row *row);

/* Sorts and sums up; *rows is valid until the batch is cleared. Returns how many. */
size_t access_batch_close(struct access_batch *batch, const struct access_row **rows);
void access_batch_clear(struct access_batch *batch);

#endif
