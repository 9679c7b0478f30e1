/* SPDX-License-Identifier: MIT */
#include "execution.h"

#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "hook_names.h"
#include "id_map.h"

struct executions {
    execution_sink settled;
    void *context;
    struct id_map pending;
};

struct executions *executions_new(execution_sink settled, void *context)
{
    struct executions *executions = xcalloc(1, sizeof *executions);

    executions->settled = settled;
    executions->context = context;
    return executions;
}

static void drop(struct executions *executions, struct execution *execution)
{
    id_map_remove(&executions->pending, execution->id);
    free(execution->name);
    free(execution);
}

void executions_free(struct executions *executions)
{
    for (size_t i = 0; i < executions->pending.room; i++) {
        struct execution *execution = executions->pending.slots[i].value;

        if (execution) {
            free(execution->name);
            free(execution);
        }
    }
    id_map_fini(&executions->pending);
    free(executions);
}

static struct execution *get(struct executions *executions, uint64_t id)
{
    struct execution *execution = id_map_get(&executions->pending, id);

    if (!execution) {
        execution = xcalloc(1, sizeof *execution);
        execution->id = id;
        id_map_put(&executions->pending, id, execution);
    }
    return execution;
}

static void settle(struct executions *executions, struct execution *execution)
{
    if (!execution->process || (!execution->started && !execution->error))
        return;
    executions->settled(executions->context, execution);
    drop(executions, execution);
}

bool executions_called(struct executions *executions, const struct record_view *record,
                       const struct subject *program)
{
    const struct record *head = record->head;
    struct execution *execution;

    if (head->value == 0 || head->value > LOG_ID_MAX)
        return false;
    execution = get(executions, head->value);
    if (execution->process)
        return false;
    execution->process = head->process;
    execution->time = head->time;
    execution->pid = head->pid;
    execution->flags = head->flags;
    execution->hook = head->hook;
    execution->image = head->other ? (uint8_t)record->other[0] : IMAGE_UNKNOWN;
    execution->name_length = program ? program->length : head->subject;
    execution->name = xmemdup(program ? program->name : record->subject, execution->name_length);
    execution->in_place = hook_is_exec(head->hook);
    if (program)
        execution->program = program->id;
    settle(executions, execution);
    return true;
}

void executions_started(struct executions *executions, uint64_t id, uint64_t process,
                        const struct subject *exe)
{
    struct execution *execution;

    if (id > LOG_ID_MAX)
        return;
    execution = get(executions, id);
    execution->started = process;
    if (!execution->program && exe)
        execution->program = exe->id;
    settle(executions, execution);
}

void executions_failed(struct executions *executions, uint64_t id, int32_t error)
{
    struct execution *execution;

    if (id == 0 || id > LOG_ID_MAX || error <= 0)
        return;
    execution = get(executions, id);
    execution->error = error;
    settle(executions, execution);
}

static int by_id(const void *left, const void *right)
{
    const struct execution *const *a = left, *const *b = right;

    return ((*a)->id > (*b)->id) - ((*a)->id < (*b)->id);
}

void executions_finish(struct executions *executions, execution_sink unobserved,
                       execution_sink orphan, void *context)
{
    struct execution **list = xcalloc(executions->pending.count + 1, sizeof(struct execution *));
    size_t count = 0;

    for (size_t i = 0; i < executions->pending.room; i++) {
        if (executions->pending.slots[i].value)
            list[count++] = executions->pending.slots[i].value;
    }
    qsort(list, count, sizeof *list, by_id);
    for (size_t i = 0; i < count; i++) {
        if (list[i]->process)
            unobserved(context, list[i]);
        else if (list[i]->started)
            orphan(context, list[i]);
        drop(executions, list[i]);
    }
    free(list);
}
