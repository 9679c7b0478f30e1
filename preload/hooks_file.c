/* SPDX-License-Identifier: MIT
 *
 * Wrappers of the file channel whose call does not map to one event: opening, temporary names,
 * folders.
 */
#include "hook.h"
#include "subject.h"

/* --- open ----------------------------------------------------------------------------------- */

struct opening {
    struct call call;
    int dirfd;
    const char *path;
    int flags;
    uint32_t existed; /* RECORD_EXISTED, looked up before the call where the call itself hides it */
};

/* Before the call: does a file that may be created and is not emptied exist already? Its old
 * content then reaches the program. One look, and only for this rare kind of open. */
static struct opening opening_begin(enum hook hook, int dirfd, const char *path, int flags)
{
    struct opening opening = {{.hook = hook}, dirfd, path, flags, 0};

    if ((flags & O_ACCMODE) == O_RDONLY && !(flags & O_CREAT))
        return opening;
    if (!self_active())
        return opening;
    opening.call.time = log_time();
    if ((flags & O_CREAT) && !(flags & (O_EXCL | O_TRUNC)) && !log_is_quiet() &&
        raw_access(dirfd, path, F_OK) == 0)
        opening.existed = RECORD_EXISTED;
    return opening;
}

static uint32_t flags_of(const struct opening *opening)
{
    int flags = opening->flags;

    return (flags & O_CREAT ? RECORD_CREATE : 0) | (flags & O_TRUNC ? RECORD_TRUNCATE : 0) |
           (flags & O_APPEND ? RECORD_APPEND : 0) | (flags & O_NOFOLLOW ? RECORD_NO_FOLLOW : 0) |
           opening->existed;
}

static void note_opening(const struct opening *opening, int fd)
{
    int flags = opening->flags;
    bool reads = (flags & O_ACCMODE) != O_WRONLY;
    bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
    uint32_t what = flags_of(opening);

    if ((flags & O_TMPFILE) == O_TMPFILE) {
        note_opened(&opening->call, EVENT_WRITE, opening->dirfd, opening->path, RECORD_UNNAMED, fd);
        return;
    }
    if (flags & O_PATH) {
        note_opened(&opening->call, EVENT_STAT, opening->dirfd, opening->path,
                    RECORD_PATH_ONLY | (what & RECORD_NO_FOLLOW), fd);
        return;
    }
    if (flags & O_DIRECTORY) {
        note_opened(&opening->call, EVENT_LIST, opening->dirfd, opening->path,
                    what & RECORD_NO_FOLLOW, fd);
        return;
    }
    if (writes)
        note_opened(&opening->call, EVENT_WRITE, opening->dirfd, opening->path, what, fd);
    /* What was just created or emptied has nothing to read. */
    if (reads && (!writes || opening->existed || !(flags & (O_CREAT | O_TRUNC))))
        note_opened(&opening->call, EVENT_READ, opening->dirfd, opening->path,
                    what & RECORD_NO_FOLLOW, fd);
}

static int opening_end(struct opening *opening, int fd)
{
    if (self_active()) {
        opening->call.error = ERROR_OF(fd, -1);
        note_opening(opening, fd);
    }
    return fd;
}

