/* SPDX-License-Identifier: MIT */
#include "process_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "die.h"
#include "process.h"
#include "quote.h"
#include "run_directory.h"

#define PARENT(value) ((value) >> 8)
#define SHIM_LOADED   "loaded"
#define CLASS(value)  ((uint32_t)((value) >> START_CLASS_SHIFT) & 15)

struct process_table *process_table_new(struct store *store, struct timeline *timeline)
{
    struct process_table *table = xcalloc(1, sizeof *table);

    table->store = store;
    table->timeline = timeline;
    table->last_made = LOG_ID_MAX;
    table->executions = executions_new(process_settle, table);
    return table;
}

static const char *static_word(const char *const *words, size_t count, const char *word)
{
    size_t i = 0;

    while (i + 1 < count && strcmp(words[i], word) != 0)
        i++;
    return words[i];
}

static void load(void *context, const struct process_row *row)
{
    static const char *const hows[] = {"first", "exec", "spawn", "fork", "unobserved"};
    static const char *const shims[] = {"loaded",      "static", "foreign_libc",
                                        "foreign_abi", "secure", "stripped"};
    struct process_table *table = context;
    struct record head = {.pid = (uint32_t)row->pid, .time = (uint64_t)row->started};
    struct process *process;

    if (strcmp(row->how, "unobserved") == 0 && row->exe == 0)
        return; /* its start is still to be read */
    process = process_get(table, (uint64_t)row->serial, &head);
    process->parent = (uint64_t)row->parent;
    process->parent_pid = (uint32_t)row->parent_pid;
    process->exe = row->exe;
    process->how = static_word(hows, sizeof hows / sizeof *hows, row->how);
    process->shim = static_word(shims, sizeof shims / sizeof *shims, row->shim);
    process->reported = process->stored = process->settled = process->stored_before = true;
    process->has_argv = row->has_argv;
    process->ended = (uint64_t)row->ended;
    process->status = W_EXITCODE(row->exit_status > 0 ? (int)row->exit_status : 0,
                                 row->signal > 0 ? (int)row->signal : 0);
    process_index_pid(table, process);
    timeline_start(table->timeline, process->pid, process->started, process->serial,
                   strcmp(process->how, "fork") != 0);
    if (process->ended)
        timeline_end(table->timeline, process->pid, process->ended);
    if (strcmp(process->how, "first") == 0) {
        process->first = true;
        table->first = process;
    } else if (process->parent == 0) {
        process_add_orphan(table, process);
    }
}

void process_table_load(struct process_table *table)
{
    store_processes(table->store, load, table);
}

void process_table_free(struct process_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->by_serial.room; i++) {
        struct process *process = table->by_serial.slots[i].value;

        if (process) {
            buffer_fini(&process->argv);
            buffer_fini(&process->cwd);
            free(process);
        }
    }
    executions_free(table->executions);
    id_map_fini(&table->by_serial);
    id_map_fini(&table->by_execution);
    id_map_fini(&table->spawned);
    id_map_fini(&table->by_pid);
    free(table->dirty);
    free(table->orphans);
    free(table->ends);
    free(table);
}

void process_touch(struct process_table *table, struct process *process)
{
    if (process->dirty)
        return;
    process->dirty = true;
    if (table->dirty_count == table->dirty_room) {
        table->dirty_room = table->dirty_room ? 2 * table->dirty_room : 64;
        table->dirty = xrealloc(table->dirty, table->dirty_room * sizeof *table->dirty);
    }
    table->dirty[table->dirty_count++] = process;
}

struct process *process_get(struct process_table *table, uint64_t serial, const struct record *head)
{
    struct process *process = id_map_get(&table->by_serial, serial);

    if (process)
        return process;
    process = xcalloc(1, sizeof *process);
    *process = (struct process){.serial = serial,
                                .pid = head->pid,
                                .started = head->time,
                                .how = "unobserved",
                                .shim = SHIM_LOADED,
                                .user_us = -1,
                                .system_us = -1,
                                .max_resident_kib = -1};
    id_map_put(&table->by_serial, serial, process);
    process_touch(table, process);
    return process;
}

void process_index_pid(struct process_table *table, struct process *process)
{
    if (process->pid == 0)
        return;
    process->same_pid = id_map_get(&table->by_pid, process->pid);
    id_map_put(&table->by_pid, process->pid, process);
}

int64_t process_table_id(struct process_table *table, const struct record *head)
{
    return store_process_id(table->store, process_get(table, head->process, head)->serial);
}

/* The kernel saw an image start in which there is no shim: whatever it does is seen, but for what
 * it reads of its environment. */
static void note_witnessed(struct process_table *table, struct process *process,
                           const struct record_view *record)
{
    const struct process *parent = id_map_get(&table->by_serial, process->parent);

    process->shim = process_image_word(CLASS(record->head->value))->word;
    process->witnessed = true;
    if (record->head->value & START_FORKED) {
        if (parent)
            process->shim = parent->shim;
        if (parent && process->exe == 0) /* it was gone before it could be asked */
            process->exe = parent->exe;
        return;
    }
    store_blind_spot(table->store, store_process_id(table->store, process->serial),
                     BLIND_SPOT_UNREAD_ENVIRONMENT, record->subject, record->head->subject, 1);
}

