/* SPDX-License-Identifier: MIT
 *
 * THREADS threads that open TIMES files each, all under names of their own; each name is put
 * together where the one before stood. Prints how many opens failed.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int times;
static atomic_int failures;

static void *open_all(void *number)
{
    char name[40];

    for (int i = 0; i < times; i++) {
        int file;

        snprintf(name, sizeof name, "many/%d", (int)(long)number * 10 + i % 10);
        file = open(name, O_RDONLY);
        if (file < 0)
            failures++;
        else
            close(file);
    }
    return NULL;
}

int main(int count, char **arguments)
{
    long threads = count > 1 ? atol(arguments[1]) : 1;
    pthread_t all[64];

    times = count > 2 ? atoi(arguments[2]) : 1;
    for (long i = 0; i < threads; i++)
        pthread_create(&all[i], NULL, open_all, (void *)i);
    for (long i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
    printf("%d\n", failures);
    return 0;
}
