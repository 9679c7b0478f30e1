/* SPDX-License-Identifier: MIT */
#include "compared_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "database.h"
#include "die.h"
#include "endpoint.h"
#include "operation.h"
#include "tallyman/record.h"
#include "tallyman/status.h"

static const struct {
    const char *name, *text;
} known_spots[] = {
#define BLIND_SPOT(id, name, text, remedy) {name, text},
#include "tallyman/blind_spots.def"
#undef BLIND_SPOT
};

static int64_t number_or(sqlite3_stmt *row, int column, int64_t missing)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? missing
                                                           : sqlite3_column_int64(row, column);
}

static int load_header(struct analysis *header, sqlite3 *db)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT command, cwd, root, home, user, host, machine, mode, witness, manifest,"
            " started, ended, exit_status, signal, interrupted, evidence, argv"
            " FROM run WHERE id = ?1");
    struct text *const texts[] = {
        &header->command, &header->cwd,     &header->root, &header->home,    &header->user,
        &header->host,    &header->machine, &header->mode, &header->witness, &header->manifest};
    const int count = sizeof texts / sizeof *texts;
    struct text evidence;
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, header->run);
    code = sqlite3_step(row);
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE ? TALLY_ERR_NOT_FOUND : TALLY_ERR_DATABASE;
    for (int i = 0; i < count; i++)
        *texts[i] = text_of_column(header->memory, row, i);
    header->started = sqlite3_column_int64(row, count);
    header->ended = sqlite3_column_int64(row, count + 1);
    header->exit_status = number_or(row, count + 2, -1);
    header->signal = sqlite3_column_int64(row, count + 3);
    header->interrupted = sqlite3_column_int64(row, count + 4);
    evidence = text_of_column(header->memory, row, count + 5);
    header->argv = text_of_column(header->memory, row, count + 6);
    header->complete = header->ended && evidence.bytes && strcmp(evidence.bytes, "complete") == 0;
    return 0;
}

static const char *text_of_spot(const char *class)
{
    for (size_t i = 0; i < sizeof known_spots / sizeof *known_spots; i++)
        if (strcmp(known_spots[i].name, class) == 0)
            return known_spots[i].text;
    return class;
}

static int load_blind_spots(struct analysis *header, sqlite3 *db)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT class, count(*), sum(count) FROM blind_spot WHERE run = ?1"
                             " GROUP BY class ORDER BY class");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, header->run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        struct analysis_blind_class class = {
            .name = text_of_column(header->memory, row, 0).bytes,
            .spot_count = (size_t)sqlite3_column_int64(row, 1),
            .count = sqlite3_column_int64(row, 2),
        };

        class.text = text_of_spot(class.name);
        header->blind_classes = xrealloc(header->blind_classes, (header->blind_class_count + 1) *
                                                                    sizeof *header->blind_classes);
        header->blind_classes[header->blind_class_count++] = class;
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

static unsigned bits_of_error(enum event_kind kind, int outcome)
{
    switch (outcome) {
    case ENOENT:
    case ENOTDIR:
        return USED_ABSENT;
    case EACCES:
    case EPERM:
    case EROFS:
        return USED_REFUSED;
    default:
        return operation_channel(kind) == CHANNEL_NETWORK ? USED_ABSENT : USED_FAILED;
    }
}

/* An error that tells of something that is there counts as finding it. */
static unsigned bits_of(enum event_kind kind, int outcome)
{
    enum access_class class = operation_class(kind);

    switch (outcome) {
    case 0:
    case EINTR:
    case EAGAIN:
    case EINPROGRESS:
        break;
    case EEXIST:
    case EISDIR:
    case ENOTEMPTY:
    case EINVAL:
        return USED_LOOK;
    default:
        return bits_of_error(kind, outcome);
    }
    if (class == ACCESS_WRITE)
        return USED_CHANGED;
    return class == ACCESS_LOOK ? USED_LOOK : USED_CONTENT;
}

static bool makes(enum event_kind kind, int64_t flags)
{
    switch (kind) {
    case EVENT_WRITE:
        return (flags & (RECORD_TEMPORARY | RECORD_TRUNCATE)) ||
               ((flags & RECORD_CREATE) && !(flags & RECORD_EXISTED));
    case EVENT_MKDIR:
    case EVENT_MKNOD:
    case EVENT_SYMLINK:
    case EVENT_LINK_TO:
    case EVENT_RENAME_TO:
        return true;
    default:
        return false;
    }
}

static void note_fate(struct compared_fate *fate, enum event_kind kind, int64_t flags, int64_t time)
{
    if (makes(kind, flags)) {
        fate->made = time < fate->made ? time : fate->made;
        fate->random = fate->random || (flags & RECORD_TEMPORARY);
    } else if (kind == EVENT_UNLINK || kind == EVENT_RMDIR || kind == EVENT_RENAME) {
        fate->removed = time < fate->removed ? time : fate->removed;
    }
}

bool compared_run_is_passing(const struct compared_run *run, uint32_t subject)
{
    const struct compared_fate *fate = &run->fates[subject];

    return fate->random || (fate->removed != INT64_MAX && fate->made < fate->removed);
}

