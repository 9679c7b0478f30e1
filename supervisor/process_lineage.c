/* SPDX-License-Identifier: MIT */
#include "process.h"

#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "hook_names.h"

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

/* Who made the call that became the image. */
static void set_parent(struct process_table *table, struct process *process, uint64_t parent)
{
    const struct process *caller = id_map_get(&table->by_serial, parent);

    process->parent = parent;
    process->settled = true;
    process->how = caller && caller->pid == process->pid ? "exec" : "spawn";
    process_touch(table, process);
}

/* The call and either the new image or the failure were seen. */
void process_settle(void *context, const struct execution *execution)
{
    struct process_table *table = context;
    struct process *caller = id_map_get(&table->by_serial, execution->process);
    struct process *process = NULL;

    add_access(table, execution);
    if (caller && caller->calls)
        caller->calls--;
    if (execution->started)
        process = id_map_get(&table->by_serial, execution->started);
    if (process)
        set_parent(table, process, execution->process);
}
const struct image_word *process_image_word(uint32_t class)
{
    static const struct image_word words[] = {
        [IMAGE_UNKNOWN] = {"stripped", BLIND_SPOT_STRIPPED},
        [IMAGE_EXPECTED] = {"stripped", BLIND_SPOT_STRIPPED},
        [IMAGE_SCRIPT] = {"stripped", BLIND_SPOT_STRIPPED},
        [IMAGE_STATIC] = {"static", BLIND_SPOT_STATIC},
        [IMAGE_FOREIGN_LIBC] = {"foreign_libc", BLIND_SPOT_FOREIGN_LIBC},
        [IMAGE_FOREIGN_ABI] = {"foreign_abi", BLIND_SPOT_FOREIGN_ABI},
        [IMAGE_SECURE] = {"secure", BLIND_SPOT_SECURE},
        [IMAGE_OTHER] = {"stripped", BLIND_SPOT_STRIPPED},
    };

    return &words[class < sizeof words / sizeof *words ? class : IMAGE_UNKNOWN];
}

/* The image may have started without naming the call: as far as the witness could tell, or in a run
 * that was taken up again, stored before its call was read. */
static bool adopt_by_call(struct process_table *table, const struct execution *execution)
{
    uint64_t serial = timeline_became(table->timeline, execution->pid, execution->time);
    struct process *process = serial ? id_map_get(&table->by_serial, serial) : NULL;

    if (!process || !process->orphan || !(process->witnessed || process->stored_before))
        return false;
    set_parent(table, process, execution->process);
    return true;
}

/* The same for a child, whose pid the call did not know: the first of that kind. */
static bool adopt_by_spawn(struct process_table *table, const struct execution *execution)
{
    const char *word = process_image_word(execution->image)->word;
    struct process *first = id_map_get(&table->spawned, execution->process), **found = NULL;

    for (struct process **at = &first; *at; at = &(*at)->spawned)
        if ((*at)->started >= execution->time &&
            (execution->image == IMAGE_UNKNOWN || strcmp((*at)->shim, word) == 0))
            found = at;
    if (!found)
        return false;
    *found = (*found)->spawned;
    id_map_put(&table->spawned, execution->process, first);
    return true;
}

/* An image that was started and never reported in: a process all the same, and a blind spot. */
static void add_unobserved(void *context, const struct execution *execution)
{
    struct process_table *table = context;
    const struct process *caller = id_map_get(&table->by_serial, execution->process);
    struct record head = {.pid = execution->pid, .time = execution->time};
    const struct image_word *word = process_image_word(execution->image);
    struct process *process;

    add_access(table, execution);
    if (id_map_get(&table->by_serial, execution->id))
        return;
    if (execution->in_place ? adopt_by_call(table, execution) : adopt_by_spawn(table, execution))
        return;
    process = process_get(table, execution->id, &head);
    process->parent = execution->process;
    process->exe = execution->program;
    process->shim = word->word;
    if (caller && caller->pid == execution->pid && execution->in_place) {
        process->parent_pid = caller->parent_pid;
    } else {
        process->pid =
            execution->in_place ? execution->pid : 0; /* a spawned child's is not known */
        process->parent_pid = caller ? caller->pid : 0;
    }
    buffer_add(&process->argv, execution->name, execution->name_length);
    buffer_add_char(&process->argv, '\0');
    process_index_pid(table, process);
    timeline_start(table->timeline, process->pid, process->started, process->serial, true);
    store_blind_spot(table->store, store_process_id(table->store, process->serial), word->class,
                     execution->name, execution->name_length, 1);
}

