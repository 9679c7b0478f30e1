/* SPDX-License-Identifier: MIT
 *
 * How a process is named to a person.
 */
#include "analysis.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "map.h"
#include "quote.h"

static struct text last_name(struct text path)
{
    const char *slash = path.length ? memrchr(path.bytes, '/', path.length) : NULL;

    if (slash && slash + 1 < path.bytes + path.length) {
        path.length -= (size_t)(slash + 1 - path.bytes);
        path.bytes = slash + 1;
    }
    return path;
}

struct text analysis_program(const struct analysis_process *process)
{
    struct text name = {process->argv.bytes, 0};

    if (process->argv.length)
        name.length = strnlen(process->argv.bytes, process->argv.length);
    if (name.length == 0)
        name = process->exe;
    return name.length ? last_name(name) : (struct text){"?", 1};
}

static int compare_users(const void *one, const void *other)
{
    const struct analysis_users *a = one;
    const struct analysis_users *b = other;
    size_t length = a->program.length < b->program.length ? a->program.length : b->program.length;
    int order = (a->processes < b->processes) - (a->processes > b->processes);

    if (!order)
        order = memcmp(a->program.bytes, b->program.bytes, length);
    return order
               ? order
               : (a->program.length > b->program.length) - (a->program.length < b->program.length);
}

struct users {
    struct analysis_users *rows;
    struct names names;
};

static void add_user(struct users *users, const struct analysis_process *process)
{
    struct text program = analysis_program(process);
    uint32_t number = names_add(&users->names, program.bytes, program.length);

    users->rows[number].program = program;
    users->rows[number].processes++;
}

static struct analysis_users *sort_users(struct users *users, size_t *count)
{
    *count = users->names.count;
    names_fini(&users->names);
    qsort(users->rows, *count, sizeof *users->rows, compare_users);
    return users->rows;
}

struct analysis_users *analysis_programs(const struct analysis *analysis,
                                         const struct analysis_finding *finding, size_t *count)
{
    struct users users = {xcalloc(finding->process_count, sizeof *users.rows), {0}};

    for (size_t i = 0; i < finding->process_count; i++)
        add_user(&users, &analysis->processes[finding->processes[i]]);
    return sort_users(&users, count);
}

struct analysis_users *analysis_failed(const struct analysis *analysis, size_t *count)
{
    struct users users = {xcalloc(analysis->process_count, sizeof *users.rows), {0}};

    for (size_t i = 0; i < analysis->process_count; i++)
        if (analysis->processes[i].exit_status > 0 || analysis->processes[i].signal > 0)
            add_user(&users, &analysis->processes[i]);
    return sort_users(&users, count);
}

static void add_command(struct buffer *out, const struct analysis_process *process, size_t each)
{
    cleanup_buffer struct buffer full = BUFFER_INIT;
    struct text program = analysis_program(process);
    size_t first = strnlen(process->argv.length ? process->argv.bytes : "", process->argv.length);

    quote_word(&full, program.bytes, program.length);
    if (first + 1 < process->argv.length) {
        buffer_add_char(&full, ' ');
        quote_command(&full, process->argv.bytes + first + 1, process->argv.length - first - 1);
    }
    quote_shortened(out, full.data, full.length, each);
}

/* A forked child is the same program with the same arguments: shown once. */
static uint32_t image_of(const struct analysis *analysis, uint32_t process)
{
    while (strcmp(analysis->processes[process].how, "fork") == 0 &&
           analysis->processes[process].parent != ANALYSIS_NONE)
        process = analysis->processes[process].parent;
    return process;
}

static uint32_t caller_of(const struct analysis *analysis, uint32_t process)
{
    uint32_t parent = analysis->processes[process].parent;

    return parent == ANALYSIS_NONE ? ANALYSIS_NONE : image_of(analysis, parent);
}

void analysis_chain(const struct analysis *analysis, uint32_t process, size_t most, size_t each,
                    struct buffer *out)
{
    cleanup_free uint32_t *line = NULL;
    size_t length = 0;

    for (uint32_t at = image_of(analysis, process); at != ANALYSIS_NONE;
         at = caller_of(analysis, at))
        length++;
    line = xcalloc(length, sizeof *line);
    for (uint32_t at = image_of(analysis, process), i = (uint32_t)length; at != ANALYSIS_NONE;
         at = caller_of(analysis, at))
        line[--i] = at;
    for (size_t i = 0; i < length; i++) {
        if (i > 0)
            buffer_add_text(out, " → ");
        if (length > most && most > 1 && i == 1) {
            buffer_add_text(out, "… → ");
            i = length - (most - 1);
        }
        add_command(out, &analysis->processes[line[i]], each);
    }
}
