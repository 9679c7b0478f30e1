/* SPDX-License-Identifier: MIT */
#include "database.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "quote.h"
#include "tallyman/event.h"
#include "tallyman/status.h"

/* The text of schema.sql, taken in by the assembler so that the file stays the only copy. */
__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        "database_schema:\n"
        ".incbin \"" DATABASE_SCHEMA_FILE "\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char database_schema[] __attribute__((visibility("hidden")));

#define BUSY_TIMEOUT_MS 10000
#define MAKING_TRIES    20
#define MAKING_PAUSE_US 50000
#define HEADER_SIZE     100

struct name_row {
    int channel;
    int class;
    const char *name;
    const char *text;
};

static const struct name_row channels[] = {
#define CHANNEL(id, name, title) {CHANNEL_##id, 0, name, title},
#include "tallyman/channels.def"
#undef CHANNEL
};

static const struct name_row operations[] = {
#define EVENT(id, channel, class, name, text) {CHANNEL_##channel, ACCESS_##class, name, text},
#include "tallyman/events.def"
#undef EVENT
};

static void explain(struct buffer *why, const char *path, const char *text)
{
    quote_display(why, path, strlen(path));
    buffer_add_text(why, ": ");
    buffer_add_text(why, text);
}

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool has_write_ahead_log(const char *path)
{
    cleanup_free char *log = xprintf("%s-wal", path);
    struct stat status;

    return stat(log, &status) == 0 && status.st_size > 0;
}

/* The file's own header, read without SQLite: opening a foreign database could already change it
 * (a journal that is left gets played back). */
static int check_header(const unsigned char *header, off_t size, const char *path,
                        struct buffer *why)
{
    uint32_t page = (uint32_t)header[16] << 8 | header[17];
    uint32_t pages = big_endian(header + 28);

    if (memcmp(header, "SQLite format 3", 16) != 0 ||
        big_endian(header + 68) != DATABASE_APPLICATION_ID) {
        explain(why, path, "not a tallyman database; it was left alone (choose another with -o)");
        return TALLY_ERR_FORMAT;
    }
    if (big_endian(header + 60) > DATABASE_SCHEMA_VERSION) {
        explain(
            why, path,
            "made by a newer version of tallyman; it was left alone (update tallyman, or choose "
            "another file with -o)");
        return TALLY_ERR_VERSION;
    }
    if (big_endian(header + 60) < DATABASE_SCHEMA_VERSION) {
        explain(why, path,
                "made by an older version of tallyman; it was left alone (record the build again, "
                "or choose another file with -o)");
        return TALLY_ERR_VERSION;
    }
    if (page == 1)
        page = 65536;
    /* The page count is valid only while the two change counters agree, and what a log of WAL still
     * holds need not be in the file. */
    if (memcmp(header + 24, header + 92, 4) == 0 && (off_t)pages * page > size &&
        !has_write_ahead_log(path)) {
        explain(why, path, "the database is cut off; restore it, or choose another with -o");
        return TALLY_ERR_CORRUPT;
    }
    return 0;
}

static int look_once(const char *path, struct buffer *why)
{
    unsigned char header[HEADER_SIZE];
    struct stat status;
    cleanup_close int file = -1;
    ssize_t length;

    if (stat(path, &status) != 0) {
        if (errno == ENOENT)
            return 0;
        explain(why, path, strerror(errno));
        return TALLY_ERR_SYSTEM;
    }
    if (!S_ISREG(status.st_mode)) {
        explain(why, path,
                S_ISDIR(status.st_mode) ? "is a folder, not a database" : "is not a regular file");
        return TALLY_ERR_FORMAT;
    }
    if (status.st_size == 0)
        return 0;
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        explain(why, path, strerror(errno));
        return TALLY_ERR_SYSTEM;
    }
    length = pread(file, header, sizeof header, 0);
    if (length != (ssize_t)sizeof header) {
        explain(why, path, "not a tallyman database; it was left alone (choose another with -o)");
        return TALLY_ERR_FORMAT;
    }
    if (fstat(file, &status) != 0) /* after the header: another run may be making the file */
        status.st_size = 0;
    int result = check_header(header, status.st_size, path, why);
    return result ? result : 1;
}

