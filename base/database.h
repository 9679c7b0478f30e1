/* SPDX-License-Identifier: MIT
 *
 * Opening and closing the database of runs, and the few calls of SQLite that every stage repeats.
 * What is in it: tallyman/schema.sql. Nothing here prints; a failure is a status and one line of
 * text.
 */
#ifndef BASE_DATABASE_H
#define BASE_DATABASE_H

#include <sqlite3.h>
#include <stddef.h>
#include "buffer.h"

#define DATABASE_APPLICATION_ID 0x74616c79 /* "taly" */
#define DATABASE_SCHEMA_VERSION 2

enum database_mode { DATABASE_READ, DATABASE_WRITE };

/* Opens the database at `path`. WRITE makes a missing (or empty) file; READ never changes anything.
 * On success *database is the caller's (database_close). On failure *database is NULL, `why` gets
 * one line (what, where, what to do), a file that is there was not touched, and the result is
 *   TALLY_ERR_FORMAT     not a database of ours
 *   TALLY_ERR_VERSION    made by a newer or an older tallyman
 *   TALLY_ERR_CORRUPT    ours, but cut off or damaged
 *   TALLY_ERR_NOT_FOUND  READ: there is no such file
 *   TALLY_ERR_SYSTEM     folder missing, no permission, read-only ...
 *   TALLY_ERR_FULL       no room on the disk
 *   TALLY_ERR_DATABASE   anything else, such as locked by another program */
int database_open(const char *path, enum database_mode mode, sqlite3 **database,
                  struct buffer *why);

/* Closes it and, where nobody else has it open, leaves a single file. NULL is allowed. */
void database_close(sqlite3 *database);

/* Runs statements that give no rows. 0, TALLY_ERR_FULL or TALLY_ERR_DATABASE (sqlite3_errmsg). */
int database_execute(sqlite3 *database, const char *sql);

/* A prepared statement, the caller's to finalize; NULL on failure (sqlite3_errmsg). */
sqlite3_stmt *database_prepare(sqlite3 *database, const char *sql);

/* Binds bytes as the schema asks: TEXT when they are UTF-8 without NUL, BLOB otherwise; NULL when
 * `bytes` is NULL. The bytes must stay until the statement was stepped. */
void database_bind_bytes(sqlite3_stmt *statement, int column, const char *bytes, size_t length);

static inline void database_finalize_pointer(sqlite3_stmt **statement)
{
    sqlite3_finalize(*statement);
}

static inline void database_close_pointer(sqlite3 **database)
{
    database_close(*database);
}

#define cleanup_statement __attribute__((cleanup(database_finalize_pointer)))
#define cleanup_database  __attribute__((cleanup(database_close_pointer)))

#endif
