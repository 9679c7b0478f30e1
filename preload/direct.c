/* SPDX-License-Identifier: MIT
 *
 * A direct function does what libc's does, down to errno; what it cannot do it leaves to libc's. It
 * holds no state, takes no lock, and is never in a table unless direct_wanted().
 */
#include "direct.h"

#include <limits.h>
#include <unistd.h>

#include "hook.h"
#include "resolve.h"
#include "text.h"

#define STAT_VERSION                                                                               \
    1 /* what glibc's headers had its stat functions pass to __xstat: _STAT_VER                    \
       */

bool direct_wanted(void)
{
    return self_active() && door_is_open() && log_control()->witness == WITNESS_GAPS;
}

static inline long finish(long result)
{
    if (result >= 0 || result < -4095)
        return result;
    errno = (int)-result;
    return -1;
}

/* Cancellation points are libc's business as soon as somebody could cancel. A libc without the
 * variable is older than 2.32. */
static inline bool one_thread(void)
{
    const char *flag = real_single_threaded();

    return flag && *(const volatile char *)flag;
}

/* --- streams and folders -------------------------------------------------------------------- */

/* What libc makes of a descriptor, which is closed where that is nothing. */
static inline void *take_or_close(void *made, int fd)
{
    int error = errno;

    if (!made)
        raw_close(fd);
    errno = error;
    return made;
}

/* How a mode that only reads is opened; -1: another mode. */
static inline int flags_to_read(const char *mode)
{
    int flags = O_RDONLY;

    if (*mode != 'r')
        return -1;
    for (int i = 1; mode[i]; i++) {
        if (i > 3 || (mode[i] != 'b' && mode[i] != 'e'))
            return -1;
        flags |= mode[i] == 'e' ? O_CLOEXEC : 0;
    }
    return flags;
}

#define CLOSES_ON_EXEC 64 /* _IO_FLAGS2_CLOEXEC: what fopen remembers of "e", for freopen */

/* fdopen makes the same of a descriptor as fopen of a path, but for that. A file that is opened to
 * be written to must stay as it is when there is no memory for the stream: that is libc's. */
static inline bool open_to_read(const char *path, const char *mode, FILE **stream)
{
    typedef FILE *maker(int, const char *);
    maker *make = (maker *)real_in_libc("fdopen");
    int flags = flags_to_read(mode), fd;

    if (!make || !one_thread() || flags < 0)
        return false;
    fd = (int)finish(DOOR(SYS_openat, AT_FDCWD, path, flags, 0, 0, 0));
    *stream = fd < 0 ? NULL : take_or_close(make(fd, "r"), fd);
    if (*stream && flags & O_CLOEXEC)
        (*stream)->_flags2 |= CLOSES_ON_EXEC;
    return true;
}

/* --- one call ------------------------------------------------------------------------------- */

#define DECLARED(name) static __typeof__(hook_##name) direct_##name; /* the type is checked */
#define DIRECT(name, ret, params, args, when, number, a, b, c, d, e)                               \
    DECLARED(name)                                                                                 \
    static ret direct_##name params                                                                \
    {                                                                                              \
        if (!(when))                                                                               \
            return BEHIND(name) args;                                                              \
        return (ret)finish(DOOR(number, a, b, c, d, e, 0));                                        \
    }
#define OPENING(name, params, args, dirfd, how)                                                    \
    DECLARED(name)                                                                                 \
    static int direct_##name params                                                                \
    {                                                                                              \
        MODE_AFTER(flags, flags)                                                                   \
        if (!one_thread())                                                                         \
            return BEHIND(name) args;                                                              \
        return (int)finish(DOOR(SYS_openat, dirfd, path, how, mode, 0, 0));                        \
    }
#define FOPEN(name)                                                                                \
    DECLARED(name)                                                                                 \
    static FILE *direct_##name(const char *path, const char *mode)                                 \
    {                                                                                              \
        FILE *stream;                                                                              \
        return open_to_read(path, mode, &stream) ? stream : BEHIND(name)(path, mode);              \
    }
#define OTHER(name)
#include "direct.def"
#undef DIRECT
#undef OPENING
#undef FOPEN

/* --- access --------------------------------------------------------------------------------- */

/* Since 2.33 (which began to export stat) libc asks the kernel first, flags or not. */
DECLARED(faccessat)
static int direct_faccessat(int dirfd, const char *path, int mode, int flags)
{
    long result = -ENOSYS;

    if (!flags || real_in_libc("stat"))
        result = DOOR(SYS_faccessat2, dirfd, path, mode, flags, 0, 0);
    return result == -ENOSYS ? BEHIND(faccessat)(dirfd, path, mode, flags) : (int)finish(result);
}

