/* SPDX-License-Identifier: MIT */
#include "listener.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "die.h"
#include "witness_calls.h"
#include "witness_filter.h"
#include "witness_memory.h"

struct listener {
    int fd;
    pthread_t thread;
    struct listener_reports reports;
};

void listener_install(int socket)
{
    int fd = witness_filter_install().fd;

    if (write(socket, &fd, sizeof fd) != sizeof fd || read(socket, &fd, 1) != 1)
        _exit(126);
}

static void add(struct listener *listener, const struct seccomp_notif *call)
{
    enum witness_call which = witness_call_find(call->data.arch, call->data.nr);
    struct listener_reports *reports = &listener->reports;
    struct listener_report *report;

    reports->list = xrealloc(reports->list, (reports->count + 1) * sizeof *reports->list);
    report = &reports->list[reports->count++];
    *report = (struct listener_report){.call = "?", .thread = (int)call->pid};
    if (which == WITNESS_CALL_COUNT)
        return;
    report->call = witness_rows[which].name;
    if (witness_rows[which].b != WITNESS_NONE)
        witness_read_string((pid_t)call->pid, call->data.args[witness_rows[which].b], report->path,
                            sizeof report->path);
}

static void *collect(void *argument)
{
    struct listener *listener = argument;
    struct pollfd wait = {.fd = listener->fd, .events = POLLIN};

    while (poll(&wait, 1, -1) >= 0 && !(wait.revents & POLLHUP)) {
        struct seccomp_notif call = {0};
        struct seccomp_notif_resp answer = {.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

        if (ioctl(listener->fd, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
            continue;
        add(listener, &call);
        answer.id = call.id;
        ioctl(listener->fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
    return NULL;
}

struct listener *listener_start(pid_t child, int socket)
{
    struct listener *listener = xcalloc(1, sizeof *listener);
    int process = (int)syscall(SYS_pidfd_open, child, 0);
    int there;

    if (process < 0 || read(socket, &there, sizeof there) != sizeof there || there < 0)
        die("the kernel gives no listener here");
    listener->fd = (int)syscall(SYS_pidfd_getfd, process, there, 0);
    if (listener->fd < 0)
        die_errno("cannot take the listener");
    close(process);
    if (pthread_create(&listener->thread, NULL, collect, listener) != 0)
        die_errno("cannot start a thread");
    if (write(socket, "", 1) != 1)
        die_errno("cannot answer the program");
    return listener;
}

void listener_finish(struct listener *listener, struct listener_reports *reports)
{
    pthread_join(listener->thread, NULL);
    close(listener->fd);
    *reports = listener->reports;
    free(listener);
}

size_t listener_count(const struct listener_reports *reports, const char *call, const char *path)
{
    size_t count = 0;

    for (size_t i = 0; i < reports->count; i++) {
        const struct listener_report *report = &reports->list[i];

        count += strcmp(report->call, call) == 0 && (!path || strcmp(report->path, path) == 0);
    }
    return count;
}

void listener_reports_free(struct listener_reports *reports)
{
    free(reports->list);
    *reports = (struct listener_reports){0};
}
