/* SPDX-License-Identifier: MIT
 *
 * Nothing here depends on the processor: PTRACE_GET_SYSCALL_INFO (Linux 5.3) gives the stack
 * pointer and the width of any image.
 */
#include "vdso.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "signals.h"
#include "witness_memory.h"

#define FIRST_SLEEP_NS 20000
#define LAST_SLEEP_NS  1000000
#define WORDS_MAX      (UINT64_C(1) << 21) /* the kernel's own limit of argv and environ is below */
#define AUXILIARY_MAX  128

/* --- the new image's stack ------------------------------------------------------------------- */

/* Reads words one by one, memory page by page. */
struct cursor {
    pid_t pid;
    unsigned width; /* 4 or 8 */
    uint64_t next;  /* address of the next word */
    uint64_t start; /* address of bytes[0] */
    size_t length;
    unsigned char bytes[4096];
};

static bool read_word(struct cursor *cursor, uint64_t *word)
{
    uint32_t narrow;

    if (cursor->next < cursor->start ||
        cursor->next + cursor->width > cursor->start + cursor->length) {
        ssize_t got = witness_read(cursor->pid, cursor->next, cursor->bytes, sizeof cursor->bytes);

        if (got < (ssize_t)cursor->width)
            return false;
        cursor->start = cursor->next;
        cursor->length = (size_t)got;
    }
    if (cursor->width == sizeof *word) {
        memcpy(word, cursor->bytes + (cursor->next - cursor->start), sizeof *word);
    } else {
        memcpy(&narrow, cursor->bytes + (cursor->next - cursor->start), sizeof narrow);
        *word = narrow;
    }
    cursor->next += cursor->width;
    return true;
}

/* Steps over pointers and the NULL after them; `first` gets the first. */
static bool skip_pointers(struct cursor *cursor, uint64_t *first)
{
    uint64_t word;

    for (uint64_t i = 0; i < WORDS_MAX; i++) {
        if (!read_word(cursor, &word))
            return false;
        if (i == 0)
            *first = word;
        if (word == 0)
            return true;
    }
    return false;
}

struct auxiliary {
    uint64_t vdso_entry; /* address of the entry's words; 0 none */
    uint64_t vdso;
    uint64_t file_name;
};

static bool read_auxiliary(struct cursor *cursor, struct auxiliary *found)
{
    for (int i = 0; i < AUXILIARY_MAX; i++) {
        uint64_t entry = cursor->next, type, value;

        if (!read_word(cursor, &type) || !read_word(cursor, &value))
            return false;
        if (type == AT_NULL)
            return true;
        if (type == AT_SYSINFO_EHDR) {
            found->vdso_entry = entry;
            found->vdso = value;
        } else if (type == AT_EXECFN) {
            found->file_name = value;
        }
    }
    return false;
}

/* The kernel lays the strings one after the other: arguments, environment, name of the file. */
static void set_strings(struct vdso_image *image, uint64_t argument, uint64_t variable,
                        uint64_t file_name)
{
    uint64_t end = variable ? variable : file_name;

    if (argument && end > argument) {
        image->arguments = argument;
        image->arguments_size = end - argument;
    }
    if (variable && file_name > variable) {
        image->environment = variable;
        image->environment_size = file_name - variable;
    }
}

/* The stack pointer's target: argc, argv, NULL, environ, NULL, auxiliary vector, AT_NULL. */
static bool read_stack(struct vdso_image *image, uint64_t stack, struct auxiliary *found)
{
    struct cursor cursor = {.pid = image->pid, .width = image->narrow ? 4 : 8, .next = stack};
    uint64_t count, argument = 0, variable = 0;

    if (!read_word(&cursor, &count) || !skip_pointers(&cursor, &argument) ||
        !skip_pointers(&cursor, &variable) || !read_auxiliary(&cursor, found))
        return false;
    set_strings(image, argument, variable, found->file_name);
    return true;
}

/* One word of ours covers the type in a wide image, and type and value in a narrow one. */
static bool ignore_entry(const struct vdso_image *image, const struct auxiliary *found)
{
    uint64_t word = image->narrow ? found->vdso << 32 | AT_IGNORE : AT_IGNORE;

    return ptrace(PTRACE_POKEDATA, image->pid, (void *)(uintptr_t)found->vdso_entry,
                  (void *)(uintptr_t)word) == 0;
}

static enum vdso_outcome
change_image(pid_t pid, void (*look)(const struct vdso_image *image, void *data), void *data)
{
    struct vdso_image image = {.pid = pid};
    struct auxiliary found = {0};
    struct __ptrace_syscall_info info;
    enum vdso_outcome outcome = VDSO_KEPT;

    if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof info, &info) > 0) {
        image.narrow = !(info.arch & __AUDIT_ARCH_64BIT);
        if (read_stack(&image, info.stack_pointer, &found) && !found.vdso_entry)
            outcome = VDSO_ABSENT;
        else if (found.vdso_entry && ignore_entry(&image, &found))
            outcome = VDSO_REMOVED;
    }
    if (look)
        look(&image, data);
    return outcome;
}

