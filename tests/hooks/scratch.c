/* SPDX-License-Identifier: MIT */
#include "scratch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "die.h"
#include "log_reader.h"

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
        snprintf(text, sizeof text, "%s:%016x", program->log, 0);
        setenv(TALLYMAN_RUN_VARIABLE, text, 1);
    }
}

static void become(const struct scratch_program *program, int output)
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
    execvp(program->argv[0], (char *const *)(uintptr_t)program->argv);
    _exit(127);
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads to the end of the output, or to the end of the program's time. */
static void collect(int from, int64_t end, struct scratch_result *result)
{
    while (result->size < sizeof result->output - 1) {
        struct pollfd wait = {.fd = from, .events = POLLIN};
        int64_t left = end - now_ms();
        ssize_t got;

        if (left <= 0 || poll(&wait, 1, (int)left) == 0) {
            result->late = true;
            return;
        }
        got = read(from, result->output + result->size, sizeof result->output - 1 - result->size);
        if (got <= 0)
            return;
        result->size += (size_t)got;
    }
}

void scratch_run(const struct scratch_program *program, struct scratch_result *result)
{
    int64_t end = now_ms() + (program->seconds ? program->seconds : 20) * 1000;
    int ends[2];

    *result = (struct scratch_result){0};
    if (pipe2(ends, O_CLOEXEC) != 0)
        die_errno("cannot make a pipe");
    result->pid = fork();
    if (result->pid < 0)
        die_errno("cannot start %s", program->argv[0]);
    if (result->pid == 0)
        become(program, ends[1]);
    close(ends[1]);
    collect(ends[0], end, result);
    close(ends[0]);
    if (!result->late)
        while (waitpid(result->pid, &result->status, WNOHANG) == 0) {
            if (now_ms() > end) {
                result->late = true;
                break;
            }
            usleep(200);
        }
    if (result->late) {
        kill(result->pid, SIGKILL);
        waitpid(result->pid, &result->status, 0);
    }
}

/* --- reading -------------------------------------------------------------------------------- */

static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);

    if (!copy)
        die("out of memory");
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static void keep(void *context, const struct record_view *view)
{
    struct scratch_records *records = context;
    struct scratch_record *record;

    if ((records->count & (records->count - 1)) == 0) {
        size_t room = records->count ? records->count * 2 : 1;

        records->list = realloc(records->list, room * sizeof *records->list);
        if (!records->list)
            die("out of memory");
    }
    record = &records->list[records->count++];
    record->head = *view->head;
    record->head.count = view->count;
    record->subject = copy_text(view->subject, view->head->subject);
    record->other = copy_text(view->other, view->head->other);
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
