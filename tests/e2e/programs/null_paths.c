/* SPDX-License-Identifier: MIT
 *
 * B20: paths that are not there at all; the kernel says EFAULT.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *volatile nothing;
static const char *volatile wild = (const char *)8;

int main(void)
{
    struct stat status;
    struct statx more;
    char *arguments[] = {"x", NULL};

    printf("%d", open(nothing, O_RDONLY) < 0 && errno == EFAULT);
    printf("%d", open(wild, O_RDONLY) < 0 && errno == EFAULT);
    printf("%d", stat(nothing, &status) < 0 && errno == EFAULT);
    printf("%d", statx(0, nothing, 0, STATX_ALL, &more) < 0 && errno == EFAULT);
    printf("%d", execve(nothing, arguments, arguments + 1) < 0 && errno == EFAULT);
    printf("%d", access(wild, F_OK) < 0 && errno == EFAULT);
    printf("%d", mkdir(nothing, 0700) < 0 && errno == EFAULT);
    int file = open("made", O_CREAT | O_WRONLY, 0644);
    printf("%d\n", futimens(file, NULL) == 0);
    return 0;
}
