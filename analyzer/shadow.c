/* SPDX-License-Identifier: MIT
 *
 * A name without schema means the temporary table first, so every statement of the analyzer that
 * names `access` uses the copy once it exists.
 */
#include "analyzer.h"

#include <string.h>

#include "buffer.h"
#include "database.h"
#include "tallyman/status.h"

/* Makes the empty copy from the table's own statement: "CREATE TABLE name ...". */
static int copy_shape(sqlite3 *db, const char *table)
{
    static const char create[] = "CREATE ";
    cleanup_buffer struct buffer sql = BUFFER_INIT;
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?1");
    const char *text;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_text(row, 1, table, -1, SQLITE_STATIC);
    if (sqlite3_step(row) != SQLITE_ROW)
        return TALLY_ERR_DATABASE;
    text = (const char *)sqlite3_column_text(row, 0);
    if (!text || strncmp(text, create, strlen(create)) != 0)
        return TALLY_ERR_CORRUPT;
    buffer_printf(&sql, "CREATE TEMP %s", text + strlen(create));
    return database_execute(db, sql.data) == 0 ? 0 : TALLY_ERR_DATABASE;
}

int analyzer_shadow(sqlite3 *db, int64_t run)
{
    static const struct {
        const char *name, *copy;
    } tables[] = {
        {"access", "INSERT INTO temp.access SELECT * FROM main.access WHERE process IN"
                   " (SELECT id FROM main.process WHERE run = ?1)"},
        {"environment_variable", "INSERT INTO temp.environment_variable"
                                 " SELECT * FROM main.environment_variable WHERE run = ?1"},
        {"rule", "INSERT INTO temp.rule SELECT * FROM main.rule WHERE run = ?1"},
    };

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        int result = copy_shape(db, tables[i].name);
        cleanup_statement sqlite3_stmt *copy = NULL;

        if (result != 0)
            return result;
        copy = database_prepare(db, tables[i].copy);
        if (!copy)
            return TALLY_ERR_DATABASE;
        sqlite3_bind_int64(copy, 1, run);
        if (sqlite3_step(copy) != SQLITE_DONE)
            return TALLY_ERR_DATABASE;
    }
    return 0;
}
