/* SPDX-License-Identifier: MIT
 *
 * H1, H3, H5: runs a command where namespaces, mounts, filters and what is new in the kernel are
 * refused, as in a container or on an old system: the first argument is the errno.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const unsigned refused[] = {
    SYS_unshare,    SYS_mount,        SYS_umount2,        SYS_pivot_root, SYS_seccomp,
    SYS_setns,      SYS_clone3,       SYS_openat2,        SYS_faccessat2, SYS_close_range,
    SYS_pidfd_open, SYS_memfd_create, SYS_io_uring_setup, SYS_ptrace};
enum { COUNT = sizeof refused / sizeof *refused };

int main(int argc, char **argv)
{
    struct sock_filter program[2 * COUNT + 2];
    struct sock_fprog filter = {.len = 2 * COUNT + 2, .filter = program};
    unsigned error = argc > 2 ? (unsigned)atoi(argv[1]) : 0;

    if (!error)
        return 2;
    program[0] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < COUNT; i++) {
        program[2 * i + 1] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i], 0, 1);
        program[2 * i + 2] =
            (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
    }
    program[2 * COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return 3;
    execvp(argv[2], argv + 2);
    return 4;
}
