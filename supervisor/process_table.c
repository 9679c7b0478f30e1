/* SPDX-License-Identifier: MIT */
#include "process_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "die.h"
#include "execution.h"
#include "hook_names.h"
#include "id_map.h"
#include "quote.h"
#include "run_directory.h"

#define PARENT(value) ((value) >> 8)

struct process {
    uint64_t serial;
    uint64_t parent; /* serial; 0 unknown or none */
    uint64_t started;
    uint64_t ended;
    uint32_t pid;
    uint32_t parent_pid;
    int64_t exe;
    int32_t status;                               /* of wait(2); valid once `ended` */
    int64_t user_us, system_us, max_resident_kib; /* < 0 unknown */
    int64_t environment;
    const char *how;
    const char *shim;
    struct process *same_pid; /* the one before it with this pid */
    struct buffer argv;       /* since the row was last written */
    struct buffer cwd;
    uint32_t calls; /* of the exec family, whose outcome is not known yet */
    bool reported;  /* PROCESS_START was seen */
    bool first;     /* as the supervisor started it */
    bool has_argv;
    bool has_environment;
    bool stored; /* the row is there */
    bool dirty;  /* it is not as it should be */
};

/* A child's end whose process is not known yet. */
struct early_end {
    uint32_t pid;
    uint64_t execution; /* names the process where nobody was told its pid; 0 none */
    int32_t status;
    uint64_t time;
    struct child_usage usage;
    bool has_usage;
};

struct process_table {
    struct store *store;
    struct executions *executions;
    struct id_map by_serial;
    struct id_map by_pid; /* the newest to be seen */
    struct id_map by_execution;
    struct process **dirty;
    size_t dirty_count, dirty_room;
    struct early_end *ends;
    size_t end_count, end_room;
};

static void settle(void *context, const struct execution *execution);

struct process_table *process_table_new(struct store *store)
{
    struct process_table *table = xcalloc(1, sizeof *table);

    table->store = store;
    table->executions = executions_new(settle, table);
    return table;
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
    id_map_fini(&table->by_pid);
    free(table->dirty);
    free(table->ends);
    free(table);
}

static void touch(struct process_table *table, struct process *process)
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

/* The process of that serial; made, as one whose start was not seen, when there is none. */
static struct process *get(struct process_table *table, uint64_t serial, const struct record *head)
{
    struct process *process = id_map_get(&table->by_serial, serial);

    if (process)
        return process;
    process = xcalloc(1, sizeof *process);
    *process = (struct process){.serial = serial,
                                .pid = head->pid,
                                .started = head->time,
                                .how = "unobserved",
                                .shim = "loaded",
                                .user_us = -1,
                                .system_us = -1,
                                .max_resident_kib = -1};
    id_map_put(&table->by_serial, serial, process);
    touch(table, process);
    return process;
}

static void index_pid(struct process_table *table, struct process *process)
{
    if (process->pid == 0)
        return;
    process->same_pid = id_map_get(&table->by_pid, process->pid);
    id_map_put(&table->by_pid, process->pid, process);
}

int64_t process_table_id(struct process_table *table, const struct record *head)
{
    return store_process_id(table->store, get(table, head->process, head)->serial);
}

void process_table_start(struct process_table *table, const struct record_view *record,
                         const struct subject *exe)
{
    const struct record *head = record->head;
    struct process *process = get(table, head->process, head);
    uint64_t from = PARENT(head->value);

    if (process->reported)
        return; /* a copy: the first one counts */
    process->reported = true;
    process->pid = head->pid;
    process->parent_pid = (uint32_t)head->error;
    process->started = head->time;
    process->exe = exe ? exe->id : 0;
    buffer_clear(&process->cwd);
    buffer_add(&process->cwd, record->other, head->other);
    index_pid(table, process);
    touch(table, process);
    if (head->value & START_FORKED) {
        process->how = "fork";
        process->parent = from;
    } else if (from == 0) {
        process->how = "first";
        process->first = true;
    } else {
        process->how = "spawn"; /* until the record of the call says more */
        id_map_put(&table->by_execution, from, process);
        executions_started(table->executions, from, process->serial, exe);
    }
}

void process_table_argument(struct process_table *table, const struct record_view *record)
{
    struct process *process = get(table, record->head->process, record->head);

    if (process->stored && process->argv.length == 0 && process->has_argv)
        store_argv(table->store, store_process_id(table->store, process->serial), &process->argv);
    process->has_argv = true;
    buffer_add(&process->argv, record->subject, record->head->subject);
    buffer_add_char(&process->argv, '\0');
    touch(table, process);
}

void process_table_environment(struct process_table *table, const struct record_view *record)
{
    struct process *process = get(table, record->head->process, record->head);

    process->environment = (int64_t)record->head->value;
    process->has_environment = true;
    touch(table, process);
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
    touch(table, process);
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
    struct process *process = get(table, record->head->process, record->head);

    process->calls++; /* first: the call may be settled at once */
    if (!executions_called(table->executions, record, program))
        process->calls--;
}

