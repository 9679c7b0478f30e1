/* SPDX-License-Identifier: MIT
 *
 * C6: exec with a list, with an environment, with many arguments, with none.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int child_status(void)
{
    int status = -1;

    wait(&status);
    return status;
}

int main(void)
{
    char *environment[] = {"K=1", "PATH=/usr/bin:/bin", NULL};
    char *none[] = {NULL};

    if (fork() == 0)
        execle("/bin/sh", "sh", "-c", "test \"$K\" = 1 && test $# = 9", "0", "1", "2", "3", "4",
               "5", "6", "7", "8", "9", (char *)NULL, environment);
    printf("%d ", child_status());
    if (fork() == 0)
        execl("/bin/sh", "sh", "-c", "exit 0", (char *)NULL);
    printf("%d ", child_status());
    if (fork() == 0)
        execlp("sh", "sh", "-c", "exit 5", (char *)NULL);
    printf("%d ", WEXITSTATUS(child_status()));
    fflush(stdout);
    if (fork() == 0) {
        execve("/bin/true", none, environ);
        _exit(3);
    }
    printf("%d\n", WIFEXITED(child_status()));
    return 0;
}
