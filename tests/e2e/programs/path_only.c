/* SPDX-License-Identifier: MIT
 *
 * B21: O_PATH is a reference and no read; O_NOFOLLOW and AT_EMPTY_PATH.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    struct stat status;
    struct statx more;
    char byte;
    int reference = open("u.txt", O_PATH);
    int result = fstatat(reference, "", &status, AT_EMPTY_PATH) ||
                 statx(reference, "", AT_EMPTY_PATH, STATX_ALL, &more);

    if (symlink("u.txt", "link") != 0)
        return 1;
    int link = open("link", O_RDONLY | O_NOFOLLOW);
    printf("%d %d %d\n", result, link, read(reference, &byte, 1) < 0);
    return 0;
}
