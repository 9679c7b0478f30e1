/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "database.h"
#include "tallyman/event.h"
#include "tallyman/status.h"

static char folder[64], path[96];
static struct buffer why = BUFFER_INIT;

static void make_folder(void)
{
    strcpy(folder, "/tmp/tallyman-test-XXXXXX");
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/a.db", folder);
}

static void remove_folder(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
    buffer_fini(&why);
}

TestSuite(database, .init = make_folder, .fini = remove_folder);

static int try_open(enum database_mode mode)
{
    cleanup_database sqlite3 *database = NULL;
    int status = database_open(path, mode, &database, &why);

    cr_assert_eq(status == 0, database != NULL);
    cr_assert_eq(status == 0, why.length == 0);
    return status;
}

static void make_database(void)
{
    cr_assert_eq(try_open(DATABASE_WRITE), 0);
}

static void write_bytes(const void *bytes, size_t length, off_t at)
{
    cleanup_close int file = open(path, O_WRONLY | O_CREAT, 0600);

    cr_assert_eq(pwrite(file, bytes, length, at), (ssize_t)length);
}

static int64_t ask(const char *sql)
{
    cleanup_database sqlite3 *database = NULL;
    cleanup_statement sqlite3_stmt *statement = NULL;

    cr_assert_eq(database_open(path, DATABASE_READ, &database, &why), 0);
    statement = database_prepare(database, sql);
    cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
    return sqlite3_column_int64(statement, 0);
}

Test(database, a_missing_file_is_made_with_its_tables_and_marks)
{
    make_database();
    cr_assert_eq(ask("PRAGMA application_id"), DATABASE_APPLICATION_ID);
    cr_assert_eq(ask("PRAGMA user_version"), DATABASE_SCHEMA_VERSION);
    cr_assert_eq(ask("SELECT count(*) FROM channel"), CHANNEL_COUNT);
    cr_assert_eq(ask("SELECT count(*) FROM operation"), EVENT_KIND_COUNT);
    cr_assert_eq(ask("SELECT count(*) FROM v_access"), 0);
}

Test(database, an_empty_file_is_filled)
{
    write_bytes("", 0, 0);
    make_database();
}

Test(database, a_single_file_is_left)
{
    char wal[128];

    make_database();
    snprintf(wal, sizeof wal, "%s-wal", path);
    cr_assert_neq(access(wal, F_OK), 0);
}

Test(database, opening_again_changes_nothing)
{
    struct stat before, after;

    make_database();
    stat(path, &before);
    make_database();
    stat(path, &after);
    cr_assert_eq(before.st_size, after.st_size);
}

Test(database, reading_a_missing_file_makes_none)
{
    cr_assert_eq(try_open(DATABASE_READ), TALLY_ERR_NOT_FOUND);
    cr_assert_neq(access(path, F_OK), 0);
}

Test(database, a_foreign_file_is_refused_and_untouched)
{
    char after[20] = {0};

    write_bytes("this is my thesis", 17, 0);
    cr_assert_eq(try_open(DATABASE_WRITE), TALLY_ERR_FORMAT);
    cleanup_close int file = open(path, O_RDONLY);

    cr_assert_eq(read(file, after, sizeof after), 17);
    cr_assert_str_eq(after, "this is my thesis");
}

Test(database, a_database_of_another_program_is_refused)
{
    sqlite3 *database;

    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    cr_assert_eq(database_execute(database, "CREATE TABLE t (x)"), 0);
    sqlite3_close(database);
    cr_assert_eq(try_open(DATABASE_WRITE), TALLY_ERR_FORMAT);
    cr_assert(strstr(why.data, "left alone") != NULL);
}

Test(database, an_older_schema_is_refused)
{
    const unsigned char version[] = {0, 0, 0, DATABASE_SCHEMA_VERSION - 1};

    make_database();
    write_bytes(version, sizeof version, 60);
    cr_assert_eq(try_open(DATABASE_READ), TALLY_ERR_VERSION);
    cr_assert(strstr(why.data, "older version") != NULL);
}

Test(database, a_newer_schema_is_refused)
{
    const unsigned char version[] = {0, 0, 0, DATABASE_SCHEMA_VERSION + 1};

    make_database();
    write_bytes(version, sizeof version, 60);
    cr_assert_eq(try_open(DATABASE_WRITE), TALLY_ERR_VERSION);
    buffer_clear(&why);
    cr_assert_eq(try_open(DATABASE_READ), TALLY_ERR_VERSION);
}

Test(database, a_cut_off_database_is_refused)
{
    make_database();
    cr_assert_eq(truncate(path, 20000), 0);
    cr_assert_eq(try_open(DATABASE_WRITE), TALLY_ERR_CORRUPT);
}

Test(database, a_missing_folder_is_named_as_such)
{
    snprintf(path, sizeof path, "%s/no/a.db", folder);
    cr_assert_eq(try_open(DATABASE_WRITE), TALLY_ERR_SYSTEM);
    cr_assert(strstr(why.data, "folder does not exist") != NULL);
}

Test(database, a_folder_is_no_database)
{
    strcpy(path, folder);
    cr_assert_eq(try_open(DATABASE_WRITE), TALLY_ERR_FORMAT);
}

Test(database, a_pipe_is_refused_without_waiting, .timeout = 5)
{
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_assert_eq(try_open(DATABASE_WRITE), TALLY_ERR_FORMAT);
}

Test(database, a_name_that_sqlite_would_take_for_an_option_is_a_file)
{
    cr_assert_eq(chdir(folder), 0);
    strcpy(path, ":memory:");
    make_database();
    cr_assert_eq(access(":memory:", F_OK), 0);
}

Test(database, bytes_are_text_when_they_can_be)
{
    cleanup_database sqlite3 *database = NULL;
    cleanup_statement sqlite3_stmt *statement = NULL;
    static const char *const types[] = {"text", "blob", "blob", "text", "null"};
    static const struct {
        const char *bytes;
        size_t length;
    } values[] = {{"caf\xc3\xa9", 5}, {"\xff", 1}, {"a\0b", 3}, {"", 0}, {NULL, 0}};

    cr_assert_eq(database_open(path, DATABASE_WRITE, &database, &why), 0);
    statement = database_prepare(database, "SELECT typeof(?1)");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        database_bind_bytes(statement, 1, values[i].bytes, values[i].length);
        cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
        cr_assert_str_eq((const char *)sqlite3_column_text(statement, 0), types[i]);
        sqlite3_reset(statement);
    }
}
