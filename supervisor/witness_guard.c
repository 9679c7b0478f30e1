/* SPDX-License-Identifier: MIT */
#include "witness_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "descriptor_mail.h"
#include "quote.h"

/* Reports are numbered one after the other. How far the open ones may lie apart: a process has one,
 * and execs wait while others are taken. */
#define NEAR     65536u
#define SERVE    's'
#define LISTENER 'l'

static void answer(int listener, uint64_t notice)
{
    struct seccomp_notif_resp response = {.id = notice, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

/* Until nobody is left that the filter applies to. */
static _Noreturn void serve(int listener, uint64_t last)
{
    struct pollfd wait = {listener, POLLIN, 0};
    struct seccomp_notif notice;

    for (uint64_t id = last - NEAR; id != last + NEAR; id++)
        answer(listener, id);
    for (;;) {
        if (poll(&wait, 1, -1) < 0 && errno != EINTR)
            _exit(0);
        if (!(wait.revents & POLLIN) && (wait.revents & (POLLHUP | POLLERR | POLLNVAL)))
            _exit(0);
        memset(&notice, 0, sizeof notice);
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notice) == 0)
            answer(listener, notice.id);
    }
}

/* One message: its letter, and the descriptor that came with it. 0: the other end is closed. */
static char receive(int channel, int *listener)
{
    char letter = 0;

    return descriptor_receive(channel, &letter, 1, listener) ? letter : 0;
}

static void say_supervisor_died(const char *directory)
{
    struct buffer where = BUFFER_INIT;

    quote_word(&where, directory, strlen(directory));
    dprintf(
        STDERR_FILENO,
        "tallyman: the supervisor was killed; the build goes on, and nothing of it is seen from "
        "here on. Make the database of what was seen with: tallyman recover %s -o FILE\n",
        where.data);
    buffer_fini(&where);
}

/* Away from the terminal, the group and the pipes of the run, whose readers wait for the last
 * writer. */
static void withdraw(int channel)
{
    int null = open("/dev/null", O_RDWR);
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    prctl(PR_SET_NAME, "tallyman-guard");
    dup2(channel, 3);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    closefrom(4);
    if (chdir("/") != 0)
        return; /* it then keeps a folder busy, no more */
}

static _Noreturn void stand_guard(int channel, const uint64_t *last, const char *directory)
{
    int listener = -1;
    char letter;

    withdraw(channel);
    channel = 3;
    while ((letter = receive(channel, &listener)) == LISTENER)
        ;
    if (listener < 0)
        _exit(0);
    if (letter == 0)
        say_supervisor_died(directory);
    dup2(STDOUT_FILENO, STDERR_FILENO);
    serve(listener, *last);
}

bool witness_guard_start(struct witness_guard *guard, const char *directory)
{
    int ends[2];

    *guard = (struct witness_guard){.channel = -1};
    guard->last =
        mmap(NULL, sizeof *guard->last, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (guard->last == MAP_FAILED)
        return false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    guard->process = fork();
    if (guard->process == 0) {
        close(ends[0]);
        stand_guard(ends[1], guard->last, directory);
    }
    close(ends[1]);
    guard->channel = ends[0];
    if (guard->process > 0)
        return true;
    close(ends[0]);
    guard->process = 0;
    return false;
}

static bool send_letter(const struct witness_guard *guard, char letter, int listener)
{
    return descriptor_send(guard->channel, &letter, 1, listener);
}

bool witness_guard_hand(struct witness_guard *guard, int listener)
{
    return send_letter(guard, LISTENER, listener);
}

/* True when no process has the filter any more. */
static bool is_deserted(int listener)
{
    struct pollfd wait = {listener, POLLIN, 0};

    return listener < 0 || (poll(&wait, 1, 0) > 0 && (wait.revents & POLLHUP));
}

void witness_guard_end(struct witness_guard *guard, int listener)
{
    bool deserted = is_deserted(listener);

    if (guard->process <= 0)
        return;
    if (deserted) { /* it may have been stopped, and reads no letter then */
        kill(guard->process, SIGKILL);
        waitpid(guard->process, NULL, 0);
    } else {
        send_letter(guard, SERVE, -1);
    }
    close(guard->channel);
    munmap(guard->last, sizeof *guard->last);
    guard->process = 0;
}
