/* SPDX-License-Identifier: MIT */
#include "explain_find.h"

#include <stdlib.h>
#include <string.h>

#include "access_rows.h"
#include "category.h"
#include "cleanup.h"
#include "database.h"
#include "endpoint.h"
#include "explain_names.h"
#include "group.h"
#include "operation.h"
#include "quote.h"
#include "tallyman/status.h"

#define FEWEST_DIGITS 4
#define DIGITS        16

static const char *const found_by_names[] = {
    [FOUND_NAME] = "name",         [FOUND_HOST] = "host",       [FOUND_FINGERPRINT] = "fingerprint",
    [FOUND_CATEGORY] = "category", [FOUND_PACKAGE] = "package", [FOUND_FOLDER] = "folder",
    [FOUND_END] = "end",           [FOUND_NOTHING] = "nothing",
};

const char *found_by_name(enum found_by by)
{
    return found_by_names[by];
}

struct finder {
    struct finding_subjects *found;
    sqlite3 *db;
    const struct analysis *analysis;
    struct text asked;
    struct paths paths; /* that the asked one can stand for */
    int result;
};

void finding_subjects_add(struct finding_subjects *found, int64_t id)
{
    if (found->count == found->room) {
        found->room = found->room ? found->room * 2 : 16;
        found->ids = xrealloc(found->ids, found->room * sizeof *found->ids);
    }
    found->ids[found->count++] = id;
}

/* Adds the subject when the run used it. */
static void add_used(struct finder *finder, int64_t id)
{
    int used = finder->result ? 0 : access_rows_has(finder->db, finder->analysis->run, id);

    if (used < 0)
        finder->result = used;
    else if (used)
        finding_subjects_add(finder->found, id);
}

static int compare_ids(const void *one, const void *other)
{
    int64_t a = *(const int64_t *)one;
    int64_t b = *(const int64_t *)other;

    return (a > b) - (a < b);
}

void finding_subjects_settle(struct finding_subjects *found, enum found_by by)
{
    size_t kept = 0;

    if (found->count)
        qsort(found->ids, found->count, sizeof *found->ids, compare_ids);
    for (size_t i = 0; i < found->count; i++)
        if (i == 0 || found->ids[i] != found->ids[i - 1])
            found->ids[kept++] = found->ids[i];
    found->count = kept;
    found->by = by;
}

/* --- by name -------------------------------------------------------------------------------- */

static void add_named(struct finder *finder, sqlite3_stmt *row, enum channel channel,
                      struct text name)
{
    int code;

    sqlite3_bind_int(row, 1, channel);
    database_bind_bytes(row, 2, name.bytes, name.length);
    code = sqlite3_step(row);
    if (code == SQLITE_ROW)
        add_used(finder, sqlite3_column_int64(row, 0));
    else if (code != SQLITE_DONE)
        finder->result = TALLY_ERR_DATABASE;
    sqlite3_reset(row);
}

static void find_names(struct finder *finder)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(finder->db, "SELECT id FROM subject WHERE channel = ?1 AND name = ?2");

    if (!row) {
        finder->result = TALLY_ERR_DATABASE;
        return;
    }
    for (int i = 0; i < CHANNEL_COUNT; i++)
        if (i != CHANNEL_FILESYSTEM)
            add_named(finder, row, (enum channel)i, finder->asked);
    for (size_t i = 0; i < finder->paths.count; i++) {
        cleanup_buffer struct buffer socket = BUFFER_INIT;
        struct text path = finder->paths.rows[i];

        add_named(finder, row, CHANNEL_FILESYSTEM, path);
        buffer_add_text(&socket, "unix:");
        buffer_add(&socket, path.bytes, path.length);
        add_named(finder, row, CHANNEL_NETWORK, (struct text){socket.data, socket.length});
    }
    finding_subjects_settle(finder->found, FOUND_NAME);
}

/* --- by a look at many names ---------------------------------------------------------------- */

static struct text borrow(sqlite3_stmt *row, int column)
{
    const char *bytes = sqlite3_column_blob(row, column);

    return bytes ? (struct text){bytes, (size_t)sqlite3_column_bytes(row, column)}
                 : (struct text){"", 0};
}

typedef bool (*name_matcher)(const struct finder *finder, struct text name);

/* Rows: id, name. With `matches` NULL all of them. */
static void add_rows(struct finder *finder, sqlite3_stmt *row, name_matcher matches)
{
    int code = SQLITE_DONE;

    while (row && finder->result == 0 && (code = sqlite3_step(row)) == SQLITE_ROW)
        if (!matches || matches(finder, borrow(row, 1)))
            add_used(finder, sqlite3_column_int64(row, 0));
    if (!row || (code != SQLITE_ROW && code != SQLITE_DONE))
        finder->result = TALLY_ERR_DATABASE;
}

