/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <errno.h>

#include "log.h"
#include "raw.h"
#include "text.h"

static uint64_t folder_epoch;
static uint32_t folder_hint = 128;

uint64_t subject_folder_epoch(void)
{
    return __atomic_load_n(&folder_epoch, __ATOMIC_RELAXED);
}

void subject_folder_changed(void)
{
    __atomic_fetch_add(&folder_epoch, 1, __ATOMIC_RELAXED);
}

size_t subject_folder_hint(void)
{
    return __atomic_load_n(&folder_hint, __ATOMIC_RELAXED);
}

struct subject_path subject_path(int dirfd, const char *path, uint32_t *flags)
{
    struct subject_path subject = {path, text_length(path), dirfd};

    if (subject.length > SUBJECT_PATH_MAX) {
        subject.length = SUBJECT_PATH_MAX;
        *flags |= RECORD_CUT;
    }
    return subject;
}

size_t subject_room(const struct subject_path *path, size_t folder)
{
    return path->length + (path->length && path->text[0] == '/' ? 0 : folder + 1);
}

/* "/proc/self/fd/N" */
static void link_of(int fd, char *to)
{
    static const char prefix[] = "/proc/self/fd/";

    text_copy(to, prefix, sizeof prefix - 1);
    text_decimal(to + sizeof prefix - 1, (unsigned)fd);
}

/* What stands in a path for a folder that has no name. */
#define GONE    "(deleted)"
#define UNKNOWN "(unknown)"

static bool write_mark(const char *mark, char *to, size_t room, size_t *length)
{
    *length = text_length(mark);
    if (room <= *length)
        return false;
    text_copy(to, mark, *length);
    return true;
}

/* The current folder as it was when the program sandboxed itself. */
static struct {
    char name[SUBJECT_FOLDER_MAX];
    size_t length;
    uint64_t epoch;
} remembered;

void subject_remember_folder(void)
{
    long got = raw_getcwd(remembered.name, sizeof remembered.name);

    remembered.length = got > 0 ? (size_t)got - 1 : 0;
    remembered.epoch = subject_folder_epoch();
}

static bool write_remembered(char *to, size_t room, size_t *length, uint32_t *flags)
{
    if (!remembered.length || remembered.epoch != subject_folder_epoch()) {
        *flags |= RECORD_UNRESOLVED;
        return write_mark(UNKNOWN, to, room, length);
    }
    *length = remembered.length == 1 ? 0 : remembered.length;
    if (*length >= room)
        return false;
    text_copy(to, remembered.name, *length);
    return true;
}

/* The current folder. Fits in `room` or false; `*length` without NUL. */
static bool write_current(char *to, size_t room, size_t *length, uint32_t *flags)
{
    long got;

    if (log_is_quiet())
        return write_remembered(to, room, length, flags);
    got = raw_getcwd(to, room);
    if (got > 0) {
        *length = (size_t)got - 1;
        if (to[0] != '/') /* "(unreachable)...": outside the process's root */
            *flags |= RECORD_UNRESOLVED;
        else if (*length >= subject_folder_hint())
            __atomic_store_n(&folder_hint, (uint32_t)*length + 1, __ATOMIC_RELAXED);
        if (*length == 1)
            *length = 0; /* the root itself: the separator follows */
        return true;
    }
    if (got == -ERANGE && room < SUBJECT_FOLDER_MAX)
        return false;
    if (got == -ENOENT) {
        *flags |= RECORD_RELATIVE_GONE;
        return write_mark(GONE, to, room, length);
    }
    *flags |= RECORD_UNRESOLVED;
    return write_mark(UNKNOWN, to, room, length);
}

static bool write_folder(int dirfd, char *to, size_t room, size_t *length, uint32_t *flags)
{
    char link[40];
    long got;

    if (dirfd == AT_FDCWD)
        return write_current(to, room, length, flags);
    link_of(dirfd, link);
    got = log_is_quiet() ? -EPERM : raw_readlink(link, to, room);
    if (got > 0 && (size_t)got == room && room < SUBJECT_FOLDER_MAX)
        return false;
    if (got <= 0 || to[0] != '/') {
        *flags |= RECORD_UNRESOLVED;
        return write_mark(UNKNOWN, to, room, length);
    }
    *length = got == 1 ? 0 : (size_t)got;
    return true;
}

bool subject_write(const struct subject_path *path, char *to, size_t room, size_t *used,
                   uint32_t *flags, size_t *dirty)
{
    size_t length = 0, at = 0;

    if (!path->length || path->text[0] != '/') {
        size_t folder_room = room > path->length + 1 ? room - path->length - 1 : 0;

        *dirty = folder_room;
        if (!write_folder(path->dirfd, to, folder_room, &length, flags))
            return false;
        at = length;
        to[at++] = '/';
    }
    text_copy(to + at, path->text, path->length);
    *used = at + path->length;
    *dirty = *used;
    return true;
}

bool subject_is_magic(const char *path)
{
    return text_starts(path, "/proc/") || text_starts(path, "/dev/fd/") ||
           text_starts(path, "/dev/std");
}

long subject_kernel_name(int fd, char *to, size_t room)
{
    char link[40];
    long got;

    if (log_is_quiet())
        return -EPERM;
    link_of(fd, link);
    got = raw_readlink(link, to, room);
    if (got == (long)room)
        return -ENAMETOOLONG;
    if (got > 0 && (to[0] != '/' || (got > 7 && text_starts(to, "/memfd:"))))
        return 0;
    return got;
}
