/* SPDX-License-Identifier: MIT
 *
 * Reads the clock: clock_reader HOW. Exit status 7.
 *   read     three times
 *   exec     in a second thread, executes itself with "read"
 *   missing  executes what is not there, then reads three times
 */
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char **own;

static void *execute(void *unused)
{
    char *next[] = {own[0], (char *)"read", NULL};

    (void)unused;
    execv(own[0], next);
    _exit(1);
}

int main(int argc, char **argv)
{
    struct timespec now;
    pthread_t thread;

    own = argv;
    if (argc != 2)
        return 1;
    if (strcmp(argv[1], "exec") == 0) {
        if (pthread_create(&thread, NULL, execute, NULL) != 0)
            return 1;
        pthread_join(thread, NULL);
        return 1;
    }
    if (strcmp(argv[1], "missing") == 0)
        execv("/nonexistent/program", argv);
    for (int i = 0; i < 3; i++)
        clock_gettime(CLOCK_REALTIME, &now);
    return 7;
}
