/* SPDX-License-Identifier: MIT */
#include "witness_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tallyman/event.h"
#include "tallyman/record.h"

#define GONE " (deleted)"

/* The kernel's mark, not the end of a name. */
static bool is_gone(const char *link, const char *text, size_t length)
{
    struct stat meant, named;

    if (length <= strlen(GONE) || strcmp(text + length - strlen(GONE), GONE) != 0)
        return false;
    return stat(link, &meant) != 0 || lstat(text, &named) != 0 || meant.st_ino != named.st_ino ||
           meant.st_dev != named.st_dev;
}

size_t witness_folder(pid_t thread, int descriptor, char *to, size_t room, uint32_t *flags)
{
    char link[48];
    ssize_t length;

    if (descriptor == AT_FDCWD)
        snprintf(link, sizeof link, "/proc/%d/cwd", (int)thread);
    else if (descriptor == WITNESS_ROOT)
        snprintf(link, sizeof link, "/proc/%d/root", (int)thread);
    else
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)thread, descriptor);
    length = readlink(link, to, room - 1);
    if (length > 0 && to[0] != '/')
        errno = ENOTDIR;
    if (length <= 0 || to[0] != '/')
        return 0;
    to[length] = '\0';
    if (is_gone(link, to, (size_t)length)) {
        length -= (ssize_t)strlen(GONE);
        to[length] = '\0';
        *flags |= RECORD_RELATIVE_GONE;
    }
    return (size_t)length;
}

static const char *after(const char *path, const char *start)
{
    size_t length = strlen(start);

    if (strncmp(path, start, length) != 0)
        return NULL;
    return path[length] == '/' || path[length] == '\0' ? path + length : NULL;
}

/* Names whose meaning depends on who uses them, and where that is found instead. */
static bool translate(pid_t thread, pid_t leader, const char *path, char *to, size_t room)
{
    const char *rest;
    int length;

    if ((rest = after(path, "/proc/self")))
        length = snprintf(to, room, "/proc/%d%s", (int)leader, rest);
    else if ((rest = after(path, "/proc/thread-self")))
        length = snprintf(to, room, "/proc/%d/task/%d%s", (int)leader, (int)thread, rest);
    else if ((rest = after(path, "/dev/fd")))
        length = snprintf(to, room, "/proc/%d/fd%s", (int)leader, rest);
    else if (after(path, "/dev/stdin"))
        length = snprintf(to, room, "/proc/%d/fd/0", (int)leader);
    else if (after(path, "/dev/stdout"))
        length = snprintf(to, room, "/proc/%d/fd/1", (int)leader);
    else if (after(path, "/dev/stderr"))
        length = snprintf(to, room, "/proc/%d/fd/2", (int)leader);
    else
        return false;
    return length > 0 && (size_t)length < room;
}

bool witness_reach(pid_t thread, pid_t leader, const char *path, char *to, size_t room)
{
    if ((path[1] == 'p' || path[1] == 'd') && translate(thread, leader, path, to, room))
        return true;
    return snprintf(to, room, "%s", path) < (int)room;
}

size_t witness_meaning(pid_t thread, pid_t leader, const char *path, char *to, size_t room)
{
    char name[PATH_MAX], *real;
    size_t length = 0;

    if (path[1] != 'p' && path[1] != 'd')
        return 0;
    if (!translate(thread, leader, path, name, sizeof name))
        return 0;
    real = realpath(name, NULL);
    if (real && strlen(real) < room) {
        length = strlen(real);
        memcpy(to, real, length + 1);
    }
    free(real);
    return length;
}

static int errno_of(int result)
{
    return result < 0 ? errno : 0;
}

int witness_look_at(pid_t thread, pid_t leader, uint16_t kind, const char *path, uint32_t flags,
                    int mode)
{
    char name[PATH_MAX + 64], byte;
    int follow = flags & RECORD_NO_FOLLOW ? AT_SYMLINK_NOFOLLOW : 0;

    if ((path[1] == 'p' || path[1] == 'd') && translate(thread, leader, path, name, sizeof name))
        path = name;
    if (kind == EVENT_READLINK)
        return errno_of((int)readlink(path, &byte, 1));
    if (kind == EVENT_LIST && snprintf(name, sizeof name, "%s/", path) < (int)sizeof name)
        return errno_of(faccessat(AT_FDCWD, name, R_OK, 0));
    return errno_of(faccessat(AT_FDCWD, path, mode, follow));
}
