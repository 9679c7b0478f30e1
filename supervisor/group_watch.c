/* SPDX-License-Identifier: MIT */
#include "group_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 20 /* the child gets the signal in the same call of kill(2) */

static _Noreturn void watch_group(int out, pid_t parent)
{
    sigset_t all;
    siginfo_t info;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "tallyman-group");
    if (getppid() != parent)
        _exit(0);
    /* It must not hold anybody's pipe open. */
    if (dup2(out, STDIN_FILENO) < 0)
        _exit(1);
    closefrom(STDIN_FILENO + 1);
    sigfillset(&all);
    for (;;) {
        unsigned char number;

        if (sigwaitinfo(&all, &info) <= 0 || info.si_signo == SIGCHLD)
            continue;
        number = (unsigned char)info.si_signo;
        if (write(STDIN_FILENO, &number, 1) != 1)
            _exit(0);
    }
}

void group_watch_start(struct group_watch *watch)
{
    pid_t self = getpid();
    int ends[2];

    *watch = (struct group_watch){.child = 0, .pipe = -1};
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    watch->child = fork();
    if (watch->child == 0)
        watch_group(ends[1], self);
    close(ends[1]);
    watch->pipe = ends[0];
    if (watch->child < 0) {
        watch->child = 0;
        close(ends[0]);
        watch->pipe = -1;
    }
}

void group_watch_stop(struct group_watch *watch)
{
    if (watch->child > 0) {
        kill(watch->child, SIGKILL);
        while (waitpid(watch->child, NULL, 0) < 0 && errno == EINTR)
            ;
        close(watch->pipe);
    }
    *watch = (struct group_watch){.child = 0, .pipe = -1};
}

bool group_watch_saw(struct group_watch *watch, int number)
{
    struct pollfd poll_pipe = {.fd = watch->pipe, .events = POLLIN};
    unsigned char seen;

    if (watch->child <= 0)
        return false;
    while (poll(&poll_pipe, 1, PATIENCE_MS) > 0) {
        if (read(watch->pipe, &seen, 1) != 1)
            return false;
        if (seen == number)
            return true;
    }
    return false;
}
