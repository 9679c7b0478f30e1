/* SPDX-License-Identifier: MIT
 *
 * B16: syscall(2) with a path, with six arguments of 64 bits, and with a number nobody has.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    int file = (int)syscall(SYS_openat, AT_FDCWD, "u.txt", O_RDONLY);
    int big = open("big", O_RDWR | O_CREAT, 0600);

    if (file < 0 || ftruncate(big, (1LL << 32) + 4096) != 0)
        return 1;
    long address =
        syscall(SYS_mmap, 0L, 4096L, (long)PROT_READ, (long)MAP_SHARED, (long)big, 1L << 32);
    printf("%d ", address != -1);
    errno = 0;
    long unknown = syscall(9999);
    printf("%ld %d\n", unknown, errno == ENOSYS);
    unlink("big");
    return 0;
}
