/* SPDX-License-Identifier: MIT
 *
 * What the renderers share: one function per row of formats.def, and the queries in sql/.
 */
#ifndef REPORTS_RENDER_H
#define REPORTS_RENDER_H

#include "reports.h"

#define FORMAT(name, text)                                                                         \
    int render_##name(const struct analysis *analysis, sqlite3 *db,                                \
                      const struct report_settings *settings, struct buffer *out);
#include "formats.def"
#undef FORMAT

/* One row of sql/accesses.sql: the same use by any number of processes. */
struct access_row {
    struct text channel, operation, subject, verdict, source, rule;
    int outcome;
    int64_t count, processes;
    int64_t process; /* process.id of the first */
};

/* Calls `show` for each access of the run. 0 or TALLY_ERR_DATABASE. */
int each_access(sqlite3 *db, int64_t run, void (*show)(const struct access_row *row, void *data),
                void *data);

/* "ok", "ENOENT" ... */
void add_outcome(struct buffer *out, int outcome);

#endif
