/* SPDX-License-Identifier: MIT
 *
 * Wrappers with bodies of their own that are neither files nor programs: raw system calls, seccomp,
 * loading, names, zones, seeds, limits.
 */
#include "environment.h"
#include "hook.h"
#include "subject.h"
#include "text.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>

/* --- a program that restricts itself -------------------------------------------------------- */

static void before_filter(struct call *call)
{
    if (!self_active() || log_is_quiet())
        return;
    note_text(call, EVENT_BLIND_SPOT, "self-sandboxed", 0, 0);
    subject_remember_folder();
    log_go_quiet();
}

int hook_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    struct call call = {.hook = HOOK_prctl};

    if (option == PR_SET_SECCOMP)
        before_filter(&call);
    return REAL(prctl)(option, a, b, c, d);
}

#ifdef __i386__
int hook___prctl_time64(int option, unsigned long a, unsigned long b, unsigned long c,
                        unsigned long d)
{
    struct call call = {.hook = HOOK___prctl_time64};

    if (option == PR_SET_SECCOMP)
        before_filter(&call);
    return REAL(__prctl_time64)(option, a, b, c, d);
}
#endif

/* --- syscall(2) ----------------------------------------------------------------------------- */

/* Calls by number that are plain looks at a path: which argument is what, -1 none. */
static const struct raw_look {
    short number;
    signed char kind; /* offset from EVENT_READ: keeps the row small and free of relocations */
    signed char dirfd, path, flags;
} raw_looks[] = {
    {SYS_stat, EVENT_STAT, -1, 0, -1},          {SYS_lstat, EVENT_STAT, -1, 0, -1},
    {RAW_SYS_FSTATAT, EVENT_STAT, 0, 1, 3},     {SYS_statx, EVENT_STAT, 0, 1, 2},
    {SYS_access, EVENT_ACCESS, -1, 0, -1},      {SYS_faccessat, EVENT_ACCESS, 0, 1, -1},
    {SYS_faccessat2, EVENT_ACCESS, 0, 1, 3},    {SYS_readlink, EVENT_READLINK, -1, 0, -1},
    {SYS_readlinkat, EVENT_READLINK, 0, 1, -1}, {SYS_unlink, EVENT_UNLINK, -1, 0, -1},
    {SYS_rmdir, EVENT_RMDIR, -1, 0, -1},        {SYS_mkdir, EVENT_MKDIR, -1, 0, -1},
    {SYS_mkdirat, EVENT_MKDIR, 0, 1, -1},       {SYS_execve, EVENT_ACCESS, -1, 0, -1},
};

static void note_raw_open(const struct call *call, int dirfd, const char *path, int flags, int fd)
{
    bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
    uint32_t what = (flags & O_CREAT ? RECORD_CREATE : 0) | (flags & O_TRUNC ? RECORD_TRUNCATE : 0);

    if (writes)
        note_opened(call, EVENT_WRITE, dirfd, path, what, fd);
    if ((flags & O_ACCMODE) != O_WRONLY && !(flags & (O_CREAT | O_TRUNC)))
        note_opened(call,
                    flags & O_PATH        ? EVENT_STAT
                    : flags & O_DIRECTORY ? EVENT_LIST
                                          : EVENT_READ,
                    dirfd, path, 0, fd);
}

static void note_raw_look(const struct call *call, const struct raw_look *look,
                          const long *arguments)
{
    int dirfd = look->dirfd < 0 ? AT_FDCWD : (int)arguments[(int)look->dirfd];
    uint32_t flags = look->flags < 0 ? 0 : follow((int)arguments[(int)look->flags]);

    note_path(call, (enum event_kind)look->kind, dirfd, (const char *)arguments[(int)look->path],
              flags);
}

static void note_raw(const struct call *call, long number, const long *arguments, long result)
{
    for (size_t i = 0; i < sizeof raw_looks / sizeof *raw_looks; i++)
        if (raw_looks[i].number == number)
            note_raw_look(call, &raw_looks[i], arguments);
    switch (number) {
    case SYS_open:
        note_raw_open(call, AT_FDCWD, (const char *)arguments[0], (int)arguments[1], (int)result);
        break;
    case SYS_openat:
        note_raw_open(call, (int)arguments[0], (const char *)arguments[1], (int)arguments[2],
                      (int)result);
        break;
    case SYS_chdir:
    case SYS_fchdir:
        subject_folder_changed();
        break;
    case SYS_clock_gettime:
        note_clock(call, (clockid_t)arguments[0]);
        break;
    case SYS_getrandom:
        note_name(call, EVENT_RANDOM, "getrandom");
        break;
    case SYS_io_uring_setup:
        if (result >= 0)
            note_text(call, EVENT_BLIND_SPOT, "opaque-io", 0, 0);
        break;
    default:
        break;
    }
}

/* All six arguments are passed on whole, whatever the number (the caller's own count is not known).
 */
