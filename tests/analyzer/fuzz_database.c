/* SPDX-License-Identifier: MIT
 *
 * libFuzzer target: bytes -> changes to a small run that was recorded and judged -> analysis,
 * judging again, explanations' rows. Nothing may crash, hang or overflow, whatever numbers and sets
 * a database holds.
 *
 * The bytes are taken as a list of changes, each to one column of one row, because a file of random
 * bytes would be refused by SQLite long before anything here reads it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access_rows.h"
#include "analysis.h"
#include "analyzer.h"
#include "database.h"
#include "manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

__asm__(".pushsection .rodata\n"
        "small_run_sql:\n"
        ".incbin \"" SMALL_RUN_SQL_FILE "\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char small_run_sql[] __attribute__((visibility("hidden")));

static const char more_sql[] =
    "INSERT INTO event (process, channel, operation, subject, outcome, flags, first, source) VALUES"
    " (1, 'filesystem', 'read', '/usr/include/a.h', 0, 0, 10, 0),"
    " (2, 'filesystem', 'read', '/usr/include/a.h', 0, 0, 11, 0),"
    " (3, 'filesystem', 'read', '/usr/include/a.h', 0, 0, 12, 0),"
    " (3, 'filesystem', 'stat', '/usr/local/include/a.h', 2, 0, 13, 0),"
    " (3, 'filesystem', 'write', '/home/ann/project/a.o', 0, 5, 14, 0),"
    " (2, 'filesystem', 'rename-to', '/tmp/x', 0, 0, 15, 1),"
    " (2, 'network', 'connect', '192.0.2.1:80', 0, 0, 16, 1),"
    " (3, 'environment', 'read', 'HOME', 0, 0, 17, 0);"
    "INSERT INTO resolves VALUES ('/usr/include/a.h', '/usr/include/real.h');"
    "INSERT INTO environment_variable (run, block, subject, hash) SELECT 1, 7, id, NULL"
    " FROM subject WHERE channel = 3;"
    "UPDATE process SET environment = 7 WHERE id = 3;"
    "INSERT INTO artifact SELECT 1, id, 1, NULL, 'declared', 1, 2, 3 FROM subject WHERE id = 1;"
    "INSERT INTO blind_spot VALUES (1, 3, 'static', 'x', 1);";

/* Columns that the readers take numbers, names or sets from. */
static const struct {
    const char *table, *column;
} columns[] = {
    {"access_summary", "processes"},
    {"access_summary", "subject"},
    {"access_summary", "operation"},
    {"access_summary", "outcome"},
    {"access_summary", "flags"},
    {"access_summary", "rows"},
    {"access_summary", "count"},
    {"access_summary", "first"},
    {"access_summary", "confirmed"},
    {"access_summary", "source"},
    {"access_summary", "made"},
    {"judgement", "action"},
    {"judgement", "verdict"},
    {"judgement", "rule"},
    {"process", "parent"},
    {"process", "exe"},
    {"process", "argv"},
    {"process", "environment"},
    {"process", "how"},
    {"process", "shim"},
    {"process", "started"},
    {"subject", "name"},
    {"subject", "channel"},
    {"subject", "resolved"},
    {"subject", "package"},
    {"access", "outcome"},
    {"access", "first"},
    {"access", "count"},
    {"access", "summary"},
    {"rule", "line"},
    {"environment_variable", "block"},
    {"run", "root"},
    {"run", "home"},
    {"run", "argv"},
    {"run", "monotonic"},
    {"blind_spot", "class"},
    {"artifact", "modified"},
    {"blind_spot", "count"},
};

static sqlite3 *db;
static struct policy *policy;

static void need(bool done)
{
    if (!done)
        abort();
}

static void prepare(void)
{
    struct buffer why = BUFFER_INIT;
    char path[] = "/tmp/fuzz_database.XXXXXX";
    struct manifest *manifest = manifest_ambient("/home/ann/project");
    size_t size;

    need(mkstemp(path) >= 0);
    need(database_open(path, DATABASE_WRITE, &db, &why) == 0);
    unlink(path);
    policy = policy_compile(manifest, &size, &why);
    need(database_execute(db, "PRAGMA journal_mode = MEMORY; PRAGMA foreign_keys = OFF") == 0);
    need(database_execute(db, small_run_sql) == 0 && database_execute(db, more_sql) == 0);
    need(analyzer_judge(db, 1, policy) == 0);
    manifest_free(manifest);
    buffer_fini(&why);
}

/* One change: a column, a row, how the value is meant, its length, the value. */
static size_t change(const uint8_t *data, size_t size)
{
    size_t length = size < 5 ? 0 : data[3] % 24;
    cleanup_statement sqlite3_stmt *update = NULL;
    char sql[200];
    int64_t number = 0;
    size_t which;

    if (size < 5 + length)
        return 0;
    which = data[0] % (sizeof columns / sizeof *columns);
    snprintf(sql, sizeof sql,
             "UPDATE OR IGNORE %s SET %s = ?1 WHERE abs(%s.%s) %% 7 = %d OR ?2 = 0",
             columns[which].table, columns[which].column, columns[which].table,
             columns[which].column, data[1] % 7);
    update = database_prepare(db, sql);
    need(update);
    memcpy(&number, data + 5, length < sizeof number ? length : sizeof number);
    if (data[2] % 3 == 0)
        sqlite3_bind_int64(update, 1, number);
    else if (data[2] % 3 == 1)
        sqlite3_bind_blob(update, 1, data + 5, (int)length, SQLITE_STATIC);
    else
        sqlite3_bind_int(update, 1, (int8_t)data[4]);
    sqlite3_bind_int(update, 2, data[1] & 1);
    sqlite3_step(update); /* a value of the wrong type is refused by the table */
    return 5 + length;
}

static void ignore(const struct access_row_of *row, void *data)
{
    (void)row;
    (void)data;
}

static void read_all(void)
{
    struct buffer why = BUFFER_INIT;

    analysis_free(analysis_load(db, 1, &why));
    for (int64_t subject = 1; subject < 6; subject++)
        access_rows_of_subject(db, 1, subject, ignore, NULL);
    access_rows_undeclared(db, 1, ignore, NULL);
    buffer_fini(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t taken;

    if (!db)
        prepare();
    need(database_execute(db, "SAVEPOINT fuzz") == 0);
    for (int i = 0; i < 16 && (taken = change(data, size)) > 0; i++) {
        data += taken;
        size -= taken;
    }
    read_all();
    if (analyzer_judge(db, 1, policy) == 0)
        read_all();
    if (analyzer_summarise(db, 1) == 0 && analyzer_judge(db, 1, policy) == 0)
        read_all();
    need(database_execute(db, "ROLLBACK TO fuzz; RELEASE fuzz") == 0);
    return 0;
}
