/* SPDX-License-Identifier: MIT */
#include "survivors.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "id_map.h"
#include "quote.h"

#define DEPTH_MAX 10000

/* -1 with errno when it cannot be read. */
static ssize_t read_proc(pid_t pid, const char *name, char *text, size_t size)
{
    char path[64];
    cleanup_close int file = -1;
    ssize_t length;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    file = open(path, O_RDONLY | O_CLOEXEC);
    length = file < 0 ? -1 : read(file, text, size - 1);
    text[length > 0 ? length : 0] = '\0';
    return length;
}

/* Its parent; 0 when it is gone or ended already, -1 when that cannot be told. */
static pid_t parent_of(pid_t pid)
{
    char text[512], state;
    const char *at;
    int parent;

    if (read_proc(pid, "stat", text, sizeof text) < 0)
        return errno == ENOENT || errno == ESRCH ? 0 : -1;
    if (!(at = strrchr(text, ')')) || sscanf(at + 1, " %c %d", &state, &parent) != 2 ||
        state == 'Z' || state == 'X')
        return 0;
    return parent;
}

static bool is_below(const struct id_map *parents, uintptr_t pid, uintptr_t ancestor)
{
    for (int depth = 0; pid && depth < DEPTH_MAX; depth++) {
        pid = (uintptr_t)id_map_get(parents, pid);
        if (pid == ancestor)
            return true;
    }
    return false;
}

static bool contains(const struct survivors *list, pid_t pid)
{
    for (size_t i = 0; list && i < list->count; i++) {
        if (list->pids[i] == pid)
            return true;
    }
    return false;
}

/* False when the system did not tell all. */
static bool map_parents(struct id_map *parents)
{
    DIR *folder = opendir("/proc");
    const struct dirent *entry;
    bool sure = folder != NULL;

    while (folder && (entry = readdir(folder))) {
        pid_t pid = (pid_t)atoi(entry->d_name), parent;

        if (!isdigit((unsigned char)entry->d_name[0]) || pid <= 0)
            continue;
        parent = parent_of(pid);
        sure = sure && parent >= 0;
        id_map_put(parents, (uint64_t)pid, (void *)(uintptr_t)(parent > 0 ? parent : 0));
    }
    if (folder)
        closedir(folder);
    return sure;
}

struct survivors survivors_list(const struct survivors *except)
{
    struct survivors found = {NULL, 0, false};
    struct id_map parents = {NULL, 0, 0};

    found.unsure = !map_parents(&parents);
    found.pids = xcalloc(parents.count + 1, sizeof *found.pids);
    for (size_t i = 0; i < parents.room; i++) {
        uint64_t pid = parents.slots[i].key;

        if (pid && is_below(&parents, pid, (uintptr_t)getpid()) && !contains(except, (pid_t)pid))
            found.pids[found.count++] = (pid_t)pid;
    }
    id_map_fini(&parents);
    return found;
}

void survivors_add(struct survivors *survivors, pid_t pid)
{
    survivors->pids = xrealloc(survivors->pids, (survivors->count + 1) * sizeof *survivors->pids);
    survivors->pids[survivors->count++] = pid;
}

void survivors_free(struct survivors *survivors)
{
    free(survivors->pids);
    *survivors = (struct survivors){NULL, 0, false};
}

void survivors_command(pid_t pid, struct buffer *command)
{
    char text[4096];
    ssize_t length = read_proc(pid, "cmdline", text, sizeof text);

    if (length > 0) {
        quote_command(command, text, (size_t)length);
        return;
    }
    length = read_proc(pid, "comm", text, sizeof text);
    quote_word(command, text, length > 0 ? (size_t)length - 1 : 0);
}
