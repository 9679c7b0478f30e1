/* SPDX-License-Identifier: MIT
 *
 * Opens a file TIMES times while a signal comes every 200 us. "restart" as second argument: with
 * SA_RESTART. Prints how many opens failed with EINTR, how many otherwise, and the signals.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
    (void)number;
    signals++;
}

int main(int count, char **arguments)
{
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = count_signal};
    int times = count > 1 ? atoi(arguments[1]) : 1, interrupted = 0, failed = 0;

    if (count > 2 && strcmp(arguments[2], "restart") == 0)
        action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < times; i++) {
        int file = open("u.txt", O_RDONLY);

        if (file >= 0)
            close(file);
        else if (errno == EINTR)
            interrupted++;
        else
            failed++;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    access("u.txt", F_OK); /* one more report, so that a gap before it shows */
    printf("%d %d %d\n", interrupted, failed, (int)signals);
    return 0;
}
