/* SPDX-License-Identifier: MIT
 *
 * What the wrappers are made of. A wrapper is called hook_x and carries the assembler name x:
 * libc's own declaration of x (renamed by large-file macros, marked nonnull) never touches it.
 */
#ifndef PRELOAD_HOOK_H
#define PRELOAD_HOOK_H

#if defined(_FILE_OFFSET_BITS) || defined(_TIME_BITS)
#    error "the shim defines both the plain and the 64-bit names: build it without these macros"
#endif
#if defined(_FORTIFY_SOURCE) && _FORTIFY_SOURCE > 0
#    error "the shim must not call fortified functions: build it without _FORTIFY_SOURCE"
#endif

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <langinfo.h>
#include <locale.h>
#include <mqueue.h>
#include <net/if.h>
#include <netdb.h>
#include <nl_types.h>
#include <pthread.h>
#include <resolv.h>
#include <sched.h>
#include <semaphore.h>
#include <shadow.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <utime.h>
#include <wordexp.h>

#include "log.h"
#include "note_values.h"
#include "raw.h"
#include "self.h"

struct random_data;
struct drand48_data;

typedef int object_visit(struct dl_phdr_info *, size_t, void *);
typedef int scandir_filter(const struct dirent *);
typedef int scandir_order(const struct dirent **, const struct dirent **);
typedef int limit_resource;

#define EXPORT __attribute__((visibility("default")))

/* No result of any function in the table. */
#define NEVER 0x7fedcba987654321

#define DECLARE(name, ret, params)                          EXPORT ret hook_##name params __asm__(#name);
#define HOOK(name, ret, fails, params, args, event, note)   DECLARE(name, ret, params)
#define CHANGE(name, ret, fails, params, args, event, note) DECLARE(name, ret, params)
#define CUSTOM(name, ret, fails, params, args, event, note) DECLARE(name, ret, params)
#include "tallyman/hooks.def"
#ifdef __i386__
#    include "tallyman/hooks_time64.def"
#endif
#undef HOOK
#undef CHANGE
#undef CUSTOM
#undef DECLARE

/* Exported by old_versions.S. */
#define DECLARE(id, ret, params) ret old_##id params;
#define OLD(id, name, version64, version32, ret, fails, params, args, event)                       \
    DECLARE(id, ret, params)
#define OLD_CUSTOM(id, name, version64, version32, ret, fails, params, args, event)                \
    DECLARE(id, ret, params)
#include "tallyman/hooks_old.def"
#undef OLD
#undef OLD_CUSTOM
#undef DECLARE

/* The error that a call ended with, 0 for none. `fails` is the value that means failure. */
static inline int error_of(intptr_t result, intptr_t fails)
{
    return result == fails ? errno : 0;
}

#define ERROR_OF(result, fails) error_of((intptr_t)(result), (intptr_t)(fails))

/* The event column. */
#define PATH(kind, dirfd, path, flags) note_path(&call, EVENT_##kind, dirfd, path, flags)
#define PATHS(kind, from_fd, from, to_fd, to)                                                      \
    note_paths(&call, EVENT_##kind, from_fd, from, to_fd, to, RECORD_NO_FOLLOW)
#define SYMLINK(text, dirfd, path) note_symlink(&call, text, dirfd, path)
#define DESCRIPTOR(kind, fd)       note_descriptor(&call, EVENT_##kind, fd, 0)
#define NAME(kind, name)           note_name(&call, EVENT_##kind, name)
#define NAMES(kind, prefix, name)  note_names(&call, EVENT_##kind, prefix, name)
#define LOOKUP(prefix, name)       note_names(&call, EVENT_LOOKUP, prefix, name)

/* What an open of a thing without a path of its own is. */
static inline enum event_kind opens_as(int flags)
{
    return (flags & O_CREAT) || (flags & O_ACCMODE) != O_RDONLY ? EVENT_WRITE : EVENT_READ;
}

/* A port as getservbyport takes it, in network order. ntohs may be the program's. */
static inline uint64_t port_number(int port)
{
    return ((unsigned)port >> 8 & 0xff) | ((unsigned)port & 0xff) << 8;
}

/* The third argument of open is there for O_CREAT and O_TMPFILE only (open(2)); O_TMPFILE contains
 * O_DIRECTORY, so all its bits must be set. */
static inline bool takes_mode(int flags)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

#define MODE_AFTER(last, flags)                                                                    \
    mode_t mode = 0;                                                                               \
    if (takes_mode(flags)) {                                                                       \
        va_list more;                                                                              \
        va_start(more, last);                                                                      \
        mode = va_arg(more, mode_t);                                                               \
        va_end(more);                                                                              \
    }

/* AT_SYMLINK_NOFOLLOW as a record's flag. */
static inline uint32_t follow(int flags)
{
    return flags & AT_SYMLINK_NOFOLLOW ? RECORD_NO_FOLLOW : 0;
}

#endif
