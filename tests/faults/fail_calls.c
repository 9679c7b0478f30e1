/* SPDX-License-Identifier: MIT
 *
 * Preloaded into `tallyman` alone: lets the N-th call of the main process into libc fail, as the
 * page named in FAIL_PAGE says. Takes itself out of the environment, so that what tallyman starts
 * does not have it; its forked children count nothing.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fail_page.h"

static struct fail_page *page;
static pid_t main_process;

/* True when this is the call that shall fail; errno is then set. Calls of other processes and
 * families are not counted. */
static bool fails(enum fail_family family, const char *name, const int *errors, unsigned count)
{
    if (!page || (page->ignored & family) || syscall(SYS_getpid) != main_process)
        return false;
    if (__atomic_add_fetch(&page->calls, 1, __ATOMIC_RELAXED) != page->fail_at)
        return false;
    strncpy(page->failed, name, sizeof page->failed - 1);
    page->choices = count;
    page->error = errors[page->choice % count];
    errno = page->error;
    return true;
}

/* An address, for ISO C has no way from an object's pointer to a function's. */
static uintptr_t real(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (!found)
        abort();
    return (uintptr_t)found;
}

#define FAILS(family, name, ...)                                                                   \
    fails(family, name, (const int[]){__VA_ARGS__},                                                \
          sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

#define CALL(name, type, failure, parameters, arguments, ...)                                      \
    type fail_##name parameters __asm__(#name);                                                    \
    type fail_##name parameters                                                                    \
    {                                                                                              \
        static type(*_Atomic real_##name) parameters;                                              \
        if (!real_##name)                                                                          \
            real_##name = (type(*) parameters)real(#name);                                         \
        return FAILS(FAIL_SYSTEM, #name, __VA_ARGS__) ? (failure) : real_##name arguments;         \
    }
#include "fail_calls.def"
#undef CALL

/* --- the variadic ones --- */

static mode_t mode_of(int flags, va_list arguments)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int fail_open(const char *path, int flags, ...) __asm__("open64");
int fail_open(const char *path, int flags, ...)
{
    va_list arguments;
    mode_t mode;

    va_start(arguments, flags);
    mode = mode_of(flags, arguments);
    va_end(arguments);
    if (FAILS(FAIL_SYSTEM, "open", EMFILE, EACCES, EINTR, ENOSPC))
        return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

int fail_openat(int folder, const char *path, int flags, ...) __asm__("openat64");
int fail_openat(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    mode_t mode;

    va_start(arguments, flags);
    mode = mode_of(flags, arguments);
    va_end(arguments);
    if (FAILS(FAIL_SYSTEM, "openat", EMFILE, EACCES, ENOSPC))
        return -1;
    return (int)syscall(SYS_openat, folder, path, flags | O_LARGEFILE, mode);
}

/* Answers with the error itself. */
int fail_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                void *argument) __asm__("pthread_create");
int fail_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                void *argument)
{
    static int (*real_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

    if (!real_create)
        real_create = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))real(
            "pthread_create");
    return FAILS(FAIL_SYSTEM, "pthread_create", EAGAIN)
               ? EAGAIN
               : real_create(thread, attributes, body, argument);
}

/* --- memory --- */

/* OpenSSL 3.0 crashes where its initialisation finds no memory: nothing of ours is tested there. */
static bool is_crypto(const void *caller)
{
    Dl_info info;

    return page && dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libcrypto");
}

#define NO_MEMORY(name)                                                                            \
    (!is_crypto(__builtin_return_address(0)) && FAILS(FAIL_MEMORY, name, ENOMEM))

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
    return NO_MEMORY("malloc") ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return NO_MEMORY("calloc") ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return NO_MEMORY("realloc") ? NULL : __libc_realloc(old, size);
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FAIL_PAGE");
    long fd, map;

    if (!path || strcmp(program_invocation_short_name, "tallyman") != 0)
        return;
    fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    map = syscall(SYS_mmap, NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map < 0 && map > -4096)
        abort();
    syscall(SYS_close, fd);
    unsetenv("FAIL_PAGE");
    unsetenv("LD_PRELOAD");
    main_process = getpid();
    page = (struct fail_page *)map;
}
