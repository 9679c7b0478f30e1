/* SPDX-License-Identifier: MIT
 *
 * E2: what a vfork child does is its own, and leaves its parent untouched.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int keep = open("d.txt", O_RDONLY);
    int status;
    char byte;
    pid_t child = vfork();

    if (child == 0) {
        close(keep);
        close(0);
        open("u.txt", O_RDONLY); /* becomes the standard input of cat */
        execl("/bin/cat", "cat", (char *)NULL);
        _exit(9);
    }
    waitpid(child, &status, 0);
    printf("%d %d\n", status, read(keep, &byte, 1) == 1);
    return 0;
}
