/* SPDX-License-Identifier: MIT
 *
 * rpm's database in the form that it has had since 2020: SQLite, with a header per package. It is
 * read as a file, and not by asking `rpm -qf`: one pass for any number of questions, no program of
 * the machine is run, and the machine can be a folder. What older systems have (Berkeley DB) and
 * SUSE's own format are named as not read.
 *
 * A header is an index of (tag, type, offset, count), each four bytes, big end first, and the data
 * behind it: https://rpm.org, "RPM header format".
 */
#include "package_reader.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "buffer.h"
#include "cleanup.h"
#include "database.h"

#define HEADER_MAX   (64 << 20)
#define STEPS_A_CALL 100000
#define CALLS_MAX    2000 /* no database of packages takes as many steps of SQLite's machine */
#define ENTRY_SIZE   16
#define STATE_NORMAL 0
#define BUSY_MS      2000

enum tag {
    TAG_NAME = 1000,
    TAG_VERSION = 1001,
    TAG_RELEASE = 1002,
    TAG_EPOCH = 1003,
    TAG_FILE_STATES = 1029,
    TAG_DIRECTORY_INDEXES = 1116,
    TAG_BASE_NAMES = 1117,
    TAG_DIRECTORY_NAMES = 1118
};

enum type { TYPE_CHAR = 1, TYPE_INT32 = 4, TYPE_STRING = 6, TYPE_STRING_ARRAY = 8 };

struct header {
    const unsigned char *index, *data;
    uint32_t entries, size; /* of the index, of the data in bytes */
};

/* What one entry of the index points at. */
struct values {
    const unsigned char *bytes;
    size_t length; /* up to the end of the data */
    uint32_t count;
};

static uint32_t big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool open_header(struct header *header, const unsigned char *blob, size_t length)
{
    uint64_t needed;

    if (length < 8)
        return false;
    header->entries = big_endian(blob);
    header->size = big_endian(blob + 4);
    needed = 8 + (uint64_t)header->entries * ENTRY_SIZE + header->size;
    if (needed > length)
        return false;
    header->index = blob + 8;
    header->data = header->index + (size_t)header->entries * ENTRY_SIZE;
    return true;
}

static bool find(const struct header *header, enum tag tag, enum type type, struct values *values)
{
    for (uint32_t i = 0; i < header->entries; i++) {
        const unsigned char *entry = header->index + (size_t)i * ENTRY_SIZE;
        uint32_t offset = big_endian(entry + 8);

        if (big_endian(entry) != tag)
            continue;
        if (big_endian(entry + 4) != type || offset >= header->size)
            return false;
        *values =
            (struct values){header->data + offset, header->size - offset, big_endian(entry + 12)};
        /* Each value takes a byte at least, and a number four. */
        return values->count <= values->length / (type == TYPE_INT32 ? 4 : 1);
    }
    return false;
}

/* Takes the next string; false when none ends within the data. */
static bool next_string(struct values *values, struct dpkg_word *word)
{
    const unsigned char *end = memchr(values->bytes, '\0', values->length);

    if (!end || values->count == 0)
        return false;
    *word = (struct dpkg_word){(const char *)values->bytes, (size_t)(end - values->bytes)};
    values->length -= word->length + 1;
    values->bytes = end + 1;
    values->count--;
    return true;
}

static struct dpkg_word string_of(const struct header *header, enum tag tag)
{
    struct values values;
    struct dpkg_word word;

    if (find(header, tag, TYPE_STRING, &values) && next_string(&values, &word))
        return word;
    return (struct dpkg_word){"", 0};
}

static uint32_t add_package(struct packages *packages, const struct header *header)
{
    struct dpkg_word version = string_of(header, TAG_VERSION);
    struct dpkg_word release = string_of(header, TAG_RELEASE);
    cleanup_buffer struct buffer text = BUFFER_INIT;
    struct values epoch;

    if (find(header, TAG_EPOCH, TYPE_INT32, &epoch) && epoch.count > 0)
        buffer_printf(&text, "%u:", big_endian(epoch.bytes));
    buffer_add(&text, version.bytes, version.length);
    buffer_add_char(&text, '-');
    buffer_add(&text, release.bytes, release.length);
    return packages_add(packages, string_of(header, TAG_NAME),
                        (struct dpkg_word){text.data, text.length});
}

/* The folders of a header by number; `count` is how many there are. The caller frees. */
static struct dpkg_word *list_folders(const struct header *header, uint32_t *count)
{
    struct values values;
    struct dpkg_word *folders;

    *count = 0;
    if (!find(header, TAG_DIRECTORY_NAMES, TYPE_STRING_ARRAY, &values))
        return NULL;
    folders = xcalloc(values.count, sizeof *folders);
    while (next_string(&values, &folders[*count]))
        ++*count;
    return folders;
}