/* The earlier reader stored it and was gone before it marked the chunk: what follows comes again.
 */
static void start_again(struct process_table *table, struct process *process,
                        const struct record *head, const struct subject *exe)
{
    uint64_t from = PARENT(head->value);

    process->has_argv = false;
    if ((head->value & START_FORKED) || from == 0 || from > LOG_ID_MAX)
        return;
    id_map_put(&table->by_execution, from, process);
    executions_started(table->executions, from, process->serial, exe);
}

void process_table_start(struct process_table *table, const struct record_view *record,
                         const struct subject *exe)
{
    const struct record *head = record->head;
    struct process *process = process_get(table, head->process, head);
    uint64_t from = PARENT(head->value);

    if (process->stored_before)
        start_again(table, process, head, exe);
    if (process->reported)
        return; /* a copy: the first one counts */
    process->reported = true;
    process->pid = head->pid;
    process->parent_pid = (uint32_t)head->error;
    process->started = head->time;
    process->exe = exe ? exe->id : 0;
    buffer_clear(&process->cwd);
    buffer_add(&process->cwd, record->other, head->other);
    process_index_pid(table, process);
    process_touch(table, process);
    if (head->value & START_FORKED) {
        process->how = "fork";
        process->parent = from;
    } else {
        process_claim(table, process, from, exe);
    }
    if (head->flags & RECORD_WITNESS)
        note_witnessed(table, process, record);
}

int64_t process_table_row(const struct process_table *table, uint64_t serial)
{
    return store_process_id(table->store, serial);
}

bool process_table_knows(const struct process_table *table, uint64_t serial)
{
    return id_map_get(&table->by_serial, serial) != NULL;
}

bool process_table_has_shim(const struct process_table *table, uint64_t serial)
{
    const struct process *process = id_map_get(&table->by_serial, serial);

    return !process || strcmp(process->shim, SHIM_LOADED) == 0;
}

uint64_t process_table_child(struct process_table *table, uint32_t pid, uint32_t parent_pid,
                             uint64_t time, uint64_t parent, const char *how)
{
    const struct process *image = id_map_get(&table->by_serial, parent);
    struct record head = {.pid = pid, .time = time};
    struct process *process;

    while (id_map_get(&table->by_serial, table->last_made))
        table->last_made--;
    process = process_get(table, table->last_made, &head);
    process->how = how;
    process->parent = parent;
    process->parent_pid = parent_pid;
    if (image) {
        process->exe = image->exe;
        process->shim = image->shim;
    }
    process_index_pid(table, process);
    return process->serial;
}

void process_table_argument(struct process_table *table, const struct record_view *record)
{
    struct process *process = process_get(table, record->head->process, record->head);

    if (process->stored && process->argv.length == 0 && process->has_argv)
        store_argv(table->store, store_process_id(table->store, process->serial), &process->argv);
    process->has_argv = true;
    buffer_add(&process->argv, record->subject, record->head->subject);
    buffer_add_char(&process->argv, '\0');
    process_touch(table, process);
}

void process_table_environment(struct process_table *table, const struct record_view *record)
{
    struct process *process = process_get(table, record->head->process, record->head);

    process->environment = (int64_t)record->head->value;
    process->has_environment = true;
    process_touch(table, process);
}

/* The process that the waiter was told about: the newest with that pid, not yet ended, that had
 * started by then. Another with its own pid can only be an earlier image or an earlier holder. */
static struct process *find_ended(const struct process_table *table, const struct early_end *end)
{
    struct process *found = NULL;
    struct process *process = id_map_get(&table->by_execution, end->execution);

    process = id_map_get(&table->by_pid, process ? process->pid : end->pid);
    for (; process; process = process->same_pid) {
        if (process->ended == 0 && process->started <= end->time &&
            (!found || process->started > found->started))
            found = process;
    }
    return found;
}

/* While an image may still turn up that took the process over, the end waits for it. */
static bool apply_end(struct process_table *table, const struct early_end *end, bool final)
{
    struct process *process = find_ended(table, end);

    if (!process || (process->calls && !final))
        return false;
    process->ended = end->time;
    process->status = end->status;
    if (end->has_usage) {
        process->user_us = (int64_t)(end->usage.user_us & INT64_MAX);
        process->system_us = (int64_t)(end->usage.system_us & INT64_MAX);
        process->max_resident_kib = (int64_t)(end->usage.max_resident_kib & INT64_MAX);
    }
    process_touch(table, process);
    return true;
}

static void apply_ends(struct process_table *table, bool final)
{
    size_t kept = 0;

    for (size_t i = 0; i < table->end_count; i++) {
        if (!apply_end(table, &table->ends[i], final))
            table->ends[kept++] = table->ends[i];
    }
    table->end_count = kept;
}

static void add_end(struct process_table *table, const struct early_end *end)
{
    if (table->end_count == table->end_room) {
        table->end_room = table->end_room ? 2 * table->end_room : 64;
        table->ends = xrealloc(table->ends, table->end_room * sizeof *table->ends);
    }
    table->ends[table->end_count++] = *end;
}

