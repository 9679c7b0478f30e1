/* SPDX-License-Identifier: MIT
 *
 * The kernel, without libc: what the shim itself does goes through here and nowhere else, so that
 * it can run before any constructor, inside a signal handler, in a vfork child, and never meets its
 * own wrappers. Results are as the kernel gives them: negative errno on failure; errno is not
 * touched. Calls that the kernel witness watches go through the door, so that the shim's own are
 * nobody's accesses: DOOR in place of RAW.
 *
 * Libc functions that allocate, lock, print or are likely to be owned by the program are poisoned
 * at the end of this header: include it after all system headers.
 */
#ifndef PRELOAD_RAW_H
#define PRELOAD_RAW_H

#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/stat.h>
#include <sys/uio.h>

#if defined(__x86_64__) && !defined(__ILP32__)
#    include "raw_x86_64.h"
#elif defined(__i386__)
#    include "raw_i386.h"
#else
#    error "tallyman's shim has no system call layer for this processor yet: add raw_<processor>.h"
#endif

#define RAW(number, a, b, c, d, e, f)                                                              \
    raw_syscall(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#include "door.h"

static inline uint32_t raw_getpid(void)
{
    return (uint32_t)RAW(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline uint32_t raw_getppid(void)
{
    return (uint32_t)RAW(SYS_getppid, 0, 0, 0, 0, 0, 0);
}

static inline uint32_t raw_gettid(void)
{
    return (uint32_t)RAW(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

static inline long raw_open(const char *path, int flags)
{
    /* The log is a sparse file of many GiB; without the flag a 32-bit open refuses it (EOVERFLOW).
     */
    return DOOR(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, 0, 0, 0);
}

static inline long raw_read(int fd, void *to, size_t size)
{
    return RAW(SYS_read, fd, to, size, 0, 0, 0);
}

static inline void raw_close(int fd)
{
    RAW(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* NULL when it fails. `offset` is a multiple of the page. */
static inline void *raw_map(size_t size, int protection, int flags, int fd, uint64_t offset)
{
    long at = raw_map_at(size, protection, flags, fd, offset);

    return at < 0 && at > -4096 ? NULL : (void *)at;
}

static inline void raw_unmap(void *at, size_t size)
{
    RAW(SYS_munmap, at, size, 0, 0, 0, 0);
}

static inline long raw_getcwd(char *to, size_t size)
{
    return RAW(SYS_getcwd, to, size, 0, 0, 0, 0);
}

static inline long raw_readlink(const char *path, char *to, size_t size)
{
    return DOOR(SYS_readlinkat, AT_FDCWD, path, to, size, 0, 0);
}

static inline long raw_access(int dirfd, const char *path, int mode)
{
    return DOOR(SYS_faccessat, dirfd, path, mode, 0, 0, 0);
}

/* True unless the kernel says that the bytes cannot be read. A kernel that does not answer (a
 * filter in a container) counts as yes: the program is then no worse off than without the check. */
static inline int raw_readable(const void *at, size_t size)
{
    char copy[sizeof(void *)];
    struct iovec to = {copy, size < sizeof copy ? size : sizeof copy};
    struct iovec from = {(void *)(uintptr_t)at, to.iov_len};
    long got = RAW(SYS_process_vm_readv, raw_getpid(), &to, 1, &from, 1, 0);

    return at && got != -14 /* EFAULT */;
}

#pragma GCC poison malloc calloc free printf fprintf snprintf memcpy memset memcmp
#pragma GCC poison strlen strcmp strncmp strchr strrchr strcpy strdup dlsym pthread_mutex_lock
#pragma GCC poison pthread_once pthread_atfork

#endif
