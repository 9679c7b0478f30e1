/* SPDX-License-Identifier: MIT
 *
 * I6: gives the program named in its arguments an environment of odd entries.
 */
#include <unistd.h>

int main(int argc, char **argv)
{
    char *environment[] = {"NO_EQUALS", "TWICE=1", "TWICE=2", "LINES=one\ntwo", "=empty", NULL};

    if (argc < 2)
        return 2;
    execve(argv[1], argv + 1, environment);
    return 127;
}
