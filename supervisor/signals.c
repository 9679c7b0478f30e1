/* SPDX-License-Identifier: MIT */
#include "signals.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SAME_NS UINT64_C(300000000) /* one request may come twice: to us, then to the group */

/* Those that tell of our own faults must not be blocked. */
static const int own_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};

uint64_t signals_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void all_signals(sigset_t *set)
{
    sigfillset(set);
    for (size_t i = 0; i < sizeof own_faults / sizeof *own_faults; i++)
        sigdelset(set, own_faults[i]);
}

void signals_take(struct launch_signals *saved)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t all;

    all_signals(&all);
    sigprocmask(SIG_BLOCK, &all, &saved->mask);
    sigaction(SIGCHLD, &plain, &saved->child);
}

void signals_restore(const struct launch_signals *saved)
{
    sigaction(SIGCHLD, &saved->child, NULL);
    sigprocmask(SIG_SETMASK, &saved->mask, NULL);
}

/* A child that has ended; 0 none, -1 there are no children. One that only stopped is the witness's,
 * who goes with it over an exec (vdso.h). */
static pid_t ended_child(void)
{
    siginfo_t info = {.si_pid = 0};

    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno == ECHILD ? -1 : 0;
    return info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED ? 0 : info.si_pid;
}

bool signals_reap(struct signal_wait *wait)
{
    for (;;) {
        struct rusage usage;
        int status;
        pid_t child = ended_child();

        if (child <= 0)
            return child == 0;
        child = wait4(child, &status, WNOHANG, &usage);
        if (child <= 0)
            return true;
        if (child == wait->command) {
            wait->ended = true;
            wait->status = status;
            wait->usage = usage;
            wait->ended_ns = signals_clock();
        }
    }
}

static bool is_ignored(int number)
{
    struct sigaction action;

    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* Somebody wants an end. The second time, nobody is asked any more. */
static void note_request(struct signal_wait *wait, int number)
{
    uint64_t now = signals_clock();

    if (is_ignored(number))
        return;
    if (!wait->interrupted)
        wait->interrupted = number;
    if (wait->requests && now - wait->last_ns < SAME_NS)
        return;
    wait->last_ns = now;
    if (++wait->requests == 2)
        wait->force_ns = now + SIGNALS_FORCE_MS * UINT64_C(1000000);
}

static bool was_sent_to_us_alone(struct signal_wait *wait, const siginfo_t *info)
{
    return info->si_code <= 0 && !group_watch_saw(&wait->group, info->si_signo);
}

static void handle(struct signal_wait *wait, const siginfo_t *info)
{
    bool forward = was_sent_to_us_alone(wait, info);

    switch (info->si_signo) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
    case SIGQUIT:
        note_request(wait, info->si_signo);
        break;
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
        if (forward && !wait->ended)
            kill(wait->command, info->si_signo);
        kill(getpid(), SIGSTOP); /* the shell that waits for us wants to see it */
        return;
    case SIGPIPE: /* ours: the summary goes nowhere */
    case SIGXFSZ:
        if (info->si_code > 0)
            return;
        break;
    }
    if (forward && !wait->ended)
        kill(wait->command, info->si_signo);
}

void signals_wait(struct signal_wait *wait, long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    siginfo_t info;
    sigset_t all;
    int number;

    all_signals(&all);
    number = sigtimedwait(&all, &info, &time);
    if (number > 0 && number != SIGCHLD)
        handle(wait, &info);
    signals_reap(wait);
}
