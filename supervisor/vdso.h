/* SPDX-License-Identifier: MIT
 *
 * Taking the vDSO away from a program at its start, so that it asks the kernel for the time by
 * system calls, which the witness sees. For images that the shim is not in: static ones, other C
 * libraries', Go's.
 *
 * The kernel tells a new image where its vDSO lies by an entry of the auxiliary vector on its stack
 * (getauxval(3), AT_SYSINFO_EHDR). The thread that is about to execute it is seized (ptrace(2)),
 * stops when the new image is there and has not run yet, the entry becomes AT_IGNORE, and the
 * thread is let go. C libraries and Go's run-time system then fall back to system calls. What does
 * not look for the vDSO in that vector is not helped (a program that searches its own
 * /proc/self/maps).
 *
 * How to use it, all in one thread (the kernel ties a tracee to the thread that seized it):
 *
 *     a thread waits in execve, notified (seccomp_unotify(2))
 *     vdso_seize(&trace, process, thread)        0: go on; otherwise answer, and that is all
 *     answer CONTINUE                            also when that fails (ENOENT):
 *     vdso_wait(&trace, milliseconds, ...)       until it is not VDSO_PENDING
 *
 * Nothing stays traced after any other outcome than VDSO_PENDING; and nothing after our end,
 * however we end: the kernel lets tracees go then.
 *
 * Waiting. The end of a child of this process is not consumed here, only looked at (WNOWAIT); that
 * of a tracee that is no child of ours is, as its own parent does not see it before. Whoever waits
 * for children in another thread must in turn leave alone what is only stopped: for a child of
 * ours, the kernel shows the stops to all our threads, whatever they ask for (wait_consider_task()
 * in kernel/exit.c), __WNOTHREAD or not. So look first with waitid(P_ALL, 0, &info, WEXITED |
 * WNOHANG | WNOWAIT), and take the child only when info.si_code is neither CLD_TRAPPED nor
 * CLD_STOPPED.
 *
 * A traced thread that executes a set-id program does not get its privileges unless the tracer has
 * CAP_SYS_PTRACE (execve(2)): do not seize for one.
 */
#ifndef VDSO_H
#define VDSO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct vdso_trace {
    pid_t process;
    pid_t thread;
    bool asked; /* to stop when it has no new image */
};

/* A new image before its first instruction. The strings are its own argv and environ, in order,
 * each with its NUL; addresses are in its memory (witness_read). A script's are its interpreter's.
 */
struct vdso_image {
    pid_t pid;
    bool narrow; /* 32-bit */
    uint64_t arguments, arguments_size;
    uint64_t environment, environment_size;
};

enum vdso_outcome {
    VDSO_PENDING,  /* the time is up and the exec has neither succeeded nor failed; call again */
    VDSO_REMOVED,  /* a new image runs, without vDSO */
    VDSO_ABSENT,   /* a new image runs, and had none */
    VDSO_KEPT,     /* a new image runs and has its vDSO: its stack could not be read or changed */
    VDSO_NO_IMAGE, /* the exec failed, or was interrupted and is now made and notified once more */
    VDSO_ENDED     /* the process has ended, or another of its threads was faster with an exec */
};

/* Seizes a thread that waits in a notified call. 0, or
 *   EBUSY  somebody else traces it (strace, gdb)
 *   EPERM  not allowed: another user's, kernel.yama.ptrace_scope, a filter around us
 *   ESRCH  gone
 * or what else ptrace(2) says. */
int vdso_seize(struct vdso_trace *trace, pid_t process, pid_t thread);

/* Waits until it is known what became of the exec. `look`, if any, is called for a new image before
 * it runs; it must not change it. Sleeps between looks, 20 us and more; 0: one look. */
enum vdso_outcome vdso_wait(struct vdso_trace *trace, long milliseconds,
                            void (*look)(const struct vdso_image *image, void *data), void *data);

#endif