#define OPEN(name)                                                                                 \
    int hook_##name(const char *path, int flags, ...)                                              \
    {                                                                                              \
        MODE_AFTER(flags, flags)                                                                   \
        struct opening opening = opening_begin(HOOK_##name, AT_FDCWD, path, flags);                \
        return opening_end(&opening, REAL(name)(path, flags, mode));                               \
    }

#define OPENAT(name)                                                                               \
    int hook_##name(int dirfd, const char *path, int flags, ...)                                   \
    {                                                                                              \
        MODE_AFTER(flags, flags)                                                                   \
        struct opening opening = opening_begin(HOOK_##name, dirfd, path, flags);                   \
        return opening_end(&opening, REAL(name)(dirfd, path, flags, mode));                        \
    }

OPEN(open)
OPEN(open64)
OPEN(__open)
OPEN(__open64)
OPENAT(openat)
OPENAT(openat64)

#define OPEN_2(name)                                                                               \
    int hook_##name(const char *path, int flags)                                                   \
    {                                                                                              \
        struct opening opening = opening_begin(HOOK_##name, AT_FDCWD, path, flags);                \
        return opening_end(&opening, REAL(name)(path, flags));                                     \
    }

#define OPENAT_2(name)                                                                             \
    int hook_##name(int dirfd, const char *path, int flags)                                        \
    {                                                                                              \
        struct opening opening = opening_begin(HOOK_##name, dirfd, path, flags);                   \
        return opening_end(&opening, REAL(name)(dirfd, path, flags));                              \
    }

#define CREAT(name)                                                                                \
    int hook_##name(const char *path, mode_t mode)                                                 \
    {                                                                                              \
        struct opening opening =                                                                   \
            opening_begin(HOOK_##name, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC);              \
        return opening_end(&opening, REAL(name)(path, mode));                                      \
    }

OPEN_2(__open_2)
OPEN_2(__open64_2)
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)
CREAT(creat)
CREAT(creat64)

/* --- streams -------------------------------------------------------------------------------- */

/* fopen(3): r, w or a, then + among the letters before a comma. */
static int mode_flags(const char *mode)
{
    int flags;

    if (!mode)
        return O_RDONLY;
    flags = *mode == 'w' ? O_CREAT | O_TRUNC : *mode == 'a' ? O_CREAT | O_APPEND : 0;
    for (const char *at = mode; *at && *at != ','; at++)
        if (*at == '+')
            return flags | O_RDWR;
    return flags | (*mode == 'r' ? O_RDONLY : O_WRONLY);
}

static FILE *stream_end(struct opening *opening, FILE *stream)
{
    if (self_active()) {
        opening->call.error = stream ? 0 : errno;
        /* The descriptor is asked of the stream's own record, fileno may be the program's. */
        note_opening(opening, stream ? stream->_fileno : -1);
    }
    return stream;
}

#define FOPEN(name)                                                                                \
    FILE *hook_##name(const char *path, const char *mode)                                          \
    {                                                                                              \
        struct opening opening = opening_begin(HOOK_##name, AT_FDCWD, path, mode_flags(mode));     \
        return stream_end(&opening, REAL(name)(path, mode));                                       \
    }

/* With a NULL path freopen only changes the mode of what is open. */
#define FREOPEN(name)                                                                              \
    FILE *hook_##name(const char *path, const char *mode, FILE *stream)                            \
    {                                                                                              \
        struct opening opening = {{.hook = HOOK_##name}, AT_FDCWD, path, 0, 0};                    \
        if (!path)                                                                                 \
            return REAL(name)(path, mode, stream);                                                 \
        opening = opening_begin(HOOK_##name, AT_FDCWD, path, mode_flags(mode));                    \
        return stream_end(&opening, REAL(name)(path, mode, stream));                               \
    }

FOPEN(fopen)
FOPEN(fopen64)
FOPEN(_IO_fopen)
FREOPEN(freopen)
FREOPEN(freopen64)

/* --- temporary names ------------------------------------------------------------------------ */

#define TEMPORARY(name, params, args)                                                              \
    int hook_##name params                                                                         \
    {                                                                                              \
        struct call call = {.hook = HOOK_##name, .time = self_active() ? log_time() : 0};          \
        int fd = REAL(name) args;                                                                  \
        if (self_active()) {                                                                       \
            call.error = ERROR_OF(fd, -1);                                                         \
            PATH(WRITE, AT_FDCWD, path, RECORD_CREATE | RECORD_TEMPORARY);                         \
        }                                                                                          \
        return fd;                                                                                 \
    }

TEMPORARY(mkstemp, (char *path), (path))
TEMPORARY(mkstemp64, (char *path), (path))
TEMPORARY(mkostemp, (char *path, int flags), (path, flags))
TEMPORARY(mkostemp64, (char *path, int flags), (path, flags))
TEMPORARY(mkstemps, (char *path, int suffix), (path, suffix))
TEMPORARY(mkstemps64, (char *path, int suffix), (path, suffix))
TEMPORARY(mkostemps, (char *path, int suffix, int flags), (path, suffix, flags))
TEMPORARY(mkostemps64, (char *path, int suffix, int flags), (path, suffix, flags))

/* --- folders and names ---------------------------------------------------------------------- */

int hook_chdir(const char *path)
{
    struct call call = {.hook = HOOK_chdir};
    int result = REAL(chdir)(path);

    if (self_active()) {
        call.error = ERROR_OF(result, -1);
        if (!call.error)
            subject_folder_changed();
        /* A relative path was relative to the folder that was left: name the new one instead. */
        PATH(CHDIR, AT_FDCWD, call.error || path[0] == '/' ? path : ".", 0);
    }
    return result;
}

int hook_fchdir(int fd)
{
    struct call call = {.hook = HOOK_fchdir};
    int result = REAL(fchdir)(fd);

    if (self_active()) {
        call.error = ERROR_OF(result, -1);
        subject_folder_changed();
        DESCRIPTOR(CHDIR, fd);
    }
    return result;
}

/* Paths after it are the new root's, and the log is out of reach by its name: take room ahead. */
int hook_chroot(const char *path)
{
    struct call call = {.hook = HOOK_chroot};
    int result;

    if (self_active())
        log_take_ahead();
    result = REAL(chroot)(path);
    if (self_active()) {
        call.error = ERROR_OF(result, -1);
        subject_folder_changed();
        PATH(CHDIR, AT_FDCWD, path, 0);
        if (!call.error)
            note_text(&call, EVENT_BLIND_SPOT, "changed-root", 0, 0);
    }
    return result;
}

int hook_renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
    struct call call = {.hook = HOOK_renameat2, .time = self_active() ? log_time() : 0};
    int result = REAL(renameat2)(from_fd, from, to_fd, to, flags);

    if (self_active()) {
        call.error = ERROR_OF(result, -1);
        PATHS(RENAME, from_fd, from, to_fd, to);
        if (flags & RENAME_EXCHANGE)
            PATHS(RENAME, to_fd, to, from_fd, from);
    }
    return result;
}

/* A NULL path means the descriptor itself. */
int hook_futimesat(int dirfd, const char *path, const struct timeval times[2])
{
    struct call call = {.hook = HOOK_futimesat, .time = self_active() ? log_time() : 0};
    int result = REAL(futimesat)(dirfd, path, times);

    if (self_active()) {
        call.error = ERROR_OF(result, -1);
        if (path)
            PATH(UTIME, dirfd, path, 0);
        else
            DESCRIPTOR(UTIME, dirfd);
    }
    return result;
}

int hook_utimensat(int dirfd, const char *path, const struct timespec times[2], int flags)
{
    struct call call = {.hook = HOOK_utimensat, .time = self_active() ? log_time() : 0};
    int result = REAL(utimensat)(dirfd, path, times, flags);

    if (self_active()) {
        call.error = ERROR_OF(result, -1);
        if (path)
            PATH(UTIME, dirfd, path, follow(flags));
        else
            DESCRIPTOR(UTIME, dirfd);
    }
    return result;
}
