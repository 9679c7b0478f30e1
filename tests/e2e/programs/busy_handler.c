/* SPDX-License-Identifier: MIT
 *
 * E4, E5: opens in a fast timer handler and in the main line; none may fail or get lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

static volatile int runs;

static void on_alarm(int signal_number)
{
    int saved = errno;

    (void)signal_number;
    close(open("u.txt", O_RDONLY));
    runs++;
    errno = saved;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    struct itimerval every = {{0, 200}, {0, 200}};
    int failed = 0;

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; i < 100000; i++) {
        int file = open("d.txt", O_RDONLY);
        if (file < 0)
            failed++;
        else
            close(file);
    }
    every.it_value.tv_usec = 0;
    setitimer(ITIMER_REAL, &every, NULL);
    printf("failed %d, the handler ran: %s\n", failed, runs ? "yes" : "no");
    return failed != 0;
}