void process_table_exit(struct process_table *table, const struct record_view *record)
{
    const struct record *head = record->head;
    struct early_end end = {.pid = (uint32_t)head->value,
                            .status = head->error,
                            .time = head->time,
                            .has_usage = head->subject >= sizeof end.usage};

    process_table_id(table, head);
    if (!WIFEXITED(head->error) && !WIFSIGNALED(head->error))
        return; /* stopped or continued */
    if (end.has_usage)
        memcpy(&end.usage, record->subject, sizeof end.usage);
    if (head->flags & RECORD_IMPLIED) {
        end.execution = head->value;
        end.pid = 0;
    }
    add_end(table, &end);
}

void process_table_ended(struct process_table *table, uint32_t pid, int status, uint64_t time,
                         const struct child_usage *usage)
{
    struct early_end end = {
        .pid = pid, .status = status, .time = time, .usage = *usage, .has_usage = true};

    add_end(table, &end);
}

void process_table_execute(struct process_table *table, const struct record_view *record,
                           const struct subject *program)
{
    struct process *process = process_get(table, record->head->process, record->head);

    process->calls++; /* first: the call may be settled at once */
    if (!executions_called(table->executions, record, program))
        process->calls--;
}

void process_table_execute_failed(struct process_table *table, const struct record_view *record)
{
    process_get(table, record->head->process, record->head);
    executions_failed(table->executions, record->head->value, record->head->error);
}

static void write_row(struct process_table *table, struct process *process)
{
    cleanup_buffer struct buffer command = BUFFER_INIT;
    struct process_row row = {
        .id = store_process_id(table->store, process->serial),
        .serial = (int64_t)process->serial,
        .parent = process->parent ? store_process_id(table->store, process->parent) : 0,
        .how = process->how,
        .pid = process->pid,
        .parent_pid = process->parent_pid,
        .exe = process->exe,
        .started = (int64_t)process->started,
        .ended = (int64_t)process->ended,
        .exit_status = -1,
        .signal = -1,
        .user_us = process->user_us,
        .system_us = process->system_us,
        .max_resident_kib = process->max_resident_kib,
        .shim = process->shim,
        .environment = process->environment,
        .has_environment = process->has_environment,
    };

    if (process->ended) {
        row.signal = WIFSIGNALED(process->status) ? WTERMSIG(process->status) : 0;
        if (WIFEXITED(process->status))
            row.exit_status = WEXITSTATUS(process->status);
    }
    if (process->argv.length) {
        quote_command(&command, process->argv.data, process->argv.length);
        row.argv = &process->argv;
        row.command = &command;
    }
    if (process->cwd.length)
        row.cwd = &process->cwd;
    store_process(table->store, &row);
}

static void write_rows(struct process_table *table)
{
    for (size_t i = 0; i < table->dirty_count; i++) {
        struct process *process = table->dirty[i];

        write_row(table, process);
        buffer_fini(&process->argv);
        buffer_fini(&process->cwd);
        process->stored = true;
        process->dirty = false;
    }
    table->dirty_count = 0;
}

static bool has_reported(const struct process_table *table, uint32_t pid)
{
    const struct process *process = id_map_get(&table->by_pid, pid);

    /* One that the command started in its own place has the same pid, but is not the first. */
    while (process && !(process->reported && process->first))
        process = process->same_pid;
    return process != NULL;
}

bool process_table_command(struct process_table *table, uint32_t pid, uint64_t time,
                           enum image_class class, const struct subject *exe)
{
    const struct image_word *word = process_image_word(class);
    struct record head = {.pid = pid, .time = time};
    struct process *process;

    if (has_reported(table, pid))
        return false;
    process = process_get(table, RUN_COMMAND_ID, &head);
    process->exe = exe ? exe->id : 0;
    process->shim = word->word;
    if (exe) {
        buffer_add(&process->argv, exe->name, exe->length);
        buffer_add_char(&process->argv, '\0');
    }
    process_index_pid(table, process);
    timeline_start(table->timeline, pid, time, process->serial, true);
    store_blind_spot(table->store, store_process_id(table->store, process->serial), word->class,
                     exe ? exe->name : NULL, exe ? exe->length : 0, 1);
    return true;
}

void process_table_write(struct process_table *table, uint64_t safe)
{
    process_adopt(table, safe, false);
    apply_ends(table, false);
    write_rows(table);
}

void process_table_finish(struct process_table *table)
{
    process_adopt(table, UINT64_MAX, true);
    apply_ends(table, true);
    write_rows(table);
}

int64_t process_table_find_pid(const struct process_table *table, uint32_t pid)
{
    const struct process *newest = NULL;

    for (const struct process *process = id_map_get(&table->by_pid, pid); process;
         process = process->same_pid) {
        if (!newest || process->started > newest->started)
            newest = process;
    }
    return newest ? store_process_id(table->store, newest->serial) : 0;
}

size_t process_table_count(const struct process_table *table)
{
    return table->by_serial.count;
}
