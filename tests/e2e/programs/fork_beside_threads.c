/* SPDX-License-Identifier: MIT
 *
 * E1: forks while other threads are inside calls that are watched.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void *open_for_ever(void *unused)
{
    for (;;) {
        close(open("d.txt", O_RDONLY));
        access("/no/such/file", R_OK);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;

    alarm(60);
    for (int i = 0; i < 4; i++)
        pthread_create(&thread, NULL, open_for_ever, NULL);
    for (int i = 0; i < 500; i++) {
        pid_t child = fork();
        if (child == 0) {
            close(open("u.txt", O_RDONLY));
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    puts("ok");
    return 0;
}