static void give_files(struct packages *packages, const struct header *header, uint32_t package)
{
    uint32_t folder_count;
    cleanup_free struct dpkg_word *folders = list_folders(header, &folder_count);
    cleanup_buffer struct buffer path = BUFFER_INIT;
    struct values names, indexes, states = {0};
    struct dpkg_word name;

    if (!find(header, TAG_BASE_NAMES, TYPE_STRING_ARRAY, &names) ||
        !find(header, TAG_DIRECTORY_INDEXES, TYPE_INT32, &indexes))
        return;
    if (!find(header, TAG_FILE_STATES, TYPE_CHAR, &states))
        states.count = 0;
    for (uint32_t i = 0; i < indexes.count && next_string(&names, &name); i++) {
        uint32_t folder = big_endian(indexes.bytes + 4 * (size_t)i);

        /* Others were left out, or another package has put its own in their place. */
        if (folder >= folder_count || (i < states.count && states.bytes[i] != STATE_NORMAL))
            continue;
        buffer_clear(&path);
        buffer_add(&path, folders[folder].bytes, folders[folder].length);
        buffer_add(&path, name.bytes, name.length);
        if (path.length)
            packages_give(packages, package, path.data, path.length);
    }
}

static bool take_header(struct packages *packages, const void *blob, size_t length)
{
    struct header header;
    uint32_t package;

    if (!blob || !open_header(&header, blob, length))
        return false;
    package = add_package(packages, &header);
    if (package != MAP_NONE)
        give_files(packages, &header, package);
    return package != MAP_NONE;
}

static int count_call(void *calls)
{
    return ++*(int *)calls > CALLS_MAX;
}

/* In a database that nobody writes to SQLite need not make files beside it, which it could not
 * everywhere. Pages that are in the log alone need them. */
static char *name_for_sqlite(const char *path)
{
    cleanup_free char *log = xprintf("%s-wal", path);
    cleanup_buffer struct buffer name = BUFFER_INIT;
    struct stat status;
    bool busy = stat(log, &status) == 0 && status.st_size > 0;

    buffer_add_text(&name, "file:");
    for (const char *at = path; *at; at++)
        if (strchr("%?#", *at))
            buffer_printf(&name, "%%%02x", (unsigned char)*at);
        else
            buffer_add_char(&name, *at);
    buffer_add_text(&name, busy ? "?mode=ro" : "?mode=ro&immutable=1");
    return buffer_take(&name);
}

/* Its tables could be views that run for ever: steps are counted, and nothing is called. */
static sqlite3 *open_database(const char *path, int *calls)
{
    cleanup_free char *name = name_for_sqlite(path);
    sqlite3 *db = NULL;

    sqlite3_open_v2(name, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    if (!db)
        return NULL;
    sqlite3_busy_timeout(db, BUSY_MS);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, HEADER_MAX);
    sqlite3_progress_handler(db, STEPS_A_CALL, count_call, calls);
    return db;
}

static void scan_database(struct packages *packages, const char *path)
{
    int calls = 0, code = SQLITE_ERROR;
    size_t broken = 0;
    cleanup_database sqlite3 *db = open_database(path, &calls);
    cleanup_statement sqlite3_stmt *row =
        db ? database_prepare(db, "SELECT blob FROM Packages") : NULL;

    while (row && (code = sqlite3_step(row)) == SQLITE_ROW)
        if (!take_header(packages, sqlite3_column_blob(row, 0),
                         (size_t)sqlite3_column_bytes(row, 0)))
            broken++;
    if (code != SQLITE_DONE)
        packages_note_trouble(packages, path, db ? sqlite3_errmsg(db) : "out of memory");
    else if (broken)
        packages_note_trouble(packages, path, "headers of packages in it make no sense");
}

/* The first place that rpm's database is found in. */
void packages_scan_rpm(struct packages *packages)
{
    static const struct {
        const char *path, *trouble;
    } places[] = {
        {"/usr/lib/sysimage/rpm/rpmdb.sqlite", NULL},
        {"/var/lib/rpm/rpmdb.sqlite", NULL},
        {"/usr/lib/sysimage/rpm/Packages.db",
         "rpm's format ndb; only its SQLite databases are read"},
        {"/var/lib/rpm/Packages.db", "rpm's format ndb; only its SQLite databases are read"},
        {"/var/lib/rpm/Packages", "a Berkeley DB; only rpm's SQLite databases are read"},
    };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        cleanup_free char *path = packages_path(packages, places[i].path);
        struct stat status;

        if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
            continue;
        if (places[i].trouble)
            packages_note_trouble(packages, path, places[i].trouble);
        else
            scan_database(packages, path);
        return;
    }
}