/* 1: a database of ours; 0: no file, or an empty one; negative: refused. A file that seems to be
 * cut off may be one that another run is just writing. */
static int look_at_file(const char *path, struct buffer *why)
{
    int result = look_once(path, why);

    for (int i = 0; result == TALLY_ERR_CORRUPT && i < MAKING_TRIES; i++) {
        usleep(MAKING_PAUSE_US);
        buffer_clear(why);
        result = look_once(path, why);
    }
    return result;
}

/* SQLite says "unable to open database file" for most of these; say which it is. */
static int check_folder(const char *path, bool exists, struct buffer *why)
{
    cleanup_free char *copy = xstrdup(path);
    const char *folder = dirname(copy);
    struct stat status;

    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode)) {
        explain(why, path, "the folder does not exist; make it, or choose another place with -o");
        return TALLY_ERR_SYSTEM;
    }
    if ((exists && access(path, W_OK) != 0) || access(folder, W_OK) != 0) {
        const char *reason = strerror(errno);

        explain(why, path, "cannot be written: ");
        buffer_add_text(why, reason);
        return TALLY_ERR_SYSTEM;
    }
    return 0;
}

static int status_of(int code)
{
    switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_DONE:
    case SQLITE_ROW:
        return 0;
    case SQLITE_FULL:
        return TALLY_ERR_FULL;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return TALLY_ERR_CORRUPT;
    default:
        return TALLY_ERR_DATABASE;
    }
}

