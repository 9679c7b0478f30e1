/* SPDX-License-Identifier: MIT */
#include "witnessed.h"

#include <errno.h>

#include "hook_names.h"
#include "tallyman/event.h"

#define START_CLASS(value) ((value) >> START_CLASS_SHIFT & 15)

static const uint8_t channels[] = {
#define EVENT(id, channel, class, name, text) CHANNEL_##channel,
#include "tallyman/events.def"
#undef EVENT
};

/* What makes a name succeeds where there was none. */
void witnessed_foretell(struct record *head)
{
    switch (head->kind) {
    case EVENT_WRITE:
        if (!(head->flags & RECORD_CREATE))
            break;
        if (head->error == 0)
            head->flags |= RECORD_EXISTED;
        else if (head->error == ENOENT)
            head->error = 0;
        break;
    case EVENT_MKDIR:
    case EVENT_SYMLINK:
    case EVENT_MKNOD:
        if (head->error == 0)
            head->error = EEXIST;
        else if (head->error == ENOENT)
            head->error = 0;
        break;
    default:
        break;
    }
}

bool witnessed_makes_sense(const struct process_table *processes, const struct record *head)
{
    bool access = channels[head->kind] != CHANNEL_NONE;

    if (access && !witness_call_name(head->hook))
        return false;
    if (head->process == 0)
        return (access && head->pid != 0) || head->kind == EVENT_BLIND_SPOT;
    if (head->kind == EVENT_PROCESS_START)
        return START_CLASS(head->value) <= IMAGE_GO && head->pid != 0;
    return process_table_knows(processes, head->process) && head->kind != EVENT_PROCESS_EXIT &&
           head->kind != EVENT_EXECUTE_FAILED;
}
