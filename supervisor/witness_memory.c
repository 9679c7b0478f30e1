/* SPDX-License-Identifier: MIT */
#include "witness_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE       4096u
#define FIRST_READ 256u /* most paths are shorter */

/* For kernels and containers that refuse process_vm_readv(2). */
static ssize_t read_by_file(pid_t thread, uint64_t at, void *to, size_t size)
{
    char name[40];
    ssize_t got;
    int file;

    snprintf(name, sizeof name, "/proc/%d/mem", (int)thread);
    file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    got = pread(file, to, size, (off_t)at);
    close(file);
    if (got < 0 && errno == EIO)
        errno = EFAULT;
    return got == 0 ? -1 : got;
}

ssize_t witness_read(pid_t thread, uint64_t at, void *to, size_t size)
{
    struct iovec here = {to, size}, there = {(void *)(uintptr_t)at, size};
    ssize_t got = process_vm_readv(thread, &here, 1, &there, 1, 0);

    if (got < 0 && (errno == ENOSYS || errno == EPERM))
        got = read_by_file(thread, at, to, size);
    return got;
}

/* One piece never crosses a page: what lies behind the end of the string may not be there. */
static size_t piece_at(uint64_t at, size_t done, size_t room)
{
    size_t piece = PAGE - (size_t)((at + done) % PAGE);

    if (done == 0 && piece > FIRST_READ)
        piece = FIRST_READ;
    return piece < room - done ? piece : room - done;
}

ssize_t witness_read_string(pid_t thread, uint64_t at, char *to, size_t room)
{
    size_t done = 0;

    while (done < room) {
        ssize_t got = witness_read(thread, at + done, to + done, piece_at(at, done, room));
        const char *end = got > 0 ? memchr(to + done, '\0', (size_t)got) : NULL;

        if (got <= 0)
            return -1;
        if (end)
            return end - to;
        done += (size_t)got;
    }
    to[room - 1] = '\0';
    errno = ENAMETOOLONG;
    return -1;
}
