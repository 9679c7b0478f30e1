/* SPDX-License-Identifier: MIT
 *
 * F10: changes u.txt through a descriptor that is open for reading only.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

int main(void)
{
    int file = open("u.txt", O_RDONLY);

    if (fchmod(file, 0600) != 0 || fchown(file, getuid(), getgid()) != 0)
        return 1;
    if (futimens(file, (struct timespec[2]){{.tv_sec = 1}, {.tv_sec = 2}}) != 0)
        return 2;
    fsetxattr(file, "user.note", "x", 1, 0); /* not every file system has these */
    return 0;
}
