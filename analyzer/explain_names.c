/* SPDX-License-Identifier: MIT */
#include "explain_names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "access_rows.h"
#include "cleanup.h"
#include "database.h"
#include "quote.h"
#include "spelling.h"

#define SEVERAL_MOST 5
#define NEAREST_MOST 4
#define WHOLE_MOST   128 /* more than spelling_distance can say */

/* --- paths ---------------------------------------------------------------------------------- */

/* Adds the names of `path` one after the other, with "." and ".." resolved as text. */
static void add_names(struct buffer *out, const char *path)
{
    while (*path) {
        size_t length = strcspn(path, "/");

        if (length == 2 && path[0] == '.' && path[1] == '.') {
            while (out->length && out->data[out->length - 1] != '/')
                out->length--;
            out->length -= out->length > 0;
        } else if (length && !(length == 1 && path[0] == '.')) {
            buffer_add_char(out, '/');
            buffer_add(out, path, length);
        }
        path += length;
        path += *path == '/';
    }
}

static void add_path(struct paths *paths, const char *folder, const char *rest)
{
    struct buffer path = BUFFER_INIT;

    if (!folder || folder[0] != '/' || paths->count == PATHS_MOST)
        return;
    add_names(&path, folder);
    add_names(&path, rest);
    if (!path.length)
        buffer_add_char(&path, '/');
    paths->rows[paths->count++] = (struct text){path.data, path.length};
    path.data[path.length] = '\0';
}

void paths_meant(struct paths *paths, const struct analysis *analysis, const char *name,
                 const char *cwd)
{
    *paths = (struct paths){.count = 0};
    if (name[0] == '/') {
        add_path(paths, name, "");
    } else if (name[0] == '~' && (name[1] == '/' || !name[1])) {
        add_path(paths, analysis->home.bytes, name + 1);
    } else if (name[0]) {
        add_path(paths, cwd, name);
        add_path(paths, analysis->root.bytes, name);
        add_path(paths, analysis->cwd.bytes, name);
    }
}

void paths_fini(struct paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free((char *)paths->rows[i].bytes);
    paths->count = 0;
}

/* --- what to offer -------------------------------------------------------------------------- */

static void add_name(struct buffer *why, sqlite3 *db, int64_t id)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT name FROM subject WHERE id = ?1");

    if (!row || sqlite3_bind_int64(row, 1, id) != SQLITE_OK || sqlite3_step(row) != SQLITE_ROW)
        return;
    quote_shortened(why, sqlite3_column_blob(row, 0), (size_t)sqlite3_column_bytes(row, 0), 120);
}

void explain_several(struct buffer *why, sqlite3 *db, struct text asked, const int64_t *ids,
                     size_t count)
{
    buffer_printf(why, "%zu paths end in ", count);
    quote_shortened(why, asked.bytes, asked.length, 80);
    for (size_t i = 0; i < count && i < SEVERAL_MOST; i++) {
        buffer_add_text(why, i ? ", " : ": ");
        add_name(why, db, ids[i]);
    }
    if (count > SEVERAL_MOST)
        buffer_printf(why, " and %zu more", count - SEVERAL_MOST);
}

struct candidate {
    int64_t id;
    size_t distance;
};

/* The last name of a path, without the slashes behind it. */
static struct text last_name(struct text name)
{
    const char *slash;

    while (name.length > 1 && name.bytes[name.length - 1] == '/')
        name.length--;
    slash = memrchr(name.bytes, '/', name.length);
    if (slash && name.length > 1)
        return (struct text){slash + 1, name.length - (size_t)(slash + 1 - name.bytes)};
    return name;
}

static void consider(struct candidate *best, int64_t id, size_t distance)
{
    struct candidate new = {id, distance};

    for (size_t i = 0; i < NEAREST_MOST; i++) {
        struct candidate old = best[i];

        if (old.id && old.distance <= new.distance)
            continue;
        best[i] = new;
        new = old;
        if (!new.id)
            return;
    }
}

/* How far a name is from the word: by its last part, and where these are the same by all of it.
 * SIZE_MAX: no slip of the finger. */
static size_t measure(struct text name, const char *word, size_t length, const char *asked)
{
    struct text last = last_name(name);
    size_t limit = (length + 2) / 3;
    cleanup_free char *one = NULL;
    cleanup_free char *all = NULL;
    size_t distance, whole;

    if (last.length + limit < length || last.length > length + limit)
        return SIZE_MAX;
    one = xmemdup(last.bytes, last.length);
    distance = spelling_distance(word, one);
    if (distance > limit)
        return SIZE_MAX;
    all = xmemdup(name.bytes, name.length);
    whole = spelling_distance(asked, all);
    return distance * WHOLE_MOST + (whole < WHOLE_MOST ? whole : WHOLE_MOST - 1);
}

static void look_at_names(struct candidate *best, sqlite3 *db, int64_t run, struct text asked)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(db, "SELECT id, name FROM subject");
    struct text wanted = last_name(asked);
    cleanup_free char *word = xmemdup(wanted.bytes, wanted.length);

    while (row && sqlite3_step(row) == SQLITE_ROW) {
        const char *bytes = sqlite3_column_blob(row, 1);
        struct text name = {bytes ? bytes : "", (size_t)sqlite3_column_bytes(row, 1)};
        size_t distance = measure(name, word, wanted.length, asked.bytes);

        if (distance != SIZE_MAX &&
            (!best[NEAREST_MOST - 1].id || distance < best[NEAREST_MOST - 1].distance) &&
            access_rows_has(db, run, sqlite3_column_int64(row, 0)) > 0)
            consider(best, sqlite3_column_int64(row, 0), distance);
    }
}

void explain_nearest(struct buffer *why, sqlite3 *db, int64_t run, struct text asked)
{
    struct candidate best[NEAREST_MOST] = {{0, 0}};

    buffer_printf(why, "run %lld used nothing that is called ", (long long)run);
    quote_shortened(why, asked.bytes, asked.length, 80);
    look_at_names(best, db, run, asked);
    for (size_t i = 0; i < NEAREST_MOST && best[i].id; i++) {
        buffer_add_text(why, i ? ", " : "; the nearest names: ");
        add_name(why, db, best[i].id);
    }
}