static int failed(sqlite3 *database, const char *path, struct buffer *why)
{
    int code = sqlite3_errcode(database);

    if ((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) {
        explain(why, path,
                "locked by another program; wait for it to end, or choose another with -o");
        return TALLY_ERR_DATABASE;
    }
    if (status_of(code) == 0) {
        explain(why, path, "the database lacks its tables; restore it, or choose another with -o");
        return TALLY_ERR_CORRUPT;
    }
    explain(why, path, sqlite3_errmsg(database));
    return status_of(code);
}

static int fill_names(sqlite3 *database)
{
    cleanup_statement sqlite3_stmt *channel =
        database_prepare(database, "INSERT INTO channel VALUES (?1, ?2, ?3)");
    cleanup_statement sqlite3_stmt *operation =
        database_prepare(database, "INSERT INTO operation VALUES (?1, ?2, ?3, ?4, ?5)");

    if (!channel || !operation)
        return TALLY_ERR_DATABASE;
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        sqlite3_bind_int(channel, 1, i);
        sqlite3_bind_text(channel, 2, channels[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(channel, 3, channels[i].text, -1, SQLITE_STATIC);
        if (sqlite3_step(channel) != SQLITE_DONE)
            return TALLY_ERR_DATABASE;
        sqlite3_reset(channel);
    }
    for (int i = 0; i < EVENT_KIND_COUNT; i++) {
        sqlite3_bind_int(operation, 1, i);
        if (operations[i].channel == CHANNEL_NONE)
            sqlite3_bind_null(operation, 2);
        else
            sqlite3_bind_int(operation, 2, operations[i].channel);
        sqlite3_bind_int(operation, 3, operations[i].class);
        sqlite3_bind_text(operation, 4, operations[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(operation, 5, operations[i].text, -1, SQLITE_STATIC);
        if (sqlite3_step(operation) != SQLITE_DONE)
            return TALLY_ERR_DATABASE;
        sqlite3_reset(operation);
    }
    return 0;
}

static bool has_schema(sqlite3 *database)
{
    cleanup_statement sqlite3_stmt *query =
        database_prepare(database, "SELECT 1 FROM sqlite_schema WHERE name = 'run'");

    return query && sqlite3_step(query) == SQLITE_ROW;
}

/* In one transaction: a file is either empty or complete. Two runs that start at the same moment
 * meet here; the second finds the first one's work done. */
static int create(sqlite3 *database)
{
    char pragmas[120];
    int result;

    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             DATABASE_APPLICATION_ID, DATABASE_SCHEMA_VERSION);
    /* Wide rows by the hundred thousand: larger pages than SQLite would take. A new file has
     * nothing to lose yet. */
    database_execute(database, "PRAGMA page_size = 8192; PRAGMA synchronous = OFF");
    result = database_execute(database, "BEGIN IMMEDIATE");
    if (result)
        return result;
    if (has_schema(database))
        return database_execute(database, "COMMIT");
    result = database_execute(database, pragmas);
    if (!result)
        result = database_execute(database, database_schema);
    if (!result)
        result = fill_names(database);
    if (!result)
        result = database_execute(database, "COMMIT");
    return result; /* no ROLLBACK: it clears the error that is shown, and closing does it anyway */
}

/* WAL needs memory that processes share through a file beside the database, which some file systems
 * do not offer (9p, FUSE without a cache). SQLite finds that out when the mode is set already.
 * Closing drops all locks of the process on the file, and in WAL a connection always holds one:
 * only before SQLite opens it. */
static bool can_be_shared(const char *path)
{
    cleanup_close int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    void *page;

    if (file < 0)
        return false;
    page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED)
        return false;
    munmap(page, 1);
    return true;
}

static int open_for_writing(const char *path, bool exists, sqlite3 **database, struct buffer *why)
{
    int result = check_folder(path, exists, why);
    bool shared;

    if (result)
        return result;
    shared = can_be_shared(path);
    if (sqlite3_open_v2(path, database,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        return failed(*database, path, why);
    sqlite3_busy_timeout(*database, BUSY_TIMEOUT_MS);
    if (!exists && create(*database) != 0)
        return failed(*database, path, why);
    if (!has_schema(*database))
        return failed(*database, path, why);
    /* Elsewhere SQLite keeps the mode that it had; that is slower but right. */
    if (shared)
        database_execute(*database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                                    "PRAGMA journal_size_limit = 67108864");
    return 0;
}

static int open_for_reading(const char *path, sqlite3 **database, struct buffer *why)
{
    if (sqlite3_open_v2(path, database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        return failed(*database, path, why);
    sqlite3_busy_timeout(*database, BUSY_TIMEOUT_MS);
    if (!has_schema(*database))
        return failed(*database, path, why);
    return 0;
}

int database_open(const char *path, enum database_mode mode, sqlite3 **database, struct buffer *why)
{
    /* SQLite would take some names for options or for memory; "./" keeps them names of files. */
    cleanup_free char *name = path[0] == '/' ? xstrdup(path) : xprintf("./%s", path);
    sqlite3 *opened = NULL;
    int result = look_at_file(path, why);

    *database = NULL;
    if (result < 0)
        return result;
    if (mode == DATABASE_READ && result == 0) {
        explain(why, path, "no such database (tallyman run makes one)");
        return TALLY_ERR_NOT_FOUND;
    }
    result = mode == DATABASE_READ ? open_for_reading(name, &opened, why)
                                   : open_for_writing(name, result == 1, &opened, why);
    if (result) {
        sqlite3_close(opened);
        return result;
    }
    *database = opened;
    return 0;
}

void database_close(sqlite3 *database)
{
    if (!database)
        return;
    if (sqlite3_db_readonly(database, "main") == 0) {
        sqlite3_busy_timeout(database, 200);
        database_execute(database, "PRAGMA journal_mode = DELETE");
    }
    sqlite3_close_v2(database);
}

int database_execute(sqlite3 *database, const char *sql)
{
    return status_of(sqlite3_exec(database, sql, NULL, NULL, NULL));
}

sqlite3_stmt *database_prepare(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
        return NULL;
    return statement;
}

void database_bind_bytes(sqlite3_stmt *statement, int column, const char *bytes, size_t length)
{
    if (!bytes)
        sqlite3_bind_null(statement, column);
    else if (text_is_utf8(bytes, length))
        sqlite3_bind_text64(statement, column, bytes, length, SQLITE_STATIC, SQLITE_UTF8);
    else
        sqlite3_bind_blob64(statement, column, bytes, length, SQLITE_STATIC);
}
