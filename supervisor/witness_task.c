/* SPDX-License-Identifier: MIT
 *
 * Facts: proc(5): /proc/PID/status (Tgid, PPid, NStgid since Linux 4.1), field 22 of
 * /proc/PID/stat.
 */
#include "witness_task.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "die.h"
#include "id_map.h"

#define KEPT_NS     UINT64_C(1000000000)
#define STATUS_ROOM 1024 /* the fields asked for are among the first */

struct witness_tasks {
    struct id_map by_thread;
};

struct witness_tasks *witness_tasks_new(void)
{
    return xcalloc(1, sizeof(struct witness_tasks));
}

void witness_tasks_free(struct witness_tasks *tasks)
{
    if (!tasks)
        return;
    for (size_t i = 0; i < tasks->by_thread.room; i++)
        free(tasks->by_thread.slots[i].value);
    id_map_fini(&tasks->by_thread);
    free(tasks);
}

static bool read_file(pid_t thread, const char *name, char *text, size_t room)
{
    char path[48];
    ssize_t got;
    int file;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)thread, name);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    got = read(file, text, room - 1);
    close(file);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* The last number on the line that starts with `name`; the innermost namespace stands last. */
static uint32_t last_number(const char *text, const char *name)
{
    const char *line = strstr(text, name);
    unsigned long value = 0;
    char *end;

    if (!line)
        return 0;
    for (line += strlen(name); *line && *line != '\n'; line = end) {
        unsigned long next = strtoul(line, &end, 10);

        if (end == line)
            break;
        value = next;
        while (*end == ' ' || *end == '\t')
            end++;
    }
    return (uint32_t)value;
}

/* Field 9 of /proc/PID/stat; include/linux/sched.h. */
#define PF_EXITING  0x00000004ul
#define PF_SIGNALED 0x00000400ul

bool witness_task_is_ending(pid_t thread)
{
    char text[STATUS_ROOM], state = 'X';
    const char *at;
    unsigned long flags = 0;

    if (!read_file(thread, "stat", text, sizeof text))
        return true;
    at = strrchr(text, ')'); /* the name may hold anything */
    if (!at || sscanf(at + 1, " %c %*d %*d %*d %*d %*d %lu", &state, &flags) != 2)
        return true;
    return state == 'Z' || state == 'X' || (flags & (PF_EXITING | PF_SIGNALED));
}

static uint64_t start_time(pid_t leader)
{
    char text[STATUS_ROOM];
    const char *at;
    unsigned long long started = 0;

    if (!read_file(leader, "stat", text, sizeof text))
        return 0;
    at = strrchr(text, ')'); /* the name may hold anything */
    if (at)
        sscanf(at + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &started);
    return started;
}

static void ask(struct witness_task *task, pid_t thread)
{
    char text[STATUS_ROOM];

    task->leader = thread;
    task->pid = (uint32_t)thread;
    task->parent = 0;
    if (!read_file(thread, "status", text, sizeof text))
        return;
    task->leader = (pid_t)last_number(text, "\nTgid:");
    task->pid = last_number(text, "\nNStgid:");
    if (task->pid == 0)
        task->pid = (uint32_t)task->leader;
    task->parent = last_number(text, "\nPPid:");
}

/* Real and effective come first on these lines. */
static bool read_ids(const char *text, const char *name, unsigned *real, unsigned *effective)
{
    const char *line = strstr(text, name);

    return line && sscanf(line + strlen(name), "%u %u", real, effective) == 2;
}

struct image_starter witness_task_starter(pid_t thread)
{
    struct image_starter starter = command_image_ourselves();
    char text[STATUS_ROOM];
    unsigned ids[4];

    if (read_file(thread, "status", text, sizeof text) &&
        read_ids(text, "\nUid:", &ids[0], &ids[1]) && read_ids(text, "\nGid:", &ids[2], &ids[3]))
        starter = (struct image_starter){ids[0], ids[1], ids[2], ids[3]};
    return starter;
}

static struct witness_task *get(struct witness_tasks *tasks, pid_t thread)
{
    struct witness_task *task = id_map_get(&tasks->by_thread, (uint64_t)thread);

    if (!task) {
        task = xcalloc(1, sizeof *task);
        id_map_put(&tasks->by_thread, (uint64_t)thread, task);
    }
    return task;
}

/* An image belongs to the process that it was announced for, not to a later one of that number. */
static void check_image(struct witness_task *task)
{
    if ((task->image || task->apart) && start_time(task->leader) != task->started) {
        task->image = 0;
        task->apart = false;
    }
}

void witness_task_set_image(struct witness_task *leader, uint64_t image)
{
    leader->started = start_time(leader->leader);
    leader->apart = image == 0;
    __atomic_store_n(&leader->image, image, __ATOMIC_RELEASE);
}

uint64_t witness_task_image(const struct witness_task *leader)
{
    return __atomic_load_n(&leader->image, __ATOMIC_ACQUIRE);
}

struct witness_task *witness_task_of(struct witness_tasks *tasks, pid_t thread, uint64_t now)
{
    struct witness_task *task = get(tasks, thread);

    if (task->asked && now - task->asked < KEPT_NS)
        return task;
    ask(task, thread);
    task->asked = now;
    if (task->leader == thread)
        check_image(task);
    return task;
}

struct witness_task *witness_task_leader(struct witness_tasks *tasks,
                                         const struct witness_task *task)
{
    struct witness_task *leader = get(tasks, task->leader);

    if (!leader->asked || (leader != task && task->asked - leader->asked > KEPT_NS)) {
        ask(leader, task->leader);
        leader->asked = task->asked;
        check_image(leader);
    }
    return leader;
}

struct witness_task *witness_task_find(struct witness_tasks *tasks, pid_t leader)
{
    return id_map_get(&tasks->by_thread, (uint64_t)leader);
}
