/* SPDX-License-Identifier: MIT */
#include "scratch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "die.h"
#include "log_reader.h"
#include "witness_calls.h"

void scratch_log(const char *path, uint32_t limit)
{
    cleanup_close int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct log_control control = {
        .magic = LOG_MAGIC,
        .version = LOG_VERSION,
        .unit = LOG_UNIT,
        .state = LOG_OPEN,
        .heartbeat = 1,
        .limit = limit ? limit : 1u << 20,
        .next_unit = 1,
    };

    if (file < 0 || write(file, &control, sizeof control) != (ssize_t)sizeof control ||
        ftruncate(file, LOG_UNIT) != 0)
        die_errno("cannot make the log %s", path);
}

/* --- running -------------------------------------------------------------------------------- */

/* Only ever called in a child that execs next. */
static void set_environment(const struct scratch_program *program)
{
    char text[4096];

    unsetenv("LD_PRELOAD");
    unsetenv(TALLYMAN_RUN_VARIABLE);
    if (program->shim || program->preload) {
        snprintf(text, sizeof text, "%s%s%s", program->shim ? program->shim : "",
                 program->shim && program->preload ? ":" : "",
                 program->preload ? program->preload : "");
        setenv("LD_PRELOAD", text, 1);
    }
    if (program->log) {
        snprintf(text, sizeof text, "%s:%016llx", program->log,
                 program->witness ? RUN_WITNESSED : 0ull);
        setenv(TALLYMAN_RUN_VARIABLE, text, 1);
    }
}

static void become(const struct scratch_program *program, int output, int socket)
{
    int input = open("/dev/null", O_RDONLY);

    if (input < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0)
        _exit(126);
    if (input > 2)
        close(input);
    if (program->folder && chdir(program->folder) != 0)
        _exit(126);
    signal(SIGPIPE, SIG_DFL);
    set_environment(program);
    if (program->reports)
        listener_install(socket);
    execvp(program->argv[0], (char *const *)(uintptr_t)program->argv);
    _exit(127);
}

static int64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Appends what can be read. False at the end of the output. */
static bool take_output(int from, struct scratch_result *result)
{
    const size_t room = sizeof result->output - 1;
    ssize_t got;

    if (result->size == room) {
        result->size = room / 2;
        memmove(result->output, result->output + room - result->size, result->size);
    }
    got = read(from, result->output + result->size, room - result->size);
    if (got <= 0)
        return false;
    result->size += (size_t)got;
    result->output[result->size] = '\0';
    return true;
}

/* Reads until `end`. False when the output has not ended by then. */
static bool read_until(int from, int64_t end, struct scratch_result *result)
{
    const struct timespec none = {0};

    for (;;) {
        struct pollfd wait = {.fd = from, .events = POLLIN};
        int64_t left = end - now_us();
        struct timespec time = {left / 1000000, left % 1000000 * 1000};

        if (ppoll(&wait, 1, left > 0 ? &time : &none, NULL) <= 0)
            return false;
        if (!take_output(from, result))
            return true;
    }
}

/* True when the program has ended by then. */
static bool wait_until(int64_t end, struct scratch_result *result)
{
    while (waitpid(result->pid, &result->status, WNOHANG) == 0) {
        if (now_us() > end)
            return false;
        usleep(200);
    }
    return true;
}

static void watch(const struct scratch_program *program, int output, struct scratch_result *result)
{
    int64_t start = now_us();
    int64_t end = start + (program->seconds ? program->seconds : 20) * INT64_C(1000000);

    if (program->kill_after && !read_until(output, start + program->kill_after, result))
        kill(result->pid, SIGKILL);
    if (read_until(output, end, result) && wait_until(end, result))
        return;
    result->late = true;
    kill(result->pid, SIGKILL);
    waitpid(result->pid, &result->status, 0);
}

/* Tells the shim through the log what the kernel reports. */
static void set_witness(const struct scratch_program *program)
{
    const uint32_t mode = program->witness;
    cleanup_close int file = open(program->log, O_WRONLY | O_CLOEXEC);

    if (pwrite(file, &mode, sizeof mode, offsetof(struct log_control, witness)) != sizeof mode)
        die_errno("cannot write to the log %s", program->log);
}

static void start(const struct scratch_program *program, int output, int socket,
                  struct scratch_result *result)
{
    if (program->log)
        set_witness(program);
    if (program->reports)
        witness_abis(); /* the filter needs them in the child, which must not allocate */
    result->pid = fork();
    if (result->pid < 0)
        die_errno("cannot start %s", program->argv[0]);
    if (result->pid == 0)
        become(program, output, socket);
}

void scratch_run(const struct scratch_program *program, struct scratch_result *result)
{
    int ends[2], sockets[2];
    struct listener *listener = NULL;

    memset(result, 0, sizeof *result);
    if (pipe2(ends, O_CLOEXEC) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        die_errno("cannot make a pipe");
    start(program, ends[1], sockets[1], result);
    close(ends[1]);
    close(sockets[1]);
    if (program->reports)
        listener = listener_start(result->pid, sockets[0]);
    watch(program, ends[0], result);
    if (listener)
        listener_finish(listener, program->reports);
    close(ends[0]);
    close(sockets[0]);
}

/* --- reading -------------------------------------------------------------------------------- */

static void keep(void *context, const struct record_view *view)
{
    struct scratch_records *records = context;
    struct scratch_record *record;

    if ((records->count & (records->count - 1)) == 0) {
        size_t room = records->count ? records->count * 2 : 1;

        records->list = xrealloc(records->list, room * sizeof *records->list);
    }
    record = &records->list[records->count++];
    record->head = *view->head;
    record->head.count = view->count;
    record->subject = xmemdup(view->subject, view->head->subject);
    record->other = xmemdup(view->other, view->head->other);
}

struct scratch_records scratch_read(const char *path)
{
    cleanup_close int file = open(path, O_RDWR | O_CLOEXEC);
    struct scratch_records records = {0};
    struct log_reader *reader;

    if (file < 0)
        die_errno("cannot open the log %s", path);
    reader = log_reader_new(file, false);
    while (log_reader_pass(reader, true, SIZE_MAX, keep, &records))
        ;
    records.damaged = log_reader_totals(reader).damaged;
    records.lost = log_reader_totals(reader).lost;
    log_reader_free(reader);
    return records;
}

void scratch_records_free(struct scratch_records *records)
{
    for (size_t i = 0; i < records->count; i++) {
        free(records->list[i].subject);
        free(records->list[i].other);
    }
    free(records->list);
    *records = (struct scratch_records){0};
}

bool scratch_matches(const char *text, const char *pattern)
{
    const char *star = strchr(pattern, '*');
    size_t before, after, length = strlen(text);

    if (!star)
        return strcmp(text, pattern) == 0;
    before = (size_t)(star - pattern);
    after = strlen(star + 1);
    return length >= before + after && strncmp(text, pattern, before) == 0 &&
           strcmp(text + length - after, star + 1) == 0;
}

uint64_t scratch_count(const struct scratch_records *records, enum event_kind kind,
                       const char *subject)
{
    uint64_t count = 0;

    for (size_t i = 0; i < records->count; i++)
        if (records->list[i].head.kind == kind &&
            scratch_matches(records->list[i].subject, subject))
            count += records->list[i].head.count;
    return count;
}
