/* SPDX-License-Identifier: MIT */
#include "made.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "database.h"
#include "die.h"
#include "group.h"
#include "tallyman/record.h"
#include "tallyman/status.h"

#define NEVER INT64_MAX

/* Paths with the earliest time at which something made them. */
struct times {
    struct names names;
    int64_t *since;
};

struct marks {
    struct times paths;   /* made themselves */
    struct times folders; /* made, with all below */
};

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

static int collect(struct marks *marks, sqlite3 *db, int64_t run, const struct subjects *subjects)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT a.operation, a.subject, a.flags, min(a.first) FROM access a"
            " JOIN operation o ON o.id = a.operation"
            " WHERE a.process IN (SELECT id FROM process WHERE run = ?1) AND a.outcome = 0"
            " AND o.class = ?2 GROUP BY a.subject, a.operation, a.flags");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run);
    sqlite3_bind_int(row, 2, ACCESS_WRITE);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        enum event_kind kind = (enum event_kind)sqlite3_column_int(row, 0);
        uint32_t subject = subjects_find(subjects, sqlite3_column_int64(row, 1));

        if (subject != MAP_NONE && makes(kind, sqlite3_column_int64(row, 2)))
            mark_event(marks, subjects, subject, kind, sqlite3_column_int64(row, 3));
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

/* The earliest time at which the path, or a folder above it, became the build's own. */
static int64_t earliest(const struct marks *marks, struct text path)
{
    int64_t best = since(&marks->paths, path.bytes, path.length);

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

int made_load(struct made *made, sqlite3 *db, int64_t run, const struct subjects *subjects)
{
    struct marks marks = {0};
    int result = collect(&marks, db, run, subjects);

    made->link = xmalloc(subjects->count * sizeof *made->link);
    made->target = xmalloc(subjects->count * sizeof *made->target);
    for (uint32_t i = 0; i < subjects->count; i++) {
        const struct subject *subject = &subjects->rows[i];

        made->link[i] = made->target[i] = NEVER;
        if (subject->channel == CHANNEL_FILESYSTEM)
            made->link[i] = made->target[i] = earliest(&marks, subject->name);
    }
    for (uint32_t i = 0; i < subjects->count; i++) {
        uint32_t resolved = subjects->rows[i].resolved;

        if (resolved == MAP_NONE)
            continue;
        /* What the name leads to counts: a folder of the build's own may hold a link to elsewhere.
         */
        made->target[i] = earliest(&marks, subjects->rows[resolved].name);
        if (path_same_last_name(subjects->rows[i].name, subjects->rows[resolved].name))
            made->link[i] = made->target[i];
    }
    times_fini(&marks.paths);
    times_fini(&marks.folders);
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
