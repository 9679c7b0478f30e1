/* SPDX-License-Identifier: MIT
 *
 * A name without schema means the temporary table first, so every statement of the analyzer that
 * names `access` uses the copy once it exists.
 */
#include "analyzer.h"

#include <string.h>

#include "buffer.h"
#include "database.h"
#include "summaries.h"
#include "tallyman/status.h"

/* Makes the copy from the thing's own statement: "CREATE TABLE name ...", or a view. */
static int copy_shape(sqlite3 *db, const char *name)
{
    static const char create[] = "CREATE ";
    cleanup_buffer struct buffer sql = BUFFER_INIT;
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT sql FROM main.sqlite_schema WHERE type IN ('table', 'view') AND name = ?1");
    const char *text;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
    if (sqlite3_step(row) != SQLITE_ROW)
        return TALLY_ERR_DATABASE;
    text = (const char *)sqlite3_column_text(row, 0);
    if (!text || strncmp(text, create, strlen(create)) != 0)
        return TALLY_ERR_CORRUPT;
    buffer_printf(&sql, "CREATE TEMP %s", text + strlen(create));
    return database_execute(db, sql.data) == 0 ? 0 : TALLY_ERR_DATABASE;
}

struct shadow {
    const char *name;
    const char *copy; /* NULL: nothing is copied */
};

/* What a manifest decides. A view without schema that lies in the file would show the file's. */
static const struct shadow judged[] = {
    {"rule", NULL},
    {"process_action", NULL},
    {"judgement", NULL},
    {"judged_access", NULL},
    {"environment_variable", "INSERT INTO temp.environment_variable"
                             " SELECT * FROM main.environment_variable WHERE run = ?1"},
};

/* What is missing besides while a run has not ended properly. */
static const struct shadow summarised[] = {
    {"access", "INSERT INTO temp.access SELECT * FROM main.access WHERE process IN"
               " (SELECT id FROM main.process WHERE run = ?1)"},
    {"access_summary", NULL},
};

static int cast(sqlite3 *db, int64_t run, const struct shadow *shadows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int result = copy_shape(db, shadows[i].name);
        cleanup_statement sqlite3_stmt *copy = NULL;

        if (result != 0)
            return result;
        if (!shadows[i].copy)
            continue;
        copy = database_prepare(db, shadows[i].copy);
        if (!copy)
            return TALLY_ERR_DATABASE;
        sqlite3_bind_int64(copy, 1, run);
        if (sqlite3_step(copy) != SQLITE_DONE)
            return TALLY_ERR_DATABASE;
    }
    return 0;
}

int analyzer_shadow(sqlite3 *db, int64_t run)
{
    int exist = summaries_exist(db, run);
    int result = exist < 0 ? exist : 0;

    if (exist == 0)
        result = cast(db, run, summarised, sizeof summarised / sizeof *summarised);
    if (result == 0)
        result = cast(db, run, judged, sizeof judged / sizeof *judged);
    return result;
}
