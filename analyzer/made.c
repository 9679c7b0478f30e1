/* SPDX-License-Identifier: MIT */
#include "made.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "database.h"
#include "die.h"
#include "endpoint.h"
#include "group.h"
#include "summaries.h"
#include "tallyman/record.h"
#include "tallyman/status.h"

#define NEVER INT64_MAX

/* Paths with the earliest time at which something made them. */
struct times {
    struct names names;
    int64_t *since;
};

struct marks {
    struct times paths;     /* made themselves */
    struct times folders;   /* made, with all below */
    struct times names;     /* of sockets that were bound and have no path */
    int64_t ports[1 << 16]; /* of this machine, bound; 0: one of the kernel's choice */
};

/* A port below is never the kernel's choice. */
#define FIRST_FREE_PORT 1024

static void mark(struct times *times, struct text path, int64_t time)
{
    size_t before = times->names.count;
    uint32_t number = names_add(&times->names, path.bytes, path.length);

    if (number == before) {
        if ((number & (number - 1)) == 0)
            times->since =
                xrealloc(times->since, (number ? number * 2ul : 1ul) * sizeof *times->since);
        times->since[number] = NEVER;
    }
    if (time < times->since[number])
        times->since[number] = time;
}

static int64_t since(const struct times *times, const char *path, size_t length)
{
    uint32_t number = names_find(&times->names, path, length);

    return number == MAP_NONE ? NEVER : times->since[number];
}

static void times_fini(struct times *times)
{
    names_fini(&times->names);
    free(times->since);
}

/* Does the event leave something at the path that is all the build's own? */
static bool makes(enum event_kind kind, int64_t flags)
{
    switch (kind) {
    case EVENT_WRITE:
        if (flags & RECORD_UNNAMED)
            return false;
        return (flags & RECORD_TRUNCATE) || ((flags & RECORD_CREATE) && !(flags & RECORD_EXISTED));
    case EVENT_RENAME:
    case EVENT_RENAME_TO:
    case EVENT_LINK_TO:
    case EVENT_SYMLINK:
    case EVENT_UNLINK:
    case EVENT_MKDIR:
    case EVENT_RMDIR:
    case EVENT_MKNOD:
        return true;
    default:
        return false;
    }
}

static bool makes_folder(enum event_kind kind)
{
    return kind == EVENT_MKDIR || kind == EVENT_RENAME || kind == EVENT_RENAME_TO ||
           kind == EVENT_RMDIR;
}

static void mark_event(struct marks *marks, const struct subjects *subjects, uint32_t number,
                       enum event_kind kind, int64_t time)
{
    const struct subject *subject = &subjects->rows[number];
    struct text target =
        subject->resolved == MAP_NONE ? subject->name : subjects->rows[subject->resolved].name;
    bool same = path_same_last_name(subject->name, target);

    if (same || kind != EVENT_WRITE)
        mark(&marks->paths, subject->name, time);
    if (same || kind == EVENT_WRITE)
        mark(&marks->paths, target, time);
    if (makes_folder(kind)) {
        mark(&marks->folders, subject->name, time);
        if (same)
            mark(&marks->folders, target, time);
    }
}

/* The file that a socket with a path is counts as made, too. */
static void mark_bind(struct marks *marks, struct text subject, int64_t time)
{
    struct endpoint endpoint = endpoint_of(subject);

    if (endpoint.kind == ENDPOINT_PATH)
        mark(&marks->paths, endpoint.path, time);
    else if (endpoint.kind == ENDPOINT_NAME)
        mark(&marks->names, subject, time);
    else if (endpoint_is_local(&endpoint) && time < marks->ports[endpoint.port])
        marks->ports[endpoint.port] = time;
}

/* From the summaries, or as long as there are none from the accesses themselves. */
static sqlite3_stmt *prepare(sqlite3 *db, int64_t run)
{
    return database_prepare(
        db, summaries_exist(db, run) > 0
                ? "SELECT s.operation, s.subject, s.flags, s.first FROM access_summary s"
                  " JOIN operation o ON o.id = s.operation"
                  " WHERE s.run = ?1 AND s.outcome = 0 AND (o.class = ?2 OR o.id = ?3)"
                : "SELECT a.operation, a.subject, a.flags, min(a.first) FROM access a"
                  " JOIN operation o ON o.id = a.operation"
                  " WHERE a.process IN (SELECT id FROM process WHERE run = ?1) AND a.outcome = 0"
                  " AND (o.class = ?2 OR o.id = ?3) GROUP BY a.subject, a.operation, a.flags");
}