/* --- the tracee ------------------------------------------------------------------------------ */

/* A number from /proc/PID/status; 0 when it is not there. */
static pid_t status_number(pid_t pid, const char *name)
{
    char path[40], text[4096];
    cleanup_close int file = -1;
    ssize_t length;
    const char *at;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    file = open(path, O_RDONLY | O_CLOEXEC);
    length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (length <= 0)
        return 0;
    text[length] = '\0';
    at = strstr(text, name);
    return at ? (pid_t)atoi(at + strlen(name)) : 0;
}

int vdso_seize(struct vdso_trace *trace, pid_t process, pid_t thread)
{
    int error;

    *trace = (struct vdso_trace){.process = process, .thread = thread};
    if (ptrace(PTRACE_SEIZE, thread, NULL, (void *)PTRACE_O_TRACEEXEC) == 0)
        return 0;
    error = errno;
    if (error == EPERM && status_number(thread, "\nTracerPid:") != 0)
        return EBUSY;
    return error;
}

static int look_at(pid_t pid, siginfo_t *info)
{
    *info = (siginfo_t){.si_pid = 0};
    return waitid(P_PID, (id_t)pid, info,
                  WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD);
}

/* A thread that executes a new image gets the process' id before it stops, whichever it had. False
 * when the kernel knows neither any more. */
static bool look_at_trace(const struct vdso_trace *trace, siginfo_t *info)
{
    bool there = look_at(trace->thread, info) == 0;

    if (info->si_pid != 0 || trace->thread == trace->process)
        return there;
    if (look_at(trace->process, info) != 0)
        return there;
    /* Until then the process' first thread is none of ours, though it may be our child. */
    if (info->si_code != CLD_TRAPPED && there)
        info->si_pid = 0;
    return true;
}

/* Its own parent waits for it, unless that is us. A thread beside the first has no other parent. */
static void give_to_parent(const struct vdso_trace *trace, pid_t ended)
{
    siginfo_t info;

    if (ended == trace->process && status_number(ended, "\nPPid:") == getpid())
        return;
    waitid(P_PID, (id_t)ended, &info, WEXITED | WNOHANG | __WALL | __WNOTHREAD);
}

static bool is_stop(const siginfo_t *info)
{
    return info->si_code == CLD_TRAPPED || info->si_code == CLD_STOPPED;
}

/* Until the stop of a thread that took over the process' id is waited for, the kernel takes
 * requests for mistakes about that id (ESRCH; looks_like_a_spurious_pid() in kernel/ptrace.c). */
static void take_stop(pid_t pid)
{
    siginfo_t info;

    waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | __WALL | __WNOTHREAD);
}

/* `signal` is the one that the tracee was about to get, 0 none. False: it is being killed. */
static bool let_go(pid_t pid, int signal)
{
    return ptrace(PTRACE_DETACH, pid, NULL, (void *)(intptr_t)signal) == 0;
}

static enum vdso_outcome handle_stop(const siginfo_t *info,
                                     void (*look)(const struct vdso_image *image, void *data),
                                     void *data)
{
    int event = info->si_status >> 8;
    enum vdso_outcome outcome = VDSO_NO_IMAGE;

    take_stop(info->si_pid);
    if (event == PTRACE_EVENT_EXEC)
        outcome = change_image(info->si_pid, look, data);
    if (!let_go(info->si_pid, event ? 0 : info->si_status))
        return VDSO_PENDING;
    return outcome;
}

static enum vdso_outcome handle(const struct vdso_trace *trace, const siginfo_t *info,
                                void (*look)(const struct vdso_image *image, void *data),
                                void *data)
{
    if (is_stop(info))
        return handle_stop(info, look, data);
    give_to_parent(trace, info->si_pid);
    return VDSO_ENDED;
}

static void sleep_for(uint64_t nanoseconds)
{
    struct timespec time = {.tv_nsec = (long)nanoseconds};

    nanosleep(&time, NULL);
}

enum vdso_outcome vdso_wait(struct vdso_trace *trace, long milliseconds,
                            void (*look)(const struct vdso_image *image, void *data), void *data)
{
    uint64_t end = signals_clock() + (uint64_t)milliseconds * 1000000u;
    uint64_t pause = FIRST_SLEEP_NS;
    siginfo_t info;

    /* A failed exec stops nobody by itself. The request to stop comes after an exec's own stop,
     * which is on the way of one that succeeds. */
    if (!trace->asked)
        ptrace(PTRACE_INTERRUPT, trace->thread, NULL, NULL);
    trace->asked = true;
    for (;;) {
        enum vdso_outcome outcome;

        if (!look_at_trace(trace, &info))
            return VDSO_ENDED;
        outcome = info.si_pid ? handle(trace, &info, look, data) : VDSO_PENDING;
        if (outcome != VDSO_PENDING || signals_clock() >= end)
            return outcome;
        sleep_for(pause);
        pause = pause * 2 < LAST_SLEEP_NS ? pause * 2 : LAST_SLEEP_NS;
    }
}
