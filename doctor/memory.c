/* SPDX-License-Identifier: MIT
 *
 * Reading the memory of a process that waits, in both ways that the witness has.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "probe.h"
#include "signals.h"

#define YAMA "/proc/sys/kernel/yama/ptrace_scope"

static char mark[16] = "ours";
static const char theirs[sizeof mark] = "the child's";

/* Both: 0 or an errno. */
static int read_by_call(pid_t pid)
{
    char text[sizeof mark];
    struct iovec here = {text, sizeof text}, there = {mark, sizeof mark};

    if (process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)sizeof text)
        return errno ? errno : EIO;
    return memcmp(text, theirs, sizeof text) == 0 ? 0 : EIO;
}

static int read_by_file(pid_t pid)
{
    char path[40], text[sizeof mark];
    cleanup_close int file = -1;

    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || pread(file, text, sizeof text, (off_t)(uintptr_t)mark) != (ssize_t)sizeof text)
        return errno ? errno : EIO;
    return memcmp(text, theirs, sizeof text) == 0 ? 0 : EIO;
}

static pid_t start_waiting(int *ready)
{
    int ends[2];
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        die_errno("cannot make a pipe");
    child = fork();
    if (child == 0) {
        memcpy(mark, theirs, sizeof mark);
        if (write(ends[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ends[1]);
    *ready = ends[0];
    return child;
}

static void say(struct doctor_finding *finding, int by_call, int by_file)
{
    if (!by_call && !by_file)
        probe_answer(finding, DOCTOR_YES, "process_vm_readv and /proc/PID/mem");
    else if (!by_call)
        probe_answer(finding, DOCTOR_YES, "process_vm_readv; /proc/PID/mem not: %s",
                     strerror(by_file));
    else if (!by_file)
        probe_answer(finding, DOCTOR_LIMITED,
                     "only the slower way by /proc/PID/mem; "
                     "process_vm_readv not: %s",
                     strerror(by_call));
    else
        probe_answer(finding, DOCTOR_NO, "process_vm_readv: %s; /proc/PID/mem: %s",
                     strerror(by_call), strerror(by_file));
}

void probe_memory(struct doctor_finding *finding, const struct doctor_settings *settings)
{
    long scope = probe_sysctl(YAMA, -1);
    int ready;
    pid_t child = start_waiting(&ready);
    char byte;

    (void)settings;
    if (child < 0 || read(ready, &byte, 1) != 1)
        die_errno("cannot start a process");
    errno = 0;
    int by_call = read_by_call(child);

    errno = 0;
    say(finding, by_call, read_by_file(child));
    if (scope >= 0) {
        probe_add(finding, "kernel.yama.ptrace_scope is %ld", scope);
        probe_number(finding, "ptrace_scope", (double)scope);
    }
    if (scope == 3)
        probe_cure(finding, "kernel.yama.ptrace_scope=3 holds until the next boot: set it to 1 in "
                            "/etc/sysctl.d and boot");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ready);
}
