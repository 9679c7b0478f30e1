/* SPDX-License-Identifier: MIT
 *
 * What a thing that very many processes use adds up to, without reading a row of each of them.
 */
#ifndef ANALYZER_ACCESS_REST_H
#define ANALYZER_ACCESS_REST_H

#include "access_rows.h"

/* Calls for the uses of the subject by processes from `bound` (process.id) on, from the summaries
 * alone: `process` is a negative number, one for each process, and `first` is not known
 * (INT64_MAX). 0 or TALLY_ERR_DATABASE. */
int access_rest_of_subject(sqlite3 *db, int64_t run, int64_t subject, int64_t bound,
                           access_row_handler handle, void *data);

#endif
