/* SPDX-License-Identifier: MIT */
#include "render.h"

#include <string.h>

#include "database.h"
#include "tallyman/status.h"

/* The text of the query, taken in by the assembler so that the file stays the only copy. */
__asm__(".pushsection .rodata\n"
        "report_accesses_sql:\n"
        ".incbin \"" ACCESSES_SQL_FILE "\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char report_accesses_sql[] __attribute__((visibility("hidden")));

static struct text column(sqlite3_stmt *row, int number)
{
    /* For a BLOB, too: the bytes stay as they are and get a NUL behind them. */
    struct text text = {(const char *)sqlite3_column_text(row, number), 0};

    text.length = (size_t)sqlite3_column_bytes(row, number);
    if (!text.bytes)
        text = (struct text){"", 0};
    return text;
}

int each_access(sqlite3 *db, int64_t run, void (*show)(const struct access_row *row, void *data),
                void *data)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(db, report_accesses_sql);
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        struct access_row access = {
            .channel = column(row, 0),
            .operation = column(row, 1),
            .subject = column(row, 2),
            .outcome = sqlite3_column_int(row, 3),
            .verdict = column(row, 4),
            .source = column(row, 5),
            .count = sqlite3_column_int64(row, 6),
            .processes = sqlite3_column_int64(row, 7),
            .process = sqlite3_column_int64(row, 8),
            .rule = column(row, 9),
        };

        show(&access, data);
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

void add_outcome(struct buffer *out, int outcome)
{
    const char *name = outcome ? strerrorname_np(outcome) : "ok";

    if (name)
        buffer_add_text(out, name);
    else
        buffer_printf(out, "errno %d", outcome);
}