/* Of its own accord libc looks at the file first, whatever is asked. False: not decided, for a
 * process with two identities. */
static bool try_access(const char *path, int mode, int *result)
{
    struct stat status;
    long error;

    if (!RAW_STRUCTURES_FIT ||
        RAW(SYS_geteuid, 0, 0, 0, 0, 0, 0) != RAW(SYS_getuid, 0, 0, 0, 0, 0, 0) ||
        RAW(SYS_getegid, 0, 0, 0, 0, 0, 0) != RAW(SYS_getgid, 0, 0, 0, 0, 0, 0))
        return false;
    error = DOOR(RAW_SYS_FSTATAT, AT_FDCWD, path, &status, 0, 0, 0);
    if (error == 0 && (mode & (R_OK | W_OK | X_OK)))
        error = DOOR(SYS_access, path, mode & (R_OK | W_OK | X_OK), 0, 0, 0, 0);
    *result = (int)finish(error);
    return true;
}

DECLARED(eaccess)
static int direct_eaccess(const char *path, int mode)
{
    int result;

    return try_access(path, mode, &result) ? result : BEHIND(eaccess)(path, mode);
}

DECLARED(euidaccess)
static int direct_euidaccess(const char *path, int mode)
{
    int result;

    return try_access(path, mode, &result) ? result : BEHIND(euidaccess)(path, mode);
}

/* --- more than one call --------------------------------------------------------------------- */

/* A kernel without the call: libc has a way of its own. */
DECLARED(statx)
static int direct_statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *status)
{
    long result = DOOR(SYS_statx, dirfd, path, flags, mask, status, 0);

    return result == -ENOSYS ? BEHIND(statx)(dirfd, path, flags, mask, status)
                             : (int)finish(result);
}

/* Not a cancellation point. */
DECLARED(opendir)
static DIR *direct_opendir(const char *path)
{
    typedef DIR *maker(int);
    maker *make = (maker *)real_in_libc("fdopendir");
    int fd;

    if (!make)
        return BEHIND(opendir)(path);
    fd = (int)finish(DOOR(SYS_openat, AT_FDCWD, path,
                          O_RDONLY | O_NONBLOCK | O_DIRECTORY | O_LARGEFILE | O_CLOEXEC, 0, 0, 0));
    return fd < 0 ? NULL : take_or_close(make(fd), fd);
}

/* The kernel counts in units of its own. 0: it does not tell. */
static long physical_pages(void)
{
    struct sysinfo memory;
    unsigned long unit, page = RAW_PAGE;

    if (DOOR(SYS_sysinfo, &memory, 0, 0, 0, 0, 0) != 0)
        return 0;
    for (unit = memory.mem_unit; unit > 1 && page > 1; unit >>= 1)
        page >>= 1;
    return (long)(memory.totalram * unit / page);
}

DECLARED(get_phys_pages)
static long direct_get_phys_pages(void)
{
    long pages = physical_pages();

    return pages ? pages : BEHIND(get_phys_pages)();
}

DECLARED(sysconf)
static long direct_sysconf(int name)
{
    long pages = name == _SC_PHYS_PAGES ? physical_pages() : 0;

    return pages ? pages : BEHIND(sysconf)(name);
}

DECLARED(realpath)
static char *direct_realpath(const char *path, char *to)
{
    char *result;

    return resolve_path(path, to, &result) ? result : BEHIND(realpath)(path, to);
}

DECLARED(canonicalize_file_name)
static char *direct_canonicalize_file_name(const char *path)
{
    char *result;

    return resolve_path(path, NULL, &result) ? result : BEHIND(canonicalize_file_name)(path);
}

/* libc ends a program whose buffer is shorter than any path may be. */
DECLARED(__realpath_chk)
static char *direct___realpath_chk(const char *path, char *to, size_t room)
{
    char *result;

    return room >= PATH_MAX && resolve_path(path, to, &result)
               ? result
               : BEHIND(__realpath_chk)(path, to, room);
}

real_function direct_function(enum hook hook)
{
#define ROW(name)                                                                                  \
    case HOOK_##name:                                                                              \
        return (real_function)direct_##name;
#define DIRECT(name, ret, params, args, when, number, a, b, c, d, e) ROW(name)
#define OPENING(name, params, args, dirfd, how)                      ROW(name)
#define FOPEN(name)                                                  ROW(name)
#undef OTHER
#define OTHER(name) ROW(name)
    switch (hook) {
#include "direct.def"
    default:
        return NULL;
    }
}
