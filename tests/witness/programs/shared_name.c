/* SPDX-License-Identifier: MIT
 *
 * Two processes share a page; one changes the name in it that the other opens. Prints how many
 * opens succeeded.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    volatile char *name =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int opened = 0;
    pid_t child;

    memcpy((char *)(void *)name, "d.txt", sizeof "d.txt");
    child = fork();
    if (child == 0) {
        for (;;) {
            name[0] = 'u';
            name[0] = 'd';
        }
    }
    for (int i = 0; i < 2000; i++) {
        int file = open((const char *)name, O_RDONLY);

        opened += file >= 0;
        close(file);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    printf("%d\n", opened);
    return 0;
}
