/* SPDX-License-Identifier: MIT */
#include "watched.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "witness_calls.h"

#define PATIENCE_MS 5000
#define LOOK_US     100

/* Between the child and us, in shared memory: any call by which it could tell may be one that waits
 * for our answer. */
struct board {
    struct witness_listener listener;
    atomic_bool installed;
};

static _Noreturn void work_watched(struct board *board, int (*work)(const void *data),
                                   const void *data)
{
    board->listener = witness_filter_install();
    atomic_store(&board->installed, true);
    _exit(board->listener.fd < 0 ? 0 : work(data));
}

static void wait_for_filter(struct watched *watched, struct board *board)
{
    siginfo_t info = {.si_pid = 0};

    while (!atomic_load(&board->installed)) {
        if (waitid(P_PID, (id_t)watched->child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid == watched->child) {
            watched->listener = (struct witness_listener){.fd = -1, .error = ESRCH};
            return;
        }
        usleep(LOOK_US);
    }
    watched->listener = board->listener;
}

void watched_start(struct watched *watched, int (*work)(const void *data), const void *data)
{
    struct board *board =
        mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    *watched = (struct watched){.child = -1, .listener = {.fd = -1}};
    if (board == MAP_FAILED)
        return;
    witness_abis();
    watched->child = (pid_t)syscall(SYS_clone, (long)(CLONE_FILES | SIGCHLD), 0, 0, 0, 0);
    if (watched->child == 0)
        work_watched(board, work, data);
    if (watched->child > 0)
        wait_for_filter(watched, board);
    else
        watched->listener.error = errno;
    munmap(board, sizeof *board);
}

bool watched_next(const struct watched *watched, struct watched_call *call)
{
    struct pollfd ready = {.fd = watched->listener.fd, .events = POLLIN};

    while (poll(&ready, 1, PATIENCE_MS) > 0 && (ready.revents & POLLIN)) {
        memset(call, 0, sizeof *call);
        if (ioctl(watched->listener.fd, SECCOMP_IOCTL_NOTIF_RECV, &call->notice) == 0)
            return true;
        if (errno != EINTR && errno != ENOENT)
            return false;
    }
    return false;
}

bool watched_answer(const struct watched *watched, const struct watched_call *call)
{
    struct seccomp_notif_resp answer = {.id = call->notice.id,
                                        .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

    return ioctl(watched->listener.fd, SECCOMP_IOCTL_NOTIF_SEND, &answer) == 0;
}

int watched_end(struct watched *watched)
{
    struct watched_call call;
    int status;

    if (watched->child <= 0)
        return -1;
    while (watched->listener.fd >= 0 && watched_next(watched, &call))
        watched_answer(watched, &call);
    if (watched->listener.fd >= 0)
        close(watched->listener.fd);
    watched->listener.fd = -1;
    if (waitpid(watched->child, &status, 0) != watched->child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}
