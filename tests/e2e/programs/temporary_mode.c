/* SPDX-License-Identifier: MIT
 *
 * B7: the mode of an unnamed file, and an open of a folder, whose flags share bits.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

int main(void)
{
    struct stat status;

    umask(0);
    int file = open(".", O_TMPFILE | O_RDWR, 0640);
    if (file < 0 || fstat(file, &status) != 0)
        return 2;
    printf("%o\n", status.st_mode & 0777);
    return open(".", O_DIRECTORY | O_RDONLY) < 0;
}