static int collect(struct marks *marks, sqlite3 *db, int64_t run, const struct subjects *subjects)
{
    cleanup_statement sqlite3_stmt *row = prepare(db, run);
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run);
    sqlite3_bind_int(row, 2, ACCESS_WRITE);
    sqlite3_bind_int(row, 3, EVENT_BIND);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        enum event_kind kind = (enum event_kind)sqlite3_column_int(row, 0);
        uint32_t subject = subjects_find(subjects, sqlite3_column_int64(row, 1));

        if (subject == MAP_NONE)
            continue;
        if (kind == EVENT_BIND)
            mark_bind(marks, subjects->rows[subject].name, sqlite3_column_int64(row, 3));
        else if (makes(kind, sqlite3_column_int64(row, 2)))
            mark_event(marks, subjects, subject, kind, sqlite3_column_int64(row, 3));
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

/* The earliest time at which a folder above the path became the build's own. */
static int64_t earliest_folder(const struct marks *marks, struct text path)
{
    int64_t best = NEVER;

    if (marks->folders.names.count == 0)
        return best;
    for (size_t length = path.length; length > 1; length--) {
        int64_t time;

        if (path.bytes[length - 1] != '/')
            continue;
        time = since(&marks->folders, path.bytes, length - 1);
        if (time < best)
            best = time;
    }
    return best;
}

static int64_t earlier(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

/* The same for the path itself, too. */
static int64_t earliest(const struct marks *marks, struct text path)
{
    return earlier(since(&marks->paths, path.bytes, path.length), earliest_folder(marks, path));
}

/* A port of the kernel's choice is not known from the bind, so each free port may be it; but not
 * one at which a known daemon is to be expected. */
static int64_t earliest_port(const struct marks *marks, struct text subject, int64_t port)
{
    int64_t own = marks->ports[port];

    if (port < FIRST_FREE_PORT || endpoint_service(subject))
        return own;
    return earlier(own, marks->ports[0]);
}

/* For sockets `link` says since when binding there concerns the build alone, `target` since when a
 * process of the build can be behind it. */
static void date_socket(struct made *made, const struct marks *marks, uint32_t number,
                        struct text subject)
{
    struct endpoint endpoint = endpoint_of(subject);

    switch (endpoint.kind) {
    case ENDPOINT_PATH:
        made->link[number] = earliest_folder(marks, endpoint.path);
        made->target[number] = earliest(marks, endpoint.path);
        break;
    case ENDPOINT_NAME:
        made->link[number] = subject.length > 5 && subject.bytes[5] == '@' ? INT64_MIN : NEVER;
        made->target[number] = since(&marks->names, subject.bytes, subject.length);
        break;
    case ENDPOINT_LOOPBACK:
        made->link[number] = INT64_MIN;
        made->target[number] = earliest_port(marks, subject, endpoint.port);
        break;
    case ENDPOINT_ANY:
        made->target[number] = earliest_port(marks, subject, endpoint.port);
        break;
    case ENDPOINT_OTHER:
        break;
    }
}

static void date_path(struct made *made, const struct marks *marks, const struct subjects *subjects,
                      uint32_t number)
{
    const struct subject *subject = &subjects->rows[number];
    uint32_t resolved = subject->resolved;

    /* In a folder without a name ("(unknown)/a") the same text may be another file. */
    if (subject->name.length && subject->name.bytes[0] == '/')
        made->link[number] = made->target[number] = earliest(marks, subject->name);
    if (resolved == MAP_NONE)
        return;
    /* What the name leads to counts: a folder of the build's own may hold a link to elsewhere. */
    made->target[number] = earliest(marks, subjects->rows[resolved].name);
    if (path_same_last_name(subject->name, subjects->rows[resolved].name))
        made->link[number] = made->target[number];
}

int made_load(struct made *made, sqlite3 *db, int64_t run, const struct subjects *subjects)
{
    cleanup_free struct marks *marks = xcalloc(1, sizeof *marks);
    int result;

    for (size_t i = 0; i < sizeof marks->ports / sizeof *marks->ports; i++)
        marks->ports[i] = NEVER;
    result = collect(marks, db, run, subjects);
    made->link = xmalloc(subjects->count * sizeof *made->link);
    made->target = xmalloc(subjects->count * sizeof *made->target);
    for (uint32_t i = 0; i < subjects->count; i++) {
        made->link[i] = made->target[i] = NEVER;
        if (subjects->rows[i].channel == CHANNEL_FILESYSTEM)
            date_path(made, marks, subjects, i);
        else if (subjects->rows[i].channel == CHANNEL_NETWORK)
            date_socket(made, marks, i, subjects->rows[i].name);
    }
    times_fini(&marks->paths);
    times_fini(&marks->folders);
    times_fini(&marks->names);
    return result;
}

void made_fini(struct made *made)
{
    free(made->link);
    free(made->target);
    *made = (struct made){0};
}

bool made_before(const struct made *made, uint32_t subject, int64_t time, bool no_follow)
{
    return (no_follow ? made->link : made->target)[subject] <= time;
}
