/* SPDX-License-Identifier: MIT
 *
 * H8: one thread changes the name that another one opens. Prints how often it was one of the two.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile char path[] = "d.txt";

static void *flip(void *unused)
{
    for (;;) {
        path[0] = 'u';
        path[0] = 'd';
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    int opened = 0;

    if (pthread_create(&thread, NULL, flip, NULL) != 0)
        return 1;
    for (int i = 0; i < 2000; i++) {
        int file = open((const char *)path, O_RDONLY);

        opened += file >= 0;
        close(file);
    }
    printf("%d\n", opened);
    return 0;
}