void process_table_execute_failed(struct process_table *table, const struct record_view *record)
{
    get(table, record->head->process, record->head);
    executions_failed(table->executions, record->head->value, record->head->error);
}

static void add_access(struct process_table *table, const struct execution *execution)
{
    struct access_row row = {
        .process = store_process_id(table->store, execution->process),
        .subject = execution->program,
        .count = 1,
        .first = (int64_t)execution->time,
        .hook = hook_name(execution->hook),
        .outcome = execution->error,
        .flags = execution->flags & RECORD_KEYED,
        .operation = EVENT_EXECUTE,
    };

    if (row.subject)
        store_access(table->store, &row);
}

/* An execution is complete: the call and either the new image or the failure were seen. */
static void settle(void *context, const struct execution *execution)
{
    struct process_table *table = context;
    struct process *caller = id_map_get(&table->by_serial, execution->process);
    struct process *process = NULL;

    add_access(table, execution);
    if (caller && caller->calls)
        caller->calls--;
    if (execution->started)
        process = id_map_get(&table->by_serial, execution->started);
    if (!process)
        return;
    process->parent = execution->process;
    /* A vfork child notes its call under its parent's process, with its own pid. */
    process->how = caller && caller->pid == process->pid ? "exec" : "spawn";
    touch(table, process);
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

void process_table_write(struct process_table *table)
{
    apply_ends(table, false);
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

static const struct {
    const char *word;
    enum blind_spot class;
} image_classes[] = {
    [IMAGE_UNKNOWN] = {"stripped", BLIND_SPOT_STRIPPED},
    [IMAGE_EXPECTED] = {"stripped", BLIND_SPOT_STRIPPED},
    [IMAGE_SCRIPT] = {"stripped", BLIND_SPOT_STRIPPED},
    [IMAGE_STATIC] = {"static", BLIND_SPOT_STATIC},
    [IMAGE_FOREIGN_LIBC] = {"foreign_libc", BLIND_SPOT_FOREIGN_LIBC},
    [IMAGE_FOREIGN_ABI] = {"foreign_abi", BLIND_SPOT_FOREIGN_ABI},
    [IMAGE_SECURE] = {"secure", BLIND_SPOT_SECURE},
    [IMAGE_OTHER] = {"stripped", BLIND_SPOT_STRIPPED},
};

/* An image that was started and never reported in: a process all the same, and a blind spot. */
static void add_unobserved(void *context, const struct execution *execution)
{
    struct process_table *table = context;
    const struct process *caller = id_map_get(&table->by_serial, execution->process);
    struct record head = {.pid = execution->pid, .time = execution->time};
    size_t class = execution->image < sizeof image_classes / sizeof *image_classes
                       ? execution->image
                       : IMAGE_UNKNOWN;
    struct process *process;

    add_access(table, execution);
    if (id_map_get(&table->by_serial, execution->id))
        return;
    if (execution->in_place && store_adopt(table->store, execution->pid,
                                           store_process_id(table->store, execution->process),
                                           "exec", (int64_t)execution->time))
        return;
    process = get(table, execution->id, &head);
    process->parent = execution->process;
    process->exe = execution->program;
    process->shim = image_classes[class].word;
    if (caller && caller->pid == execution->pid && execution->in_place) {
        process->parent_pid = caller->parent_pid;
    } else {
        process->pid =
            execution->in_place ? execution->pid : 0; /* a spawned child's is not known */
        process->parent_pid = caller ? caller->pid : 0;
    }
    buffer_add(&process->argv, execution->name, execution->name_length);
    buffer_add_char(&process->argv, '\0');
    index_pid(table, process);
    store_blind_spot(table->store, store_process_id(table->store, process->serial),
                     image_classes[class].class, execution->name, execution->name_length, 1);
}

/* The call that made it was lost: its parent's pid is the next best. */
static void adopt(void *context, const struct execution *execution)
{
    struct process_table *table = context;
    struct process *process = id_map_get(&table->by_serial, execution->started);
    const struct process *best = NULL;

    if (!process)
        return;
    for (const struct process *other = id_map_get(&table->by_pid, process->parent_pid); other;
         other = other->same_pid) {
        if (other->started <= process->started && (!best || other->started > best->started))
            best = other;
    }
    if (best && best != process) {
        process->parent = best->serial;
        touch(table, process);
    }
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
    struct record head = {.pid = pid, .time = time};
    struct process *process;

    if (has_reported(table, pid))
        return false;
    process = get(table, RUN_COMMAND_ID, &head);
    process->exe = exe ? exe->id : 0;
    process->shim = image_classes[class].word;
    if (exe) {
        buffer_add(&process->argv, exe->name, exe->length);
        buffer_add_char(&process->argv, '\0');
    }
    index_pid(table, process);
    store_blind_spot(table->store, store_process_id(table->store, process->serial),
                     image_classes[class].class, exe ? exe->name : NULL, exe ? exe->length : 0, 1);
    return true;
}

void process_table_finish(struct process_table *table)
{
    executions_finish(table->executions, add_unobserved, adopt, table);
    apply_ends(table, true);
    process_table_write(table);
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
