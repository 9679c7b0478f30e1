/* SPDX-License-Identifier: MIT */
#include "witness.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "command_image.h"
#include "die.h"
#include "signals.h"
#include "tallyman/event.h"
#include "witness_inner.h"

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#    define SECCOMP_IOCTL_NOTIF_SET_FLAGS      SECCOMP_IOW(4, __u64) /* Linux 6.6 */
#    define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

#define STOP_SIGNAL  SIGUSR1 /* ends a wait for reports; all signals are blocked otherwise */
#define STOP_TRY_NS  1000000
#define LAST_SLASHES "/libtallyman.so"

/* --- answers -------------------------------------------------------------------------------- */

bool witness_answer(struct witness *witness, uint64_t notice, int error)
{
    struct seccomp_notif_resp response = {
        .id = notice,
        .error = -error,
        .flags = error ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE,
    };

    return ioctl(witness->listener.fd, SECCOMP_IOCTL_NOTIF_SEND, &response) == 0;
}

/* --- records -------------------------------------------------------------------------------- */

void witness_write(struct witness *witness, const struct record *head, const char *subject,
                   size_t length, const char *other, size_t other_length)
{
    enum event_kind kind = head->kind;
    bool is_fact = kind == EVENT_PROCESS_START || kind == EVENT_PROCESS_ARGUMENT ||
                   kind == EVENT_ENVIRONMENT_BLOCK || kind == EVENT_ENVIRONMENT_ENTRY;

    /* The pid of a record without process may be another image by now: who reads it folds it. */
    log_pen_write(witness->pen, head, subject, length, other, other_length,
                  !is_fact && kind != EVENT_EXECUTE && head->process != 0);
}

void witness_blind_spot(struct witness *witness, uint32_t pid, uint32_t parent, const char *class,
                        const char *detail, size_t length)
{
    struct record head = {.kind = EVENT_BLIND_SPOT,
                          .pid = pid,
                          .thread = pid,
                          .value = parent,
                          .flags = RECORD_WITNESS,
                          .time = signals_clock()};

    witness_write(witness, &head, class, strlen(class), detail, length);
}

/* The id of the image that makes the call, 0 when it reports in itself. A child of an announced one
 * that has not executed anything is announced here, by what it does first. */
static uint64_t image_of(struct witness *witness, struct witness_view *view)
{
    struct witness_task *leader = view->leader;
    const struct witness_task *parent;
    uint64_t image = witness_task_image(leader);
    struct witness_exec child;

    if (image || leader->apart || view->sights[0].kind == EVENT_EXECUTE)
        return image;
    parent = witness_task_find(witness->tasks, (pid_t)leader->parent);
    if (!parent || !(image = witness_task_image(parent)))
        return 0;
    child = (struct witness_exec){.process = leader->leader,
                                  .pid = leader->pid,
                                  .parent = leader->parent,
                                  .leader = leader,
                                  .class = IMAGE_STATIC};
    return witness_announce(witness, &child, START_FORKED, image);
}

/* The loader opens the shim because we asked it to, and the log is ours as well. */
static bool is_ours(const struct witness *witness, const char *subject, size_t length)
{
    size_t name = strlen(LAST_SLASHES), directory = strlen(witness->setting.directory);

    if (length >= directory && memcmp(subject, witness->setting.directory, directory) == 0)
        return true;
    if (length < name || memcmp(subject + length - name, LAST_SLASHES, name) != 0)
        return false;
    if (witness->serves_siblings) {
        size_t before = strcspn(witness->setting.shim, "$");

        return length > before && memcmp(subject, witness->setting.shim, before) == 0;
    }
    return strlen(witness->setting.shim) == length &&
           memcmp(subject, witness->setting.shim, length) == 0;
}

/* An exec through the door is not reported, but what glibc's loader asks for first is. What was
 * seen before is of another image. */
static void note_loader(struct witness_view *view)
{
    static const char first[] = "/etc/ld.so.preload";
    const struct sight *sight = &view->sights[0];

    if (sight->kind == EVENT_ACCESS && sight->subject_length == sizeof first - 1 &&
        memcmp(witness_sight_subject(view, sight), first, sizeof first - 1) == 0)
        view->leader->loads++;
}

