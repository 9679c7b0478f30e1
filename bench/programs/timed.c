/* SPDX-License-Identifier: MIT
 *
 * timed FILE COMMAND...: runs the command and writes the nanoseconds it took into the file.
 */
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include "stopwatch.h"

extern char **environ;

int main(int argc, char **argv)
{
    int64_t start = stopwatch_now();
    pid_t child;
    int status;

    if (argc < 3 || posix_spawnp(&child, argv[2], NULL, NULL, argv + 2, environ) != 0 ||
        waitpid(child, &status, 0) != child)
        return 125;
    int64_t taken = stopwatch_now() - start;
    FILE *file = fopen(argv[1], "w");
    if (!file || fprintf(file, "%" PRId64 "\n", taken) < 0 || fclose(file) != 0)
        return 125;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
