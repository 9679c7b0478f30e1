/* SPDX-License-Identifier: MIT
 *
 * H17: a child made by a bare system call goes on with libc.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int status;
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

    if (child == 0) {
        close(open("u.txt", O_RDONLY));
        syscall(SYS_exit_group, 3);
    }
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    return 0;
}
