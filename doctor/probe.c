/* SPDX-License-Identifier: MIT */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "signals.h"

#define LOOK_US 500

static void set_text(char *text, size_t size, const char *format, va_list arguments)
{
    vsnprintf(text, size, format, arguments);
    for (char *at = text; *at; at++) {
        if (*at == '\n')
            *at = ' ';
    }
}

void probe_answer(struct doctor_finding *finding, enum doctor_answer answer, const char *format,
                  ...)
{
    va_list arguments;

    finding->answer = answer;
    va_start(arguments, format);
    set_text(finding->detail, sizeof finding->detail, format, arguments);
    va_end(arguments);
}

void probe_add(struct doctor_finding *finding, const char *format, ...)
{
    size_t used = strlen(finding->detail);
    va_list arguments;

    if (used)
        used += (size_t)snprintf(finding->detail + used, sizeof finding->detail - used, "; ");
    if (used >= sizeof finding->detail)
        return;
    va_start(arguments, format);
    set_text(finding->detail + used, sizeof finding->detail - used, format, arguments);
    va_end(arguments);
}

void probe_cure(struct doctor_finding *finding, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set_text(finding->cure, sizeof finding->cure, format, arguments);
    va_end(arguments);
}

void probe_number(struct doctor_finding *finding, const char *name, double value)
{
    struct doctor_number *number;

    if ((size_t)finding->number_count == sizeof finding->numbers / sizeof *finding->numbers)
        BUG("too many numbers");
    number = &finding->numbers[finding->number_count++];
    snprintf(number->name, sizeof number->name, "%s", name);
    number->value = value;
}

static ssize_t read_file(const char *path, char *text, size_t size)
{
    cleanup_close int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, size - 1);

    text[length > 0 ? length : 0] = '\0';
    return length;
}

long probe_sysctl(const char *path, long otherwise)
{
    char text[64];

    return read_file(path, text, sizeof text) > 0 ? atol(text) : otherwise;
}

long probe_own_status(const char *name, long otherwise)
{
    char text[4096], *line = text;

    read_file("/proc/self/status", text, sizeof text);
    while (line && strncmp(line, name, strlen(name)) != 0) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return line ? atol(line + strlen(name)) : otherwise;
}

int probe_step(int (*step)(const void *data), const void *data)
{
    pid_t child = fork();
    int status;

    if (child == 0)
        _exit(step(data));
    if (child < 0)
        return -1;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* --- the process of a trial ------------------------------------------------------------------ */

/* A group of its own, so that all that it starts can be ended with it. */
static _Noreturn void run(const struct doctor_row *row, struct doctor_finding *finding,
                          const struct doctor_settings *settings, int messages)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(messages >= 0 ? messages : null, STDERR_FILENO);
    row->function(finding, settings);
    finding->finished = true;
    _exit(0);
}

/* False when the time is up. What the trial left behind ends in both cases. */
static bool wait_for(pid_t child, long seconds, int *status)
{
    uint64_t end = signals_clock() + (uint64_t)seconds * 1000000000u;
    siginfo_t info = {.si_pid = 0};
    bool ended = false;

    while (!ended && signals_clock() < end) {
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR)
            break;
        ended = info.si_pid == child;
        if (!ended)
            usleep(LOOK_US);
    }
    kill(-child, SIGKILL);
    if (!ended)
        kill(child, SIGKILL);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        ;
    return ended;
}

/* The last line of what the trial said before it gave up: "tallyman: ...". */
static void quote_message(struct doctor_finding *finding, int messages)
{
    static const char ours[] = "tallyman: ";
    char text[400], *line;
    ssize_t length = messages < 0 ? -1 : pread(messages, text, sizeof text - 1, 0);

    if (length <= 0)
        return;
    text[length] = '\0';
    while (length > 0 && text[length - 1] == '\n')
        text[--length] = '\0';
    line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    if (strncmp(line, ours, strlen(ours)) == 0)
        line += strlen(ours);
    probe_answer(finding, DOCTOR_NO, "%s", line);
}

static void judge_end(struct doctor_finding *finding, int status, int messages)
{
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    if (finding->finished)
        return;
    *finding = (struct doctor_finding){.answer = DOCTOR_NO};
    if (signal)
        probe_answer(finding, DOCTOR_NO, "the trial was ended by signal %s%s",
                     sigabbrev_np(signal) ? sigabbrev_np(signal) : "?",
                     signal == SIGSYS ? ": a seccomp filter around us kills for it" : "");
    else
        probe_answer(finding, DOCTOR_NO, "the trial gave up with status %d", WEXITSTATUS(status));
    quote_message(finding, messages);
}

void probe_try(const struct doctor_row *row, struct doctor_finding *finding,
               const struct doctor_settings *settings)
{
    struct doctor_finding *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cleanup_close int messages = memfd_create("messages", MFD_CLOEXEC);
    pid_t child;
    int status = 0;

    *finding = (struct doctor_finding){.answer = DOCTOR_NO};
    if (shared == MAP_FAILED)
        die_errno("cannot get memory");
    child = fork();
    if (child == 0)
        run(row, shared, settings, messages);
    if (child < 0) {
        probe_answer(finding, DOCTOR_NO, "cannot start a process: %s", strerror(errno));
    } else if (wait_for(child, settings->seconds, &status)) {
        judge_end(shared, status, messages);
        *finding = *shared;
    } else {
        probe_answer(finding, DOCTOR_NO, "no answer within %ld s", settings->seconds);
    }
    munmap(shared, sizeof *shared);
}
