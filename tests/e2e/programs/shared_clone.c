/* SPDX-License-Identifier: MIT
 *
 * E3: a child on a stack of its own that shares all memory.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static int open_it(void *path)
{
    return open(path, O_RDONLY) < 0 ? 9 : 42;
}

int main(void)
{
    size_t size = 1 << 17;
    char *stack = malloc(size);
    int status = 0;

    if (!stack)
        return 1;
    pid_t child = clone(open_it, stack + size, CLONE_VM | CLONE_VFORK | SIGCHLD, "u.txt");
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    free(stack);
    return 0;
}
