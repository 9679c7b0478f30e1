/* SPDX-License-Identifier: MIT
 *
 * Given to the compiler with -include before the shim's own sources: the same system call layer, in
 * which the N-th call of all processes of a run fails (fail_page.h). The shim's files know nothing
 * of it. Calls that cannot fail are not counted.
 */
#ifndef FAULT_RAW_H
#define FAULT_RAW_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define raw_syscall   raw_plain_syscall
#define raw_fstat     raw_plain_fstat
#define raw_fallocate raw_plain_fallocate
#define raw_pread     raw_plain_pread
#define raw_map_at    raw_plain_map_at
#include "raw_x86_64.h"
#undef raw_syscall
#undef raw_fstat
#undef raw_fallocate
#undef raw_pread
#undef raw_map_at

/* 0, or the negative errno that this call shall have. */
long fault_next(long number);

static inline long raw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    long fault = fault_next(number);

    return fault ? fault : raw_plain_syscall(number, a, b, c, d, e, f);
}

static inline long raw_fstat(int fd, struct stat64 *status)
{
    long fault = fault_next(SYS_fstat);

    return fault ? fault : raw_plain_fstat(fd, status);
}

static inline long raw_fallocate(int fd, uint64_t offset, uint64_t size)
{
    long fault = fault_next(SYS_fallocate);

    return fault ? fault : raw_plain_fallocate(fd, offset, size);
}

static inline long raw_pread(int fd, void *to, size_t size, uint64_t offset)
{
    long fault = fault_next(SYS_pread64);

    return fault ? fault : raw_plain_pread(fd, to, size, offset);
}

static inline long raw_map_at(size_t size, int protection, int flags, int fd, uint64_t offset)
{
    long fault = fault_next(SYS_mmap);

    return fault ? fault : raw_plain_map_at(size, protection, flags, fd, offset);
}

#endif
