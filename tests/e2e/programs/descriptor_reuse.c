/* SPDX-License-Identifier: MIT
 *
 * D7: a descriptor closed and opened again without libc knowing; the change is to u.txt.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    int first = open("d.txt", O_RDONLY);

    syscall(SYS_close, first);
    int second = (int)syscall(SYS_openat, AT_FDCWD, "u.txt", O_RDONLY);
    return second != first || fchmod(second, 0644) != 0;
}
