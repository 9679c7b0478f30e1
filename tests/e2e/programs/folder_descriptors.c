/* SPDX-License-Identifier: MIT
 *
 * F9: names that start from a descriptor, and an absolute one that does not.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    mkdir("folder", 0755);
    close(open("folder/in", O_CREAT | O_WRONLY, 0644));
    int folder = open("folder", O_RDONLY | O_DIRECTORY);
    if (chdir("/") != 0)
        return 1;
    printf("%d %d ", openat(folder, "in", O_RDONLY) >= 0,
           openat(folder, "/etc/passwd", O_RDONLY) >= 0);
    unlinkat(folder, "in", 0);
    printf("%d ", fchdir(folder));
    printf("%d\n", chdir(".."));
    return rmdir("folder");
}