/* In the index alone, for it holds the names. */
static void scan(struct finder *finder, enum channel channel, name_matcher matches,
                 enum found_by by)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(finder->db, "SELECT id, name FROM subject WHERE channel = ?1");

    if (row)
        sqlite3_bind_int(row, 1, channel);
    add_rows(finder, row, matches);
    finding_subjects_settle(finder->found, by);
}

static bool is_same(struct text one, struct text other)
{
    return one.length == other.length && one.length &&
           memcmp(one.bytes, other.bytes, one.length) == 0;
}

static bool is_host(const struct finder *finder, struct text name)
{
    const char *colon = memrchr(name.bytes, ':', name.length);
    const struct service *service = endpoint_service(name);
    struct text host = {name.bytes, colon ? (size_t)(colon - name.bytes) : 0};

    if (service && is_same(finder->asked, (struct text){service->name, strlen(service->name)}))
        return true;
    if (host.length > 2 && host.bytes[0] == '[' && host.bytes[host.length - 1] == ']')
        host = (struct text){host.bytes + 1, host.length - 2};
    return is_same(finder->asked, host);
}

static bool ends_with(const struct finder *finder, struct text name)
{
    struct text end = finder->asked;

    return end.length && name.length > end.length &&
           name.bytes[name.length - end.length - 1] == '/' &&
           memcmp(name.bytes + name.length - end.length, end.bytes, end.length) == 0;
}

/* "name version"; '!' follows the blank. */
static void find_package(struct finder *finder)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(finder->db, "SELECT id, name FROM subject NOT INDEXED WHERE channel = ?1"
                                     " AND package >= ?2 || ' ' AND package < ?2 || '!'");

    if (row) {
        sqlite3_bind_int(row, 1, CHANNEL_FILESYSTEM);
        sqlite3_bind_text(row, 2, finder->asked.bytes, (int)finder->asked.length, SQLITE_STATIC);
    }
    add_rows(finder, row, NULL);
    finding_subjects_settle(finder->found, FOUND_PACKAGE);
}

/* The names from "path/" to before "path0", which is the character after the slash; names that are
 * no UTF-8 lie in an order of their own. */
static void find_below(struct finder *finder)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(
        finder->db, "SELECT id, name FROM subject WHERE channel = ?1 AND name >= ?2 AND name < ?3"
                    " UNION ALL SELECT id, name FROM subject WHERE channel = ?1"
                    " AND name >= CAST(?2 AS BLOB) AND name < CAST(?3 AS BLOB)");

    for (size_t i = 0; row && i < finder->paths.count && finder->result == 0; i++) {
        struct text path = finder->paths.rows[i];
        cleanup_buffer struct buffer low = BUFFER_INIT;
        cleanup_buffer struct buffer high = BUFFER_INIT;

        if (path.length == 1)
            path.length = 0;
        buffer_add(&low, path.bytes, path.length);
        buffer_add(&high, path.bytes, path.length);
        buffer_add_char(&low, '/');
        buffer_add_char(&high, '/' + 1);
        sqlite3_bind_int(row, 1, CHANNEL_FILESYSTEM);
        sqlite3_bind_text(row, 2, low.data, (int)low.length, SQLITE_STATIC);
        sqlite3_bind_text(row, 3, high.data, (int)high.length, SQLITE_STATIC);
        add_rows(finder, row, NULL);
        sqlite3_reset(row);
    }
    if (!row)
        finder->result = TALLY_ERR_DATABASE;
    finding_subjects_settle(finder->found, FOUND_FOLDER);
}

/* --- by finding ----------------------------------------------------------------------------- */

bool explain_is_fingerprint(const char *asked, size_t length)
{
    return length >= FEWEST_DIGITS && length <= DIGITS &&
           strspn(asked, "0123456789abcdef") == length;
}

struct search {
    struct finder *finder;
    struct places places;
    sqlite3_stmt *subject;
    bool by_category, several;
};

static void look_at_group(struct search *search, const struct access_row_of *row, struct text name,
                          struct text package)
{
    struct finding_subjects *found = search->finder->found;
    enum channel channel = group_channel(row->kind, name);
    enum finding_class class = group_class(row->kind, name, row->outcome);
    struct group group = group_of(&search->places, channel, row->kind, class, name, package);
    cleanup_buffer struct buffer what = BUFFER_INIT;
    char fingerprint[DIGITS + 1];