static void write_sights(struct witness *witness, struct witness_view *view)
{
    struct record head = {.hook = (uint16_t)view->call,
                          .pid = view->task->pid,
                          .thread = view->notice->pid,
                          .time = view->time,
                          .value = view->task->parent};

    if (view->sight_count == 0)
        return;
    note_loader(view);
    head.key = view->leader->loads;
    head.process = image_of(witness, view);
    for (size_t i = 0; i < view->sight_count; i++) {
        const struct sight *sight = &view->sights[i];
        const char *subject = view->text + sight->subject;

        if (is_ours(witness, subject, sight->subject_length))
            continue;
        head.kind = sight->kind;
        head.flags = sight->flags | RECORD_WITNESS;
        head.error = sight->error;
        witness_write(witness, &head, subject, sight->subject_length, view->text + sight->other,
                      sight->other_length);
    }
}

/* --- reports -------------------------------------------------------------------------------- */

/* A call of an ABI that nobody here knows, x32: seen, but not what it does. */
static void pass_unknown(struct witness *witness, const struct witness_view *view)
{
    static const char detail[] = "calls of the x32 ABI";

    witness_answer(witness, view->notice->id, 0);
    witness_blind_spot(witness, view->task->pid, view->task->parent, "foreign_abi", detail,
                       sizeof detail - 1);
}

/* Not those of who dies: what it never did need not be known. */
static void count_interrupted(struct witness *witness, const struct witness_view *view)
{
    const char *name = witness_rows[view->call].name;

    /* Elsewhere only death ends a call that is looked at. */
    if (!witness->listener.interruptible || witness_task_is_ending((pid_t)view->notice->pid))
        return;
    witness->counts.interrupted++;
    witness_blind_spot(witness, view->task->pid, view->task->parent, "interrupted", name,
                       strlen(name));
}

/* What was read, changed while the thread waited, so it was another thread or process. After the
 * answer the thread itself may use its memory anew: then only those are looked at that were caught
 * at it before. */
void witness_note_change(struct witness *witness, struct witness_view *view)
{
    if (!witness_was_changed(view))
        return;
    view->leader->is_changed = true;
    witness_blind_spot(witness, view->task->pid, view->task->parent, "raced", view->path,
                       strlen(view->path));
}

static void take_call(struct witness *witness, struct witness_view *view)
{
    int error = witness_rows[view->call].shape == WITNESS_REFUSE ? ENOSYS : 0;

    witness_look(view);
    if (!view->leader->is_changed)
        witness_note_change(witness, view);
    if (!witness_answer(witness, view->notice->id, error)) {
        count_interrupted(witness, view);
        return;
    }
    if (view->leader->is_changed)
        witness_note_change(witness, view);
    write_sights(witness, view);
}

static void start_view(struct witness *witness)
{
    struct witness_view *view = &witness->view;
    const struct seccomp_notif *notice = witness->notice;
    uint64_t mask = UINT64_MAX;

    view->notice = notice;
    view->time = signals_clock();
    view->call = witness_call_find(notice->data.arch, notice->data.nr);
    view->abi = witness_abi_find(notice->data.arch);
    if (view->abi && view->abi->word == 4)
        mask = UINT32_MAX;
    for (size_t i = 0; i < 6; i++)
        view->args[i] = notice->data.args[i] & mask;
    view->task = witness_task_of(witness->tasks, (pid_t)notice->pid, view->time);
    view->leader = witness_task_leader(witness->tasks, view->task);
    view->check_count = 0;
    view->scoped = false;
    view->sight_count = 0;
    view->used = 0;
}

/* Reports are numbered one after the other. One that is missing was taken back: a signal came
 * before it could be looked at, so the call failed with EINTR or is made once more (SA_RESTART). */
static void count_missing(struct witness *witness)
{
    uint64_t id = witness->notice->id;

    if (witness->next_notice)
        witness->counts.taken_back += id - witness->next_notice;
    witness->next_notice = id + 1;
}

static void take(struct witness *witness)
{
    struct witness_view *view = &witness->view;

    witness->counts.calls++;
    *witness->guard.last = witness->notice->id;
    count_missing(witness);
    start_view(witness);
    if (view->call == WITNESS_CALL_COUNT) {
        pass_unknown(witness, view);
    } else if (witness_rows[view->call].shape == WITNESS_EXECUTE) {
        witness_exec(witness, view);
        write_sights(witness, view);
    } else {
        take_call(witness, view);
    }
}

