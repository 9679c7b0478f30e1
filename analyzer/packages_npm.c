/* SPDX-License-Identifier: MIT
 *
 * npm, yarn and pnpm put a package into a folder node_modules/NAME or node_modules/@SCOPE/NAME,
 * with its package.json. All below belongs to it, up to the next node_modules.
 */
#include "package_reader.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "database.h"

#define FOLDERS_MAX 100000

/* The package's folder, the innermost; false when the path is in none. */
static bool folder_of(struct dpkg_word path, struct dpkg_word *folder)
{
    static const char modules[] = "/node_modules/";
    const char *end = path.bytes + path.length;
    const char *at = path.bytes, *name = NULL, *slash;

    while ((at = memmem(at, (size_t)(end - at), modules, sizeof modules - 1)))
        name = at += sizeof modules - 1 - 1;
    if (!name || ++name == end || *name == '.') /* .bin, .cache ... */
        return false;
    slash = memchr(name, '/', (size_t)(end - name));
    if (*name == '@') {
        if (!slash || slash + 1 == end)
            return false;
        slash = memchr(slash + 1, '/', (size_t)(end - slash - 1));
    }
    *folder = (struct dpkg_word){path.bytes, (size_t)((slash ? slash : end) - path.bytes)};
    return true;
}

static struct dpkg_word text_column(sqlite3_stmt *row, int column)
{
    if (sqlite3_column_type(row, column) != SQLITE_TEXT)
        return (struct dpkg_word){"", 0};
    return (struct dpkg_word){(const char *)sqlite3_column_text(row, column),
                              (size_t)sqlite3_column_bytes(row, column)};
}

/* `query` takes JSON and gives name and version: SQLite reads JSON of anybody. MAP_NONE when the
 * file is missing or names no package: a folder of another kind. */
static uint32_t read_package(struct packages *packages, sqlite3_stmt *query,
                             struct dpkg_word folder)
{
    cleanup_free char *below = xprintf("%.*s/package.json", (int)folder.length, folder.bytes);
    cleanup_free char *path = packages_path(packages, below);
    size_t length = 0;
    cleanup_free char *text = packages_read(packages, path, PACKAGE_TEXT_MAX, &length);
    uint32_t package = MAP_NONE;

    if (!text)
        return MAP_NONE;
    sqlite3_bind_text64(query, 1, text, length, SQLITE_STATIC, SQLITE_UTF8);
    if (sqlite3_step(query) == SQLITE_ROW)
        package = packages_add(packages, text_column(query, 0), text_column(query, 1));
    sqlite3_reset(query);
    return package;
}

static void scan(struct packages *packages, sqlite3_stmt *query)
{
    cleanup_free uint32_t *owners = NULL;
    struct names seen = {0};
    struct dpkg_word path, folder;
    uint32_t at = 0;

    while (packages_next_unowned(packages, &at, &path)) {
        size_t before = seen.count;
        uint32_t number;

        if (!folder_of(path, &folder))
            continue;
        number = names_find(&seen, folder.bytes, folder.length);
        if (number == MAP_NONE && before == FOLDERS_MAX)
            continue;
        if (number == MAP_NONE) {
            number = names_add(&seen, folder.bytes, folder.length);
            if ((before & (before - 1)) == 0)
                owners = xrealloc(owners, (before ? 2 * before : 1) * sizeof *owners);
            owners[number] = read_package(packages, query, folder);
        }
        packages_give(packages, owners[number], path.bytes, path.length);
    }
    names_fini(&seen);
}

void packages_scan_npm(struct packages *packages)
{
    static const char query[] =
        "SELECT CASE json_type(?1, '$.name') WHEN 'text' THEN json_extract(?1, '$.name') END,"
        " CASE json_type(?1, '$.version') WHEN 'text' THEN json_extract(?1, '$.version') END";
    cleanup_database sqlite3 *db = NULL;
    cleanup_statement sqlite3_stmt *row = NULL;

    if (sqlite3_open(":memory:", &db) == SQLITE_OK && (row = database_prepare(db, query)))
        scan(packages, row);
}
