/* SPDX-License-Identifier: MIT
 *
 * What is no file: values, sockets, and programs that hide from others.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

#define X32_BIT  0x40000000
#define MESSAGES 20

static int random_bytes(char **arguments)
{
    char bytes[16];

    (void)arguments;
    return syscall(SYS_getrandom, bytes, sizeof bytes, 0) != sizeof bytes;
}

static int system_name(char **arguments)
{
    struct utsname name;

    (void)arguments;
    return syscall(SYS_uname, &name) != 0;
}

static int processors(char **arguments)
{
    cpu_set_t set;

    (void)arguments;
    return syscall(SYS_sched_getaffinity, 0, sizeof set, &set) <= 0;
}

static int clock_by_libc(char **arguments)
{
    struct timespec now;

    (void)arguments;
    return clock_gettime(CLOCK_REALTIME, &now) != 0;
}

static int other_clocks(char **arguments)
{
    struct timespec now;

    (void)arguments;
    return clock_gettime(CLOCK_MONOTONIC, &now) != 0 ||
           clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0;
}

static int ring(char **arguments)
{
    char parameters[120] = {0};

    (void)arguments;
    return syscall(SYS_io_uring_setup, 4, parameters) == -1 && errno == ENOSYS ? 0 : 1;
}

static int x32(char **arguments)
{
    (void)arguments;
    syscall(SYS_open | X32_BIT, "u.txt", O_RDONLY);
    return 0;
}

static int hidden(char **arguments)
{
    (void)arguments;
    return prctl(PR_SET_DUMPABLE, 0) != 0 || open("u.txt", O_RDONLY) < 0;
}

static struct sockaddr_in port(int number)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)number),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* More messages in one call than the witness looks at. */
static int many_messages(char **arguments)
{
    int from = socket(AF_INET, SOCK_DGRAM, 0);
    struct mmsghdr messages[MESSAGES] = {0};
    struct sockaddr_in to[MESSAGES];

    (void)arguments;
    for (int i = 0; i < MESSAGES; i++) {
        to[i] = port(9000 + i);
        messages[i].msg_hdr.msg_name = &to[i];
        messages[i].msg_hdr.msg_namelen = sizeof to[i];
    }
    return syscall(SYS_sendmmsg, from, messages, MESSAGES, 0) < 1;
}

static int connection(char **arguments)
{
    struct sockaddr_in to = port(9);

    (void)arguments;
    connect(socket(AF_INET, SOCK_DGRAM, 0), (struct sockaddr *)&to, sizeof to);
    return 0;
}

static long filter(unsigned action, unsigned long flags)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mkdir, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static int own_filter(char **arguments)
{
    (void)arguments;
    if (filter(SECCOMP_RET_ERRNO | EDOM, 0) != 0)
        return 1;
    return syscall(SYS_mkdir, "never", 0777) == -1 && errno == EDOM ? open("u.txt", O_RDONLY) < 0
                                                                    : 1;
}

/* The kernel has one listener for a process and what is above it. */
static int own_listener(char **arguments)
{
    long listener = filter(SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);

    (void)arguments;
    return listener == -1 && errno == EBUSY ? open("u.txt", O_RDONLY) < 0 : 1;
}

static int traced_by_parent(char **arguments)
{
    (void)arguments;
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 || open("u.txt", O_RDONLY) < 0;
}

const struct one_case cases[] = {
    {"random", random_bytes},
    {"system-name", system_name},
    {"processors", processors},
    {"clock", clock_by_libc},
    {"other-clocks", other_clocks},
    {"ring", ring},
    {"x32", x32},
    {"hidden", hidden},
    {"many-messages", many_messages},
    {"connection", connection},
    {"own-filter", own_filter},
    {"own-listener", own_listener},
    {"traced-by-parent", traced_by_parent},
    {0},
};