static void *take_reports(void *context)
{
    struct witness *witness = context;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, STOP_SIGNAL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    while (!atomic_load_explicit(&witness->stop, memory_order_relaxed)) {
        memset(witness->notice, 0, witness->notice_size);
        if (ioctl(witness->listener.fd, SECCOMP_IOCTL_NOTIF_RECV, witness->notice) == 0)
            take(witness);
        else if (errno != EINTR && errno != ENOENT)
            break;
    }
    return NULL;
}

/* --- start and end -------------------------------------------------------------------------- */

static void wake(int number)
{
    (void)number;
}

static size_t size_of_notice(void)
{
    struct seccomp_notif_sizes sizes = {0};

    if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0)
        return 0;
    return sizes.seccomp_notif > sizeof(struct seccomp_notif) ? sizes.seccomp_notif
                                                              : sizeof(struct seccomp_notif);
}

struct witness *witness_new(const struct witness_setting *setting, const char **why)
{
    struct witness *witness = xcalloc(1, sizeof *witness);

    witness->setting = *setting;
    witness->listener.fd = -1;
    witness->last = &witness->first;
    witness->serves_siblings = setting->shim && strstr(setting->shim, "/$LIB/");
    pthread_mutex_init(&witness->lock, NULL);
    pthread_cond_init(&witness->more, NULL);
    witness_abis();
    witness->notice_size = size_of_notice();
    if (witness->notice_size == 0)
        *why = witness_filter_reason(ENOSYS);
    else if (!(witness->pen = log_pen_new(setting->log)))
        *why = "the event log cannot be mapped";
    else if (!witness_guard_start(&witness->guard, setting->directory))
        *why = "the process that stands by cannot be started";
    else
        return witness;
    witness_free(witness);
    return NULL;
}

static bool start_threads(struct witness *witness)
{
    struct sigaction action = {.sa_handler = wake};

    sigaction(STOP_SIGNAL, &action, NULL);
    if (pthread_create(&witness->execs, NULL, witness_go_with_execs, witness) != 0)
        return false;
    if (pthread_create(&witness->reports, NULL, take_reports, witness) == 0)
        return true;
    atomic_store(&witness->stop, true);
    pthread_cond_signal(&witness->more);
    pthread_join(witness->execs, NULL);
    return false;
}

bool witness_start(struct witness *witness, struct witness_listener listener)
{
    witness->listener = listener;
    witness->notice = xcalloc(1, witness->notice_size);
    witness->tasks = witness_tasks_new();
    ioctl(listener.fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
    witness->started = witness_guard_hand(&witness->guard, listener.fd) && start_threads(witness);
    return witness->started;
}

void witness_stop(struct witness *witness)
{
    struct timespec moment = {0, STOP_TRY_NS};

    if (!witness || !witness->started)
        return;
    witness->started = false;
    pthread_mutex_lock(&witness->lock);
    atomic_store(&witness->stop, true);
    pthread_cond_signal(&witness->more);
    pthread_mutex_unlock(&witness->lock);
    /* The signal may come just before the wait that it shall end. */
    while (pthread_kill(witness->reports, STOP_SIGNAL) == 0 &&
           pthread_tryjoin_np(witness->reports, NULL) != 0)
        nanosleep(&moment, NULL);
    pthread_join(witness->execs, NULL);
    witness->counts.lost = log_pen_lost(witness->pen);
    log_pen_free(witness->pen);
    witness->pen = NULL;
    witness_guard_end(&witness->guard, witness->listener.fd);
}

pid_t witness_guard_process(const struct witness *witness)
{
    return witness->guard.process;
}

void witness_free(struct witness *witness)
{
    if (!witness)
        return;
    witness_stop(witness);
    witness_guard_end(&witness->guard, witness->listener.fd);
    if (witness->listener.fd >= 0)
        close(witness->listener.fd);
    log_pen_free(witness->pen);
    witness_tasks_free(witness->tasks);
    pthread_mutex_destroy(&witness->lock);
    pthread_cond_destroy(&witness->more);
    free(witness->notice);
    free(witness);
}

struct witness_counts witness_counts(const struct witness *witness)
{
    return witness->counts;
}
