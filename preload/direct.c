/* SPDX-License-Identifier: MIT
 *
 * A direct function does what libc's does, down to errno; what it cannot do it leaves to libc's. It
 * holds no state, takes no lock, and is never in a table unless direct_wanted().
 */
#include "direct.h"

#include <limits.h>

#include "hook.h"
#include "resolve.h"

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
#include "direct.def"
#undef DIRECT
#undef OPENING

/* --- more than one call --------------------------------------------------------------------- */

/* A kernel without the call: libc has a way of its own. */
DECLARED(statx)
static int direct_statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *status)
{
    long result = DOOR(SYS_statx, dirfd, path, flags, mask, status, 0);

    return result == -ENOSYS ? BEHIND(statx)(dirfd, path, flags, mask, status)
                             : (int)finish(result);
}

/* Since 2.33 (which began to export stat) libc asks the kernel first, flags or not. */
DECLARED(faccessat)
static int direct_faccessat(int dirfd, const char *path, int mode, int flags)
{
    long result = -ENOSYS;

    if (!flags || real_in_libc("stat"))
        result = DOOR(SYS_faccessat2, dirfd, path, mode, flags, 0, 0);
    return result == -ENOSYS ? BEHIND(faccessat)(dirfd, path, mode, flags) : (int)finish(result);
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
    switch (hook) {
#include "direct.def"
        ROW(statx)
        ROW(faccessat)
        ROW(realpath)
        ROW(canonicalize_file_name)
        ROW(__realpath_chk)
    default:
        return NULL;
    }
}