long hook_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    const long arguments[] = {a, b, c, d, e, f};
    struct call call = {.hook = HOOK_syscall};
    long result;

    if (number == SYS_seccomp && (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER))
        before_filter(&call);
    if (number == SYS_prctl && a == PR_SET_SECCOMP)
        before_filter(&call);
    result = REAL(syscall)(number, a, b, c, d, e, f);
    if (self_active()) {
        call.error = ERROR_OF(result, -1);
        note_raw(&call, number, arguments, result);
    }
    return result;
}

/* --- loading -------------------------------------------------------------------------------- */

/* dlopen looks at its return address (the caller's search path, its namespace), so its wrapper is a
 * jump in dlopen_<processor>.S that comes here first. What a call has loaded is seen at the next
 * one, or at the program's end. */
real_function loading_enter(bool other_space, const char *name);

real_function loading_enter(bool other_space, const char *name)
{
    enum hook hook = other_space ? HOOK_dlmopen : HOOK_dlopen;
    struct call call = {.hook = hook};

    if (self_active()) {
        note_objects();
        if (name && name[0] == '/' && !log_is_quiet()) {
            call.error = (int)-raw_access(AT_FDCWD, name, R_OK);
            note_path(&call, EVENT_LOAD, AT_FDCWD, name, 0);
        }
    }
    return real_get(hook);
}

__attribute__((destructor)) static void note_last_objects(void)
{
    if (self_active())
        note_objects();
}

/* AddressSanitizer's library ends the program unless it is the first in this list. A preload comes
 * before it, so the shim is shown last; nothing else depends on its place. */
struct visit {
    object_visit *visit;
    void *data;
    struct dl_phdr_info own;
    size_t own_size; /* 0: not met yet */
};

static int visit_others(struct dl_phdr_info *info, size_t size, void *data)
{
    struct visit *visit = data;

    if (!info->dlpi_name || !environment_is_shim(info->dlpi_name))
        return visit->visit(info, size, visit->data);
    for (size_t i = 0; i < size && i < sizeof visit->own; i++)
        ((char *)&visit->own)[i] = ((const char *)info)[i];
    visit->own_size = size < sizeof visit->own ? size : sizeof visit->own;
    return 0;
}

int hook_dl_iterate_phdr(object_visit *visit, void *data)
{
    struct visit others = {.visit = visit, .data = data};
    int result = REAL(dl_iterate_phdr)(visit_others, &others);

    if (result == 0 && others.own_size)
        result = visit(&others.own, others.own_size, data);
    return result;
}

/* --- names ---------------------------------------------------------------------------------- */

/* An address in figures needs no look-up. */
static bool is_numeric(const char *host)
{
    bool figures = true;

    for (const char *at = host; *at; at++) {
        if (*at == ':')
            return true;
        figures = figures && ((*at >= '0' && *at <= '9') || *at == '.');
    }
    return figures;
}

int hook_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                     struct addrinfo **result)
{
    struct call call = {.hook = HOOK_getaddrinfo};
    int status = REAL(getaddrinfo)(host, service, hints, result);

    if (self_active()) {
        call.error = status == EAI_SYSTEM ? errno : status ? ENOENT : 0;
        if (host && !is_numeric(host))
            LOOKUP("", host);
        if (service && !is_numeric(service))
            LOOKUP("service:", service);
    }
    return status;
}

/* --- functions without a result ------------------------------------------------------------- */

void hook_tzset(void)
{
    struct call call = {.hook = HOOK_tzset};

    REAL(tzset)();
    if (self_active())
        note_zone(&call);
}

#define SILENT(name, params, args, event)                                                          \
    void hook_##name params                                                                        \
    {                                                                                              \
        struct call call = {.hook = HOOK_##name};                                                  \
        REAL(name) args;                                                                           \
        if (self_active())                                                                         \
            event;                                                                                 \
    }

SILENT(arc4random_buf, (void *to, size_t size), (to, size), NAME(RANDOM, "arc4random"))
SILENT(srand, (unsigned seed), (seed), NAME(SEED, "srand"))
SILENT(srandom, (unsigned seed), (seed), NAME(SEED, "srandom"))
SILENT(srand48, (long seed), (seed), NAME(SEED, "srand48"))
SILENT(lcong48, (unsigned short seed[7]), (seed), NAME(SEED, "srand48"))

/* --- limits --------------------------------------------------------------------------------- */

#define PRLIMIT(name, type)                                                                        \
    int hook_##name(pid_t pid, limit_resource resource, const struct type *from, struct type *to)  \
    {                                                                                              \
        struct call call = {.hook = HOOK_##name};                                                  \
        int result = REAL(name)(pid, resource, from, to);                                          \
        if (to && self_active()) {                                                                 \
            call.error = ERROR_OF(result, -1);                                                     \
            note_limit(&call, (int)resource);                                                      \
        }                                                                                          \
        return result;                                                                             \
    }

PRLIMIT(prlimit, rlimit)
PRLIMIT(prlimit64, rlimit64)
