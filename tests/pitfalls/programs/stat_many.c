/* SPDX-License-Identifier: MIT
 *
 * Looks at u.txt as often as the argument says.
 */
#include <stdlib.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
    struct stat status;

    for (long i = argc > 1 ? atol(argv[1]) : 1; i > 0; i--)
        if (stat("u.txt", &status) != 0)
            return 1;
    return 0;
}
