/* SPDX-License-Identifier: MIT
 *
 * To be built with AddressSanitizer.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    char *block = malloc(16);
    int fd = open("u.txt", O_RDONLY);

    printf("%d %s\n", fd >= 0, getenv("HOME") ? "home" : "no home");
    fflush(stdout);
    close(fd);
    if (count > 1)
        block[16 + (arguments[1][0] - '0')] = 1; /* must still be found */
    free(block);
    return 0;
}