static void add_use(struct compared_run *run, sqlite3_stmt *row, int64_t start)
{
    int64_t operation = sqlite3_column_int64(row, 1);
    int64_t flags = sqlite3_column_int64(row, 4);
    int64_t time = sqlite3_column_int64(row, 5);
    int outcome = sqlite3_column_int(row, 3);
    struct compared_use use = {
        .process = processes_find(&run->processes, sqlite3_column_int64(row, 0)),
        .subject = subjects_find(&run->subjects, sqlite3_column_int64(row, 2)),
        .first = time - start,
    };
    size_t number = run->use_count;
    enum event_kind kind;

    if (!operation_is_access(operation) || use.process == MAP_NONE || use.subject == MAP_NONE)
        return;
    kind = (enum event_kind)operation;
    use.kind = (unsigned char)kind;
    use.bits = (unsigned char)bits_of(kind, outcome);
    if (made_before(&run->made, use.subject, time, (flags & RECORD_NO_FOLLOW) != 0))
        use.bits |= USED_OWN;
    run->used[use.subject] = true;
    if (outcome == 0)
        note_fate(&run->fates[use.subject], kind, flags, time);
    if ((number & (number - 1)) == 0)
        run->uses = xrealloc(run->uses, (number ? number * 2 : 1) * sizeof *run->uses);
    run->uses[run->use_count++] = use;
}

static int load_uses(struct compared_run *run, sqlite3 *db, bool shim_alone)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT a.process, a.operation, a.subject, a.outcome, a.flags, a.first, r.monotonic"
            " FROM run r JOIN process p ON p.run = r.id JOIN access a ON a.process = p.id"
            " WHERE r.id = ?1 AND a.source <= ?2");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run->header.run);
    sqlite3_bind_int(row, 2, shim_alone ? 0 : 1);
    while ((code = sqlite3_step(row)) == SQLITE_ROW)
        add_use(run, row, sqlite3_column_int64(row, 6));
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

static void add_variable(struct compared_run *run, sqlite3_stmt *row)
{
    size_t number = run->variable_count;
    struct compared_variable variable = {
        .block = sqlite3_column_int64(row, 0),
        .subject = subjects_find(&run->subjects, sqlite3_column_int64(row, 1)),
    };
    const char *hash = (const char *)sqlite3_column_text(row, 2);
    uint32_t *first;

    if (variable.subject == MAP_NONE)
        return;
    variable.has_hash = hash != NULL;
    variable.hash = hash ? strtoull(hash, NULL, 16) : 0;
    if ((number & (number - 1)) == 0)
        run->variables =
            xrealloc(run->variables, (number ? number * 2 : 1) * sizeof *run->variables);
    run->variables[run->variable_count++] = variable;
    first = map_slot(&run->blocks, (struct map_key){0, (uint64_t)variable.block});
    if (*first == MAP_NONE)
        *first = (uint32_t)number;
}

static int load_variables(struct compared_run *run, sqlite3 *db)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT block, subject, hash FROM environment_variable"
                             " WHERE run = ?1 ORDER BY block, subject");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run->header.run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW)
        add_variable(run, row);
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

/* A database of an older version has no such table. */
static bool has_artifacts(sqlite3 *db)
{
    return sqlite3_table_column_metadata(db, NULL, "artifact", "digest", NULL, NULL, NULL, NULL,
                                         NULL) == SQLITE_OK;
}

