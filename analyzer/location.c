/* SPDX-License-Identifier: MIT */
#include "location.h"

#include <fnmatch.h>
#include <string.h>

#include "cleanup.h"
#include "database.h"
#include "group.h"
#include "map.h"
#include "memory.h"
#include "tallyman/status.h"

static const struct build_file {
    const char *program, *file_option, *folder_option, *names;
} build_files[] = {
#define BUILD_FILE(program, file_option, folder_option, names)                                     \
    {program, file_option, folder_option, names},
#include "build_files.def"
#undef BUILD_FILE
};

struct search {
    struct analysis *analysis;
    sqlite3_stmt *is_known; /* of a path: did the run use it? */
    struct text *found;     /* by process; bytes NULL not looked for yet, empty none */
};

/* The path below the project's root without a slash in front; empty when it is not there. */
static struct text below_root(const struct analysis *analysis, struct text path)
{
    struct text root = analysis->root;

    if (root.length < 2 || !path_is_within(path, root) || path.length <= root.length + 1)
        return (struct text){"", 0};
    return (struct text){path.bytes + root.length + 1, path.length - root.length - 1};
}

/* Puts `name` behind `folder` unless it is absolute, and takes out "." and "..". */
static void join(struct buffer *out, struct text folder, struct text name)
{
    const char *end = name.bytes + name.length;

    buffer_clear(out);
    if (name.length == 0 || name.bytes[0] != '/')
        buffer_add(out, folder.bytes, folder.length);
    for (const char *at = name.bytes; at < end;) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        size_t length = (size_t)((slash ? slash : end) - at);

        if (length == 2 && memcmp(at, "..", 2) == 0) {
            while (out->length && out->data[out->length - 1] != '/')
                out->length--;
            out->length -= out->length > 0;
        } else if (length && !(length == 1 && *at == '.')) {
            buffer_add_char(out, '/');
            buffer_add(out, at, length);
        }
        at += length + 1;
    }
}

static bool is_known(const struct search *search, struct text path)
{
    bool known;

    sqlite3_bind_int(search->is_known, 1, CHANNEL_FILESYSTEM);
    sqlite3_bind_text(search->is_known, 2, path.bytes, (int)path.length, SQLITE_STATIC);
    known = sqlite3_step(search->is_known) == SQLITE_ROW;
    sqlite3_reset(search->is_known);
    return known;
}

/* The file in the project, empty when it is not one that the run used. */
static struct text try_file(const struct search *search, struct text folder, struct text name)
{
    cleanup_buffer struct buffer path = BUFFER_INIT;
    struct text below = {"", 0};

    if (name.length)
        join(&path, folder, name);
    if (path.length) {
        struct text whole = {path.data, path.length};

        below = below_root(search->analysis, whole);
        if (below.length && is_known(search, whole))
            return (struct text){memory_copy(search->analysis->memory, below.bytes, below.length),
                                 below.length};
    }
    return (struct text){"", 0};
}

/* The value of an option among arguments that follow each other with a NUL after each: "-f x",
 * "-fx"; with "*" the first that is no option, and nothing when a command is given with -c or -e.
 */
static struct text option_value(struct text argv, const char *option)
{
    const char *end = argv.bytes + argv.length;
    size_t length = strlen(option);

    if (!argv.bytes || !length)
        return (struct text){"", 0};
    for (const char *at = argv.bytes + strlen(argv.bytes) + 1; at < end; at += strlen(at) + 1) {
        if (*option == '*') {
            if (at[0] != '-')
                return (struct text){at, strlen(at)};
            if (at[1] != '-' && strpbrk(at, option + 1))
                break;
        } else if (strncmp(at, option, length) == 0) {
            const char *value = at[length] ? at + length : at + length + 1;

            return value < end ? (struct text){value, strlen(value)} : (struct text){"", 0};
        }
    }
    return (struct text){"", 0};
}

static const struct build_file *build_file_of(const struct analysis_process *process)
{
    struct text name = analysis_program(process);
    cleanup_free char *program = xmemdup(name.bytes, name.length);

    for (size_t i = 0; i < sizeof build_files / sizeof *build_files; i++)
        if (fnmatch(build_files[i].program, program, 0) == 0)
            return &build_files[i];
    return NULL;
}

static struct text look(const struct search *search, const struct analysis_process *process)
{
    const struct build_file *row = build_file_of(process);
    cleanup_buffer struct buffer folder = BUFFER_INIT;
    struct text at = process->cwd, found = {"", 0};

    if (!row || !at.bytes)
        return found;
    join(&folder, process->cwd, option_value(process->argv, row->folder_option));
    if (folder.length)
        at = (struct text){folder.data, folder.length};
    found = try_file(search, at, option_value(process->argv, row->file_option));
    for (const char *name = row->names; *name && !found.length; name = strchr(name, '|') + 1)
        found = try_file(search, at, (struct text){name, strcspn(name, "|")});
    return found;
}

static struct text location_of_process(const struct search *search, uint32_t process)
{
    const struct analysis *analysis = search->analysis;

    for (; process != ANALYSIS_NONE; process = analysis->processes[process].parent) {
        struct text *found = &search->found[process];

        if (!found->bytes)
            *found = look(search, &analysis->processes[process]);
        if (found->length)
            return *found;
    }
    return (struct text){"", 0};
}

static struct text locate(const struct search *search, const struct analysis_finding *finding)
{
    struct text own = {"", 0};

    if (finding->channel == CHANNEL_FILESYSTEM && finding->class != FINDING_PROBE &&
        finding->member_count)
        own = below_root(search->analysis, finding->members[0].subject);
    if (own.length || !finding->process_count)
        return own;
    return location_of_process(search, finding->processes[0]);
}

int locations_load(struct analysis *analysis, sqlite3 *db)
{
    cleanup_statement sqlite3_stmt *is_known =
        database_prepare(db, "SELECT 1 FROM subject WHERE channel = ?1 AND name = ?2");
    cleanup_free struct text *found = xcalloc(analysis->process_count, sizeof *found);
    struct search search = {analysis, is_known, found};

    if (!is_known)
        return TALLY_ERR_DATABASE;
    for (size_t i = 0; i < analysis->finding_count; i++)
        analysis->findings[i].location.path = locate(&search, &analysis->findings[i]);
    return 0;
}
