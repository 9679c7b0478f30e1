/* SPDX-License-Identifier: MIT
 *
 * A12: the versions of posix_spawn and realpath that new programs get.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int main(void)
{
    FILE *script = fopen("no-first-line", "w");
    char *arguments[] = {"./no-first-line", NULL};
    pid_t pid;

    if (!script || fputs("exit 0\n", script) < 0 || fclose(script) != 0)
        return 1;
    chmod("no-first-line", 0755);
    printf("%d ", posix_spawn(&pid, arguments[0], NULL, NULL, arguments, arguments + 1) == ENOEXEC);
    char *here = realpath(".", NULL);
    printf("%d\n", here != NULL);
    free(here);
    return 0;
}