static int load_contents(struct compared_run *run, sqlite3 *db)
{
    cleanup_statement sqlite3_stmt *row = NULL;
    int code;

    if (!has_artifacts(db))
        return 0;
    row = database_prepare(db, "SELECT subject, digest, size FROM artifact WHERE run = ?1");
    if (!row)
        return TALLY_ERR_DATABASE;
    run->contents = xmalloc(run->subjects.count * sizeof *run->contents);
    for (uint32_t i = 0; i < run->subjects.count; i++)
        run->contents[i] = (struct compared_content){NULL, -1};
    sqlite3_bind_int64(row, 1, run->header.run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        uint32_t subject = subjects_find(&run->subjects, sqlite3_column_int64(row, 0));

        if (subject == MAP_NONE)
            continue;
        run->contents[subject].digest = text_of_column(run->header.memory, row, 1).bytes;
        run->contents[subject].size = sqlite3_column_int64(row, 2);
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

/* They are kept by the name that a path resolves to. */
static struct compared_content content_of(const struct compared_run *run, uint32_t subject)
{
    uint32_t resolved = subject == MAP_NONE ? MAP_NONE : run->subjects.rows[subject].resolved;

    if (!run->contents || subject == MAP_NONE)
        return (struct compared_content){NULL, -1};
    if (run->contents[subject].size < 0 && resolved != MAP_NONE)
        return run->contents[resolved];
    return run->contents[subject];
}

bool compared_run_contents_differ(const struct compared_run *one, uint32_t subject,
                                  const struct compared_run *other, uint32_t other_subject)
{
    struct compared_content a = content_of(one, subject);
    struct compared_content b = content_of(other, other_subject);

    if (a.size < 0 || b.size < 0)
        return false;
    return a.size != b.size || (a.digest && b.digest && strcmp(a.digest, b.digest) != 0);
}

static bool was_made(const struct compared_run *run, uint32_t subject)
{
    return made_before(&run->made, subject, INT64_MAX - 1, true);
}

/* The names that the run chose itself: by a function for it, or in a folder for such files. */
static void note_temporaries(struct compared_run *run)
{
    for (uint32_t i = 0; i < run->subjects.count; i++) {
        struct text name = run->subjects.rows[i].name;

        if (run->fates[i].random || (run->subjects.rows[i].channel == CHANNEL_FILESYSTEM &&
                                     was_made(run, i) && naming_is_temporary(&run->naming, name)))
            naming_add_temporary(&run->naming, name);
    }
}

static void start_naming(struct compared_run *run)
{
    const struct analysis *header = &run->header;
    struct places places = {header->root, header->home, header->user, header->host};

    naming_init(&run->naming, &places);
    for (uint32_t i = 0; i < run->processes.count; i++)
        naming_add_pid(&run->naming, run->processes.rows[i].pid);
}

int compared_run_load(struct compared_run *run, sqlite3 *db, int64_t id, bool shim_alone)
{
    struct memory *memory = memory_new();
    int result;

    *run = (struct compared_run){.header = {.run = id, .memory = memory}};
    result = load_header(&run->header, db);
    if (result == 0)
        result = processes_load(&run->processes, db, id, memory);
    run->header.processes = run->processes.rows;
    run->header.process_count = run->processes.count;
    if (result == 0)
        result = load_blind_spots(&run->header, db);
    if (result == 0)
        result = subjects_load(&run->subjects, db, memory);
    if (result != 0)
        return result;
    start_naming(run);
    run->fates = xmalloc(run->subjects.count * sizeof *run->fates);
    for (uint32_t i = 0; i < run->subjects.count; i++)
        run->fates[i] = (struct compared_fate){INT64_MAX, INT64_MAX, false};
    run->used = xcalloc(run->subjects.count, sizeof *run->used);
    result = made_load(&run->made, db, id, &run->subjects);
    if (result == 0)
        result = load_uses(run, db, shim_alone);
    if (result == 0)
        result = load_variables(run, db);
    if (result == 0)
        result = load_contents(run, db);
    note_temporaries(run);
    return result;
}

static struct text last_part(struct text name)
{
    const char *slash = name.length ? memrchr(name.bytes, '/', name.length) : NULL;

    if (slash) {
        name.length -= (size_t)(slash + 1 - name.bytes);
        name.bytes = slash + 1;
    }
    return name;
}

void compared_run_find_random_names(struct compared_run *run, const struct compared_run *other)
{
    struct names known = {0};

    for (uint32_t i = 0; i < other->subjects.count; i++) {
        struct text name = last_part(other->subjects.rows[i].name);

        if (other->used[i])
            names_add(&known, name.bytes, name.length);
    }
    for (uint32_t i = 0; i < run->subjects.count; i++) {
        struct text name = last_part(run->subjects.rows[i].name);

        if (run->subjects.rows[i].channel == CHANNEL_FILESYSTEM &&
            compared_run_is_passing(run, i) &&
            names_find(&known, name.bytes, name.length) == MAP_NONE)
            naming_add_temporary(&run->naming, name);
    }
    names_fini(&known);
}

void compared_run_forget_draws(struct compared_run *run)
{
    cleanup_free bool *draws = xcalloc(run->processes.count, sizeof *draws);
    size_t kept = 0;

    for (size_t i = 0; i < run->use_count; i++) {
        const struct compared_use *use = &run->uses[i];
        struct text name = last_part(run->subjects.rows[use->subject].name);

        if ((use->bits & USED_CHANGED) &&
            names_find(&run->naming.temporaries, name.bytes, name.length) != MAP_NONE)
            draws[use->process] = true;
    }
    for (size_t i = 0; i < run->use_count; i++)
        if (!draws[run->uses[i].process] ||
            run->subjects.rows[run->uses[i].subject].channel != CHANNEL_RANDOMNESS)
            run->uses[kept++] = run->uses[i];
    run->use_count = kept;
}

void compared_run_fini(struct compared_run *run)
{
    free(run->header.blind_classes);
    processes_fini(&run->processes);
    subjects_fini(&run->subjects);
    made_fini(&run->made);
    free(run->fates);
    naming_fini(&run->naming);
    map_fini(&run->blocks);
    free(run->uses);
    free(run->used);
    free(run->variables);
    free(run->contents);
    memory_free(run->header.memory);
    *run = (struct compared_run){0};
}

int compared_run_witness(sqlite3 *db, int64_t id, struct buffer *witness)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT witness FROM run WHERE id = ?1");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, id);
    code = sqlite3_step(row);
    if (code == SQLITE_ROW)
        buffer_add(witness, sqlite3_column_blob(row, 0), (size_t)sqlite3_column_bytes(row, 0));
    return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}