    if (search->by_category) {
        if (group.category == found->category)
            finding_subjects_add(found, row->subject);
        return;
    }
    group_add_what(&what, channel, class, row->kind);
    group_fingerprint(&search->places, channel, what.data, &group, fingerprint);
    if (memcmp(fingerprint, search->finder->asked.bytes, search->finder->asked.length) != 0)
        return;
    if (found->count && strcmp(found->fingerprint, fingerprint) != 0)
        search->several = true;
    memcpy(found->fingerprint, fingerprint, sizeof found->fingerprint);
    finding_subjects_add(found, row->subject);
}

static void look_at_row(const struct access_row_of *row, void *data)
{
    struct search *search = data;
    struct text name;

    sqlite3_bind_int64(search->subject, 1, row->subject);
    if (sqlite3_step(search->subject) == SQLITE_ROW) {
        name = borrow(search->subject, 0);
        if (memmem(name.bytes, name.length, "/../", 4) &&
            sqlite3_column_type(search->subject, 2) != SQLITE_NULL)
            name = borrow(search->subject, 2);
        look_at_group(search, row, name, borrow(search->subject, 1));
    }
    sqlite3_reset(search->subject);
}

static int search_findings(struct finder *finder, bool by_category, struct buffer *why)
{
    const struct analysis *analysis = finder->analysis;
    cleanup_statement sqlite3_stmt *subject =
        database_prepare(finder->db, "SELECT s.name, s.package, r.name FROM subject s"
                                     " LEFT JOIN subject r ON r.id = s.resolved WHERE s.id = ?1");
    struct search search = {
        finder,  {analysis->root, analysis->home, analysis->user, analysis->host},
        subject, by_category,
        false,
    };

    if (!subject)
        return TALLY_ERR_DATABASE;
    finder->result = access_rows_undeclared(finder->db, analysis->run, look_at_row, &search);
    finding_subjects_settle(finder->found, by_category ? FOUND_CATEGORY : FOUND_FINGERPRINT);
    if (!search.several)
        return finder->result;
    buffer_add_text(why, "several findings have a fingerprint that starts with ");
    quote_display(why, finder->asked.bytes, finder->asked.length);
    return TALLY_ERR_NOT_FOUND;
}

static bool is_category(struct finder *finder)
{
    for (int i = 0; i < CATEGORY_COUNT; i++) {
        const char *name = category_of_id((enum category_id)i)->name;

        if (is_same(finder->asked, (struct text){name, strlen(name)})) {
            finder->found->category = (enum category_id)i;
            return true;
        }
    }
    return false;
}

/* --- all of it ------------------------------------------------------------------------------ */

static int find_one_end(struct finder *finder, struct buffer *why)
{
    scan(finder, CHANNEL_FILESYSTEM, ends_with, FOUND_END);
    if (finder->result || finder->found->count < 2)
        return finder->result;
    explain_several(why, finder->db, finder->asked, finder->found->ids, finder->found->count);
    return TALLY_ERR_NOT_FOUND;
}

static bool has_answer(const struct finder *finder)
{
    return finder->result || finder->found->count;
}

static int find(struct finder *finder, struct buffer *why)
{
    bool folder = finder->asked.length && finder->asked.bytes[finder->asked.length - 1] == '/';
    int result;

    if (!folder)
        find_names(finder);
    if (!has_answer(finder))
        scan(finder, CHANNEL_NETWORK, is_host, FOUND_HOST);
    if (!has_answer(finder) && explain_is_fingerprint(finder->asked.bytes, finder->asked.length)) {
        result = search_findings(finder, false, why);
        if (result)
            return result;
    }
    if (!has_answer(finder) && is_category(finder))
        search_findings(finder, true, why);
    if (!has_answer(finder))
        find_package(finder);
    if (!has_answer(finder))
        find_below(finder);
    if (has_answer(finder))
        return finder->result;
    result = find_one_end(finder, why);
    if (result || finder->found->count)
        return result;
    explain_nearest(why, finder->db, finder->analysis->run, finder->asked);
    return TALLY_ERR_NOT_FOUND;
}

int explain_find(struct finding_subjects *found, sqlite3 *db, const struct analysis *analysis,
                 const char *subject, const char *cwd, struct buffer *why)
{
    struct finder finder = {
        .found = found,
        .db = db,
        .analysis = analysis,
        .asked = {subject, strlen(subject)},
    };
    int result;

    *found = (struct finding_subjects){.by = FOUND_NOTHING, .category = CATEGORY_COUNT};
    paths_meant(&finder.paths, analysis, subject, cwd);
    result = find(&finder, why);
    paths_fini(&finder.paths);
    return result;
}

void finding_subjects_fini(struct finding_subjects *found)
{
    free(found->ids);
    found->ids = NULL;
    found->count = 0;
}
