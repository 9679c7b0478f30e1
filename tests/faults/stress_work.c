/* SPDX-License-Identifier: MIT
 *
 *   stress_work processes COUNT EACH   COUNT processes at once look for EACH names of their own
 *   stress_work timer OPENS            opens beside a timer that opens another file in its handler
 *   stress_work aloud ROUNDS           starts a child that says each name it has looked for, kills
 *                                      it at some point after the first, ROUNDS times; prints what
 *                                      was said last
 *   stress_work ticking NAMES          looks for many names beside a fast timer
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void look_for(const char *kind, int process, int at)
{
    char name[64];

    snprintf(name, sizeof name, "/stress/%s-%d-%d", kind, process, at);
    access(name, R_OK);
}

/* --- many at once --- */

static int processes(int count, int each)
{
    int gate[2], failed = 0, status;
    char byte;

    if (pipe(gate) != 0)
        return 1;
    for (int i = 0; i < count; i++) {
        pid_t pid = fork();

        if (pid < 0)
            return 1;
        if (pid == 0) {
            close(gate[1]);
            if (read(gate[0], &byte, 1) != 0) /* until all are there */
                _exit(1);
            for (int at = 0; at < each; at++)
                look_for("name", i, at);
            _exit(0);
        }
    }
    close(gate[0]);
    close(gate[1]);
    while (wait(&status) > 0)
        failed += status != 0;
    return failed != 0;
}

/* --- a fast timer --- */

static volatile int handled;

static void open_another(int number)
{
    int error = errno;

    (void)number;
    close(open("/etc/hosts", O_RDONLY));
    handled++;
    errno = error;
}

static void on_alarm(void (*handler)(int), int microseconds)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, microseconds}, {0, microseconds}};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
}

static void alarms_off(void)
{
    const struct itimerval never = {{0, 0}, {0, 0}};

    signal(SIGALRM, SIG_IGN);
    setitimer(ITIMER_REAL, &never, NULL);
}

static int timer(int opens)
{
    int failed = 0;

    on_alarm(open_another, 200);
    for (int i = 0; i < opens; i++) {
        int fd = open("/etc/hostname", O_RDONLY);

        failed += fd < 0;
        close(fd);
    }
    alarms_off();
    printf("%d\n", handled);
    return failed != 0;
}

static void nothing(int number)
{
    (void)number;
}

static int ticking(int names)
{
    on_alarm(nothing, 200);
    for (int i = 0; i < names; i++)
        look_for("ticking", 0, i);
    alarms_off();
    return 0;
}

/* --- killed at some point --- */

static void say_all(int round, int to)
{
    for (int i = 0;; i++) {
        look_for("aloud", round, i);
        if (write(to, &i, sizeof i) != (ssize_t)sizeof i)
            _exit(1);
    }
}

static int aloud(int rounds)
{
    srandom(1);
    for (int round = 0; round < rounds; round++) {
        struct timespec pause = {0, random() % 3000000};
        int said[2], last = -1, at;
        pid_t pid;

        if (pipe(said) != 0 || (pid = fork()) < 0)
            return 1;
        if (pid == 0)
            say_all(round, said[1]);
        close(said[1]);
        if (read(said[0], &last, sizeof last) != (ssize_t)sizeof last)
            return 1;
        nanosleep(&pause, NULL);
        kill(pid, SIGKILL);
        while (read(said[0], &at, sizeof at) == (ssize_t)sizeof at)
            last = at;
        close(said[0]);
        waitpid(pid, NULL, 0);
        printf("%d %d\n", round, last);
    }
    return 0;
}

int main(int count, char **arguments)
{
    int first = count > 2 ? atoi(arguments[2]) : 0;

    if (count == 4 && strcmp(arguments[1], "processes") == 0)
        return processes(first, atoi(arguments[3]));
    if (count != 3)
        return 2;
    if (strcmp(arguments[1], "timer") == 0)
        return timer(first);
    if (strcmp(arguments[1], "ticking") == 0)
        return ticking(first);
    return strcmp(arguments[1], "aloud") == 0 ? aloud(first) : 2;
}
