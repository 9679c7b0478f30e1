/* SPDX-License-Identifier: MIT
 *
 * Opens u.txt as often as the argument says; static in one of its two builds.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 1;

    for (long i = 0; i < rounds; i++) {
        int file = open("u.txt", O_RDONLY);
        if (file < 0)
            return 1;
        close(file);
    }
    return 0;
}
