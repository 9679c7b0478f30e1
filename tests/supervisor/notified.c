/* SPDX-License-Identifier: MIT */
#include "notified.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATIENCE_MS 20000

/* Numbers of the i386 table: execve, gettimeofday, time, clock_gettime, clock_gettime64. */
#define NARROW_CALLS 11, 78, 13, 265, 403
#define WIDE_CALLS   SYS_execve, SYS_gettimeofday, SYS_time, SYS_clock_gettime, SYS_execveat

#define LOAD(field)         BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF(value, yes, no)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define FIVE(a, b, c, d, e) IF(a, 5, 0), IF(b, 4, 0), IF(c, 3, 0), IF(d, 2, 0), IF(e, 1, 0)
#define EXPAND(list)        FIVE list

static int install(void)
{
    struct sock_filter code[] = {
        LOAD(arch),
        IF(AUDIT_ARCH_X86_64, 0, 8),
        LOAD(nr),
        EXPAND((WIDE_CALLS)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        LOAD(nr),
        EXPAND((NARROW_CALLS)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
    };
    struct sock_fprog filter = {sizeof code / sizeof *code, code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                        &filter);
}

struct control {
    char room[CMSG_SPACE(sizeof(int))];
    size_t alignment;
};

static void send_listener(int socket, int listener)
{
    struct control control = {{0}, 0};
    struct iovec text = {.iov_base = (char[]){'x'}, .iov_len = 1};
    struct msghdr message = {.msg_iov = &text,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof listener);
    memcpy(CMSG_DATA(header), &listener, sizeof listener);
    sendmsg(socket, &message, 0);
}

static int receive_listener(int socket)
{
    struct control control = {{0}, 0};
    char byte;
    struct iovec text = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &text,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    const struct cmsghdr *header;
    int listener = -1;

    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) > 0 && (header = CMSG_FIRSTHDR(&message)))
        memcpy(&listener, CMSG_DATA(header), sizeof listener);
    return listener;
}

struct notified notified_start(void (*work)(const void *data), const void *data)
{
    struct notified started = {-1, -1};
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return started;
    started.child = fork();
    if (started.child == 0) {
        int listener = install();

        if (listener < 0)
            _exit(99);
        send_listener(ends[1], listener);
        close(listener);
        close(ends[0]);
        close(ends[1]);
        work(data);
        _exit(98);
    }
    close(ends[1]);
    started.listener = receive_listener(ends[0]);
    close(ends[0]);
    return started;
}

bool notified_next(const struct notified *notified, struct seccomp_notif *call)
{
    struct pollfd ready = {.fd = notified->listener, .events = POLLIN};

    while (poll(&ready, 1, PATIENCE_MS) > 0 && (ready.revents & POLLIN)) {
        memset(call, 0, sizeof *call);
        if (ioctl(notified->listener, SECCOMP_IOCTL_NOTIF_RECV, call) == 0)
            return true;
    }
    return false;
}

bool notified_continue(const struct notified *notified, const struct seccomp_notif *call)
{
    struct seccomp_notif_resp answer = {.id = call->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

    return ioctl(notified->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) == 0;
}

bool notified_is_exec(const struct seccomp_notif *call)
{
    static const int narrow[] = {NARROW_CALLS};

    return call->data.arch == AUDIT_ARCH_X86_64
               ? call->data.nr == SYS_execve || call->data.nr == SYS_execveat
               : call->data.nr == narrow[0];
}

void notified_end(struct notified *notified)
{
    close(notified->listener);
    notified->listener = -1;
}
