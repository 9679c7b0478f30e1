/* SPDX-License-Identifier: MIT
 *
 * A5: eight threads whose first calls come at once.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void *use(void *unused)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    close(open("u.txt", O_RDONLY));
    getenv("HOME");
    return unused;
}

int main(void)
{
    pthread_t threads[8];

    for (int i = 0; i < 8; i++)
        if (pthread_create(&threads[i], NULL, use, NULL) != 0)
            return 1;
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