/* --- whose call is not known ---------------------------------------------------------------- */

void process_add_orphan(struct process_table *table, struct process *process)
{
    if (process->orphan)
        return;
    process->orphan = true;
    process->settled = false;
    process->how = "spawn";
    process->parent = 0;
    if (table->orphan_count == table->orphan_room) {
        table->orphan_room = table->orphan_room ? 2 * table->orphan_room : 64;
        table->orphans = xrealloc(table->orphans, table->orphan_room * sizeof(struct process *));
    }
    table->orphans[table->orphan_count++] = process;
    process_touch(table, process);
}

static void claim_first(struct process_table *table, struct process *process)
{
    struct process *holder = table->first;

    if (holder && holder->started <= process->started) {
        process_add_orphan(table, process);
        return;
    }
    if (holder) {
        holder->first = false;
        process_add_orphan(table, holder);
    }
    table->first = process;
    process->first = true;
    process->how = "first";
}

void process_claim(struct process_table *table, struct process *process, uint64_t execution,
                   const struct subject *exe)
{
    struct process *holder = id_map_get(&table->by_execution, execution);

    if (execution == 0) {
        claim_first(table, process);
        return;
    }
    if (execution > LOG_ID_MAX || (holder && holder->started <= process->started)) {
        process_add_orphan(table, process);
        return;
    }
    process->how = "spawn"; /* until the record of the call says more */
    id_map_put(&table->by_execution, execution, process);
    if (holder && holder->settled)
        set_parent(table, process, holder->parent);
    else
        executions_started(table->executions, execution, process->serial, exe);
    if (holder)
        process_add_orphan(table, holder);
}

/* The row that the pid was just before. */
static struct process *row_before(const struct process_table *table, uint32_t pid, uint64_t time)
{
    struct place place = timeline_find(table->timeline, pid, time - 1);

    return place.before ? id_map_get(&table->by_serial, place.before) : NULL;
}

/* An image takes over the process that it is started in: its parent stays the same, unless that has
 * ended meanwhile and the supervisor has taken its place. */
static bool is_same_process(const struct process_table *table, const struct process *before,
                            const struct process *process)
{
    return before->parent_pid == process->parent_pid ||
           (table->first && process->parent_pid == table->first->parent_pid);
}

static bool adopt(struct process_table *table, struct process *process)
{
    struct process *before = row_before(table, process->pid, process->started);

    if (!before || !is_same_process(table, before, process))
        before = row_before(table, process->parent_pid, process->started);
    if (!before || before == process)
        return false;
    set_parent(table, process, before->serial);
    if (process->witnessed && before->pid != process->pid) {
        process->spawned = id_map_get(&table->spawned, before->serial);
        id_map_put(&table->spawned, before->serial, process);
    }
    return true;
}

void process_adopt(struct process_table *table, uint64_t safe, bool final)
{
    size_t kept = 0;

    for (size_t i = 0; i < table->orphan_count; i++) {
        struct process *process = table->orphans[i];

        if (process->settled)
            continue;
        if (process->started >= safe || (process->stored_before && !final) ||
            !adopt(table, process))
            table->orphans[kept++] = process;
    }
    table->orphan_count = kept;
}

/* The call that made it was lost. */
static void take_orphan(void *context, const struct execution *execution)
{
    struct process_table *table = context;
    struct process *process = id_map_get(&table->by_serial, execution->started);

    if (process && !process->settled)
        process_add_orphan(table, process);
}

/* What the witness announced is there before its calls are asked for. */
static void adopt_witnessed(struct process_table *table)
{
    for (size_t i = 0; i < table->orphan_count; i++)
        if (table->orphans[i]->witnessed && !table->orphans[i]->settled)
            adopt(table, table->orphans[i]);
}

void process_table_add_missing(struct process_table *table)
{
    adopt_witnessed(table);
    executions_finish(table->executions, add_unobserved, take_orphan, table);
}
