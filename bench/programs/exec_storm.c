/* SPDX-License-Identifier: MIT
 *
 * exec_storm COUNT PROGRAM: spawns the program that often, one after the other; prints the
 * nanoseconds of one.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "stopwatch.h"

extern char **environ;

int main(int argc, char **argv)
{
    long count = argc == 3 ? atol(argv[1]) : 0;
    int64_t start = stopwatch_now();

    if (count <= 0)
        return 2;
    for (long i = 0; i < count; i++) {
        char *arguments[] = {argv[2], NULL};
        pid_t child;
        int status;
        if (posix_spawn(&child, argv[2], NULL, NULL, arguments, environ) != 0 ||
            waitpid(child, &status, 0) != child || status != 0)
            return 1;
    }
    printf("%.1f\n", (double)(stopwatch_now() - start) / (double)count);
    return 0;
}
