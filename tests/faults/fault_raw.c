/* SPDX-License-Identifier: MIT
 *
 * Part of the shim that is built for tests of faults. The page is a file in the folder that every
 * program starts in: nothing may disturb its environment or descriptors, and two tests that run at
 * once must not count each other's calls.
 */
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "fail_page.h"
#include "raw.h"

#define ERRORS_MAX 4

static const struct {
    long number;
    const char *name;
    int errors[ERRORS_MAX];
} rows[] = {
    {SYS_openat, "openat", {EMFILE, ENOMEM, EACCES, EINTR}},
    {SYS_read, "read", {EIO, EINTR}},
    {SYS_pread64, "pread", {EIO, EINTR}},
    {SYS_mmap, "mmap", {ENOMEM, EAGAIN}},
    {SYS_fallocate, "fallocate", {ENOSPC, EINTR, ENOMEM, EOPNOTSUPP}},
    {SYS_madvise, "madvise", {ENOMEM, EINVAL}},
    {SYS_futex, "futex", {EINTR, EAGAIN}},
    {SYS_getcwd, "getcwd", {ENOMEM, EACCES}},
    {SYS_readlinkat, "readlinkat", {ENOMEM, EACCES, ENOENT}},
    {SYS_faccessat, "faccessat", {ENOMEM, EACCES}},
    {SYS_fstat, "fstat", {ENOMEM, EIO}},
    {SYS_fgetxattr, "fgetxattr", {ENOMEM}},
    {SYS_process_vm_readv, "process_vm_readv", {EPERM, ENOSYS, ENOMEM}},
};

static struct fail_page *page;

static struct fail_page *map_page(void)
{
    long fd =
        raw_plain_syscall(SYS_openat, AT_FDCWD, (long)FAULT_PAGE_FILE, O_RDWR | O_CLOEXEC, 0, 0, 0);
    long map = fd < 0 ? fd
                      : raw_plain_syscall(SYS_mmap, 0, sizeof *page, PROT_READ | PROT_WRITE,
                                          MAP_SHARED, fd, 0);

    if (fd >= 0)
        raw_plain_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    return map < 0 && map > -4096 ? NULL : (struct fail_page *)map;
}

static void describe(const char *name)
{
    size_t i = 0;

    for (; name[i] && i < sizeof page->failed - 1; i++)
        page->failed[i] = name[i];
    page->failed[i] = '\0';
}

long fault_next(long number)
{
    size_t row = 0;
    unsigned count = 0;

    while (row < sizeof rows / sizeof *rows && rows[row].number != number)
        row++;
    if (row == sizeof rows / sizeof *rows || (!page && !(page = map_page())))
        return 0;
    if (__atomic_add_fetch(&page->calls, 1, __ATOMIC_RELAXED) != page->fail_at)
        return 0;
    while (count < ERRORS_MAX && rows[row].errors[count])
        count++;
    describe(rows[row].name);
    page->choices = count;
    page->error = rows[row].errors[page->choice % count];
    return -page->error;
}
