/* SPDX-License-Identifier: MIT
 *
 * Whose an access is that the kernel saw: each story is told to the supervisor in every order in
 * which its records can be read.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hook_names.h"
#include "run_fixture.h"

static struct run_fixture run;

/* Who wrote the record: each has a chunk of its own. */
enum writer { PARENT, CHILD, OTHER, KERNEL, WRITERS };

struct event {
    enum writer writer;
    enum event_kind kind;
    uint64_t process;
    uint32_t pid;
    uint64_t value; /* START: START_* | from << 8; of the kernel: the parent's pid */
    const char *subject;
    int32_t error; /* START: the parent's pid */
    const char *function;
};

#define EVENTS_MAX 20

static struct log_writer writers[WRITERS];

static uint16_t number_of(const char *function)
{
    uint16_t hook = 0;

    while (function && strcmp(hook_name(hook), function) != 0 && strcmp(hook_name(hook), "?") != 0)
        hook++;
    return hook;
}

static void write_event(const struct event *event, size_t index)
{
    struct log_writer *writer = &writers[event->writer];
    struct record *record;

    writer->time = 1000 * (index + 1);
    record = log_writer_reserve(writer, strlen(event->subject));
    *record = (struct record){
        .word = record->word,
        .kind = (uint16_t)event->kind,
        .hook = event->writer == KERNEL ? 0 : number_of(event->function),
        .process = event->process,
        .pid = event->pid,
        .error = event->error,
        .flags = event->writer == KERNEL ? RECORD_WITNESS : 0,
        .time = writer->time,
        .value = event->value,
        .count = 1,
        .subject = (uint32_t)strlen(event->subject),
    };
    memcpy(record + 1, event->subject, record->subject);
    log_writer_commit(record);
}

static void open_writers(void)
{
    run_fixture_start(&run);
    for (int i = 0; i < WRITERS; i++)
        log_writer_open(&writers[i], run.log, 1, 0);
}

static void close_writers(void)
{
    for (int i = 0; i < WRITERS; i++) {
        if (writers[i].control)
            log_writer_close(&writers[i], true);
    }
}

static void expect(const char *how, const char *sql, const char *expected)
{
    const char *answer = run_fixture_ask(&run, sql);

    cr_expect_str_eq(answer, expected, "%s: \"%s\" and not \"%s\"", how, answer, expected);
}

/* What the kernel saw, each with whose it was; and the processes with their parents. */
static void check(const char *how, const char *accesses, const char *processes)
{
    close_writers();
    run_fixture_finish(&run);
    expect(how,
           "SELECT coalesce(group_concat(line, ', '), '') FROM (SELECT s.name || ' ' || a.count || "
           "': ' || p.pid || ' ' || p.how AS line FROM access a JOIN process p ON p.id = a.process "
           "JOIN subject s ON s.id = a.subject WHERE a.source = 1 ORDER BY s.name, p.started)",
           accesses);
    expect(how,
           "SELECT group_concat(line, ', ') FROM (SELECT p.pid || ' ' || p.how || ' ' || p.shim || "
           "coalesce(' of ' || o.pid || ' ' || o.how, '') AS line FROM process p "
           "LEFT JOIN process o ON o.id = p.parent ORDER BY p.started)",
           processes);
    run_fixture_remove(&run);
}

/* Everything is read at once, chunk after chunk in that order, or one chunk in each pass while
 * nothing is known to be complete. */
static void tell_by_chunks(const struct event *events, size_t count, const int order[WRITERS],
                           bool passes)
{
    open_writers();
    for (int i = 0; i < WRITERS; i++) {
        for (size_t j = 0; j < count; j++) {
            if (events[j].writer == (enum writer)order[i])
                write_event(&events[j], j);
        }
        log_writer_close(&writers[order[i]], true);
        if (passes)
            run_fixture_pass(&run, false, 1);
    }
}

/* As it happens: a pass after every `step` records, which are in chunks that are still written to,
 * and sealed only at the end, or as soon as they hold a record. */
static void tell_as_it_happens(const struct event *events, size_t count, size_t step, bool sealed)
{
    open_writers();
    for (size_t i = 0; i < count; i++) {
        write_event(&events[i], i);
        if (sealed) {
            log_writer_close(&writers[events[i].writer], true);
            log_writer_open(&writers[events[i].writer], run.log, 1, 0);
        }
        if (i % step == 0)
            run_fixture_pass(&run, false, 1000 * (i + 1) + 1);
    }
}

static void next_order(int order[WRITERS], int number)
{
    int left[WRITERS], radix = 1;

    for (int i = 0; i < WRITERS; i++)
        left[i] = i;
    for (int i = WRITERS; i > 0; i--) {
        int at = number / radix % i;

        order[WRITERS - i] = left[at];
        memmove(&left[at], &left[at + 1], (size_t)(WRITERS - at - 1) * sizeof *left);
        radix *= i;
    }
}

/* Orders that differ only in where those stand who wrote nothing are one: the first of them. */
static bool is_new(const int order[WRITERS], const struct event *events, size_t count)
{
    bool wrote[WRITERS] = {false};
    int silent = -1;

    for (size_t i = 0; i < count; i++)
        wrote[events[i].writer] = true;
    for (int i = 0; i < WRITERS; i++) {
        if (wrote[order[i]])
            continue;
        if (order[i] < silent || (i > 0 && wrote[order[i - 1]]))
            return false;
        silent = order[i];
    }
    return true;
}

static void story(const struct event *events, const char *accesses, const char *processes)
{
    size_t count = 0;
    char how[60];

    while (count < EVENTS_MAX && events[count].subject)
        count++;
    for (int number = 0; number < 24; number++) {
        int order[WRITERS];

        next_order(order, number);
        if (!is_new(order, events, count))
            continue;
        snprintf(how, sizeof how, "order %d%d%d%d", order[0], order[1], order[2], order[3]);
        tell_by_chunks(events, count, order, false);
        check(how, accesses, processes);
        tell_by_chunks(events, count, order, true);
        strcat(how, ", in passes");
        check(how, accesses, processes);
    }
    for (size_t step = 1; step <= 3; step++) {
        snprintf(how, sizeof how, "a pass after %zu", step);
        tell_as_it_happens(events, count, step, false);
        check(how, accesses, processes);
        tell_as_it_happens(events, count, step, true);
        strcat(how, ", sealed");
        check(how, accesses, processes);
    }
}

#define START(process, pid, parent, from, exe)                                                     \
    EVENT_PROCESS_START, process, pid, START_EXECUTED | (uint64_t)(from) << 8, exe, parent, NULL
#define FORK(process, pid, parent, from)                                                           \
    EVENT_PROCESS_START, process, pid, START_FORKED | (from) << 8, "/bin/sh", parent, NULL
#define EXEC(process, pid, execution, path)                                                        \
    EVENT_EXECUTE, process, pid, execution, path, 0, "execve"
#define SPAWN(process, pid, execution, path)                                                       \
    EVENT_EXECUTE, process, pid, execution, path, 0, "posix_spawn"
#define FAILED(process, pid, execution)                                                            \
    EVENT_EXECUTE_FAILED, process, pid, execution, "", ENOENT, "execve"
#define ENDED(process, pid, child)        EVENT_PROCESS_EXIT, process, pid, child, "", 0, "waitpid"
#define SAW(pid, parent, path)            EVENT_READ, 0, pid, parent, path, 0, NULL
#define SAW_EXEC(pid, parent, path)       EVENT_EXECUTE, 0, pid, parent, path, 0, NULL
#define SAW_NO_PROGRAM(pid, parent, path) EVENT_EXECUTE, 0, pid, parent, path, ENOENT, NULL
#define IMAGE(process, pid, parent, from, class, exe)                                              \
    EVENT_PROCESS_START, process, pid,                                                             \
        START_EXECUTED | (class) << START_CLASS_SHIFT | (uint64_t)(from) << 8, exe, parent, NULL
#define STORY(name, accesses, processes, ...)                                                      \
    Test(attribution, name)                                                                        \
    {                                                                                              \
        static const struct event events[EVENTS_MAX] = {                                           \
            {PARENT, START(1, 100, 99, 0, "/bin/make")}, __VA_ARGS__};                             \
                                                                                                   \
        story(events, accesses, processes);                                                        \
    }

STORY(what_an_image_does_is_its_own, "/a 1: 100 first, /b 1: 100 first", "100 first loaded",
      {KERNEL, SAW(100, 99, "/a")}, {KERNEL, SAW(100, 99, "/b")})

STORY(what_a_loader_does_before_the_image_reports_is_the_images,
      "/a 1: 100 first, /ld.so.cache 1: 100 exec, /z 1: 100 exec",
      "100 first loaded, 100 exec loaded of 100 first", {KERNEL, SAW(100, 99, "/a")},
      {PARENT, EXEC(1, 100, 2, "/bin/cc")}, {KERNEL, SAW(100, 99, "/ld.so.cache")},
      {CHILD, START(3, 100, 99, 2, "/bin/cc")}, {KERNEL, SAW(100, 99, "/z")})

STORY(a_vfork_child_that_runs_a_program_hands_it_its_loaders_accesses,
      "/a 1: 100 first, /ld.so.cache 1: 101 spawn",
      "100 first loaded, 101 spawn loaded of 100 first", {PARENT, EXEC(1, 101, 2, "/bin/cc")},
      {KERNEL, SAW(101, 100, "/ld.so.cache")}, {CHILD, START(3, 101, 100, 2, "/bin/cc")},
      {KERNEL, SAW(100, 99, "/a")}, {PARENT, ENDED(1, 100, 101)})

STORY(the_exec_that_only_the_kernel_saw_in_a_spawned_child_is_its_parents,
      "/bin/cc 1: 100 first, /ld.so.cache 1: 101 spawn, /z 1: 101 spawn",
      "100 first loaded, 101 spawn loaded of 100 first", {PARENT, SPAWN(1, 100, 2, "/bin/cc")},
      {KERNEL, SAW_EXEC(101, 100, "/bin/cc")}, {KERNEL, SAW(101, 100, "/ld.so.cache")},
      {CHILD, START(3, 101, 100, 2, "/bin/cc")}, {KERNEL, SAW(101, 100, "/z")},
      {PARENT, ENDED(1, 100, 101)})

STORY(a_failed_search_along_path_leaves_the_image_as_it_is,
      "/bin/cc 1: 101 fork, /usr/bin/cc 1: 101 fork, /w 1: 101 fork, /x 1: 101 fork, /y 1: 101 "
      "fork, /z 1: 101 exec",
      "100 first loaded, 101 fork loaded of 100 first, 101 exec loaded of 101 fork",
      {CHILD, FORK(2, 101, 100, 1)}, {CHILD, EXEC(2, 101, 3, "/bin/cc")},
      {KERNEL, SAW_NO_PROGRAM(101, 100, "/bin/cc")}, {CHILD, FAILED(2, 101, 3)},
      {KERNEL, SAW(101, 100, "/w")}, {KERNEL, SAW(101, 100, "/x")},
      {CHILD, EXEC(2, 101, 4, "/usr/bin/cc")}, {KERNEL, SAW_EXEC(101, 100, "/usr/bin/cc")},
      {CHILD, FAILED(2, 101, 4)}, {KERNEL, SAW(101, 100, "/y")},
      {CHILD, EXEC(2, 101, 5, "/opt/cc")}, {KERNEL, SAW(101, 100, "/z")},
      {OTHER, START(6, 101, 100, 5, "/opt/cc")})

STORY(what_a_child_did_before_it_reported_is_its_own, "/a 1: 101 fork, /b 1: 101 fork",
      "100 first loaded, 101 fork loaded of 100 first", {KERNEL, SAW(101, 100, "/a")},
      {CHILD, FORK(2, 101, 100, 1)}, {KERNEL, SAW(101, 100, "/b")})

STORY(a_number_that_is_used_again_is_another_process,
      "/a 1: 101 fork, /b 1: 101 fork, /c 1: 101 fork",
      "100 first loaded, 101 fork loaded of 100 first, 101 fork loaded of 100 first",
      {CHILD, FORK(2, 101, 100, 1)}, {KERNEL, SAW(101, 100, "/a")}, {PARENT, ENDED(1, 100, 101)},
      {KERNEL, SAW(101, 100, "/b")}, {OTHER, FORK(3, 101, 100, 1)}, {KERNEL, SAW(101, 100, "/c")})

STORY(a_child_that_never_reports_gets_a_row_when_it_was_waited_for,
      "/a 2: 101 fork, /b 1: 101 fork", "100 first loaded, 101 fork loaded of 100 first",
      {KERNEL, SAW(101, 100, "/a")}, {KERNEL, SAW(101, 100, "/b")}, {KERNEL, SAW(101, 100, "/a")},
      {PARENT, ENDED(1, 100, 101)})

STORY(a_child_that_never_reports_gets_a_row_at_the_end,
      "/a 1: 101 fork, /b 1: 102 fork, /c 1: 101 fork",
      "100 first loaded, 101 fork loaded of 100 first, 102 fork loaded of 101 fork",
      {KERNEL, SAW(101, 100, "/a")}, {KERNEL, SAW(102, 101, "/b")}, {KERNEL, SAW(101, 100, "/c")})

STORY(a_process_that_dies_before_it_reports_has_its_loaders_accesses,
      "/a 1: 101 fork, /ld.so.cache 1: 101 unobserved",
      "100 first loaded, 101 fork loaded of 100 first, 101 unobserved stripped of 101 fork",
      {CHILD, FORK(2, 101, 100, 1)}, {KERNEL, SAW(101, 100, "/a")},
      {CHILD, EXEC(2, 101, 3, "/bin/cc")}, {KERNEL, SAW(101, 100, "/ld.so.cache")},
      {PARENT, ENDED(1, 100, 101)})

STORY(an_image_without_shim_is_announced_by_the_witness,
      "/a 1: 101 spawn, /b 1: 101 spawn, /opt/go 1: 100 first",
      "100 first loaded, 101 spawn static of 100 first", {PARENT, EXEC(1, 101, 2, "/opt/go")},
      {KERNEL, SAW_EXEC(101, 100, "/opt/go")},
      {KERNEL, IMAGE(3, 101, 100, 2, IMAGE_STATIC, "/opt/go")}, {KERNEL, SAW(101, 100, "/a")},
      {KERNEL, EVENT_READ, 3, 101, 100, "/b", 0, NULL})

/* A static program hands its own TALLYMAN_RUN on to whatever it starts. */
STORY(a_program_started_by_a_static_one_is_its_child_in_spite_of_the_same_token,
      "/bin/cc 1: 101 spawn, /ld.so.cache 1: 102 spawn, /opt/go 1: 100 first",
      "100 first loaded, 101 spawn static of 100 first, 102 spawn loaded of 101 spawn",
      {PARENT, EXEC(1, 101, 2, "/opt/go")}, {KERNEL, SAW_EXEC(101, 100, "/opt/go")},
      {KERNEL, IMAGE(3, 101, 100, 2, IMAGE_STATIC, "/opt/go")},
      {KERNEL, SAW_EXEC(102, 101, "/bin/cc")}, {KERNEL, SAW(102, 101, "/ld.so.cache")},
      {CHILD, START(4, 102, 101, 2, "/bin/cc")})

STORY(a_program_that_a_static_one_becomes_is_its_successor,
      "/bin/cc 1: 101 spawn, /ld.so.cache 1: 101 exec",
      "100 first loaded, 101 spawn static of 100 first, 101 exec loaded of 101 spawn",
      {PARENT, EXEC(1, 101, 2, "/opt/go")},
      {KERNEL, IMAGE(3, 101, 100, 2, IMAGE_STATIC, "/opt/go")},
      {KERNEL, SAW_EXEC(101, 100, "/bin/cc")}, {KERNEL, SAW(101, 100, "/ld.so.cache")},
      {CHILD, START(4, 101, 100, 2, "/bin/cc")})

STORY(a_static_program_that_starts_another_with_the_same_token_is_its_parent,
      "/opt/ar 1: 101 spawn",
      "100 first loaded, 101 spawn static of 100 first, 102 spawn static of 101 spawn",
      {PARENT, EXEC(1, 101, 2, "/opt/go")},
      {KERNEL, IMAGE(3, 101, 100, 2, IMAGE_STATIC, "/opt/go")},
      {KERNEL, SAW_EXEC(102, 101, "/opt/ar")},
      {KERNEL, IMAGE(4, 102, 101, 2, IMAGE_STATIC, "/opt/ar")})

STORY(a_child_of_a_static_program_is_a_fork_until_it_runs_another,
      "/a 1: 102 fork, /b 1: 102 fork, /bin/cc 1: 102 fork, /ld.so.cache 1: 102 exec",
      "100 first loaded, 101 spawn static of 100 first, 102 fork static of 101 spawn, 102 exec "
      "loaded of 102 fork",
      {PARENT, EXEC(1, 101, 2, "/opt/sh")},
      {KERNEL, IMAGE(3, 101, 100, 2, IMAGE_STATIC, "/opt/sh")}, {KERNEL, SAW(102, 101, "/a")},
      {KERNEL, SAW(102, 101, "/b")}, {KERNEL, SAW_EXEC(102, 101, "/bin/cc")},
      {KERNEL, SAW(102, 101, "/ld.so.cache")}, {CHILD, START(4, 102, 101, 2, "/bin/cc")})

STORY(an_image_whose_environment_had_no_token_is_found_by_its_pid, "/opt/go 1: 101 fork",
      "100 first loaded, 101 fork loaded of 100 first, 101 exec static of 101 fork",
      {CHILD, FORK(2, 101, 100, 1)}, {KERNEL, SAW_EXEC(101, 100, "/opt/go")},
      {KERNEL, IMAGE(3, 101, 100, RUN_NO_EXECUTION, IMAGE_STATIC, "/opt/go")})

/* The kernel tells of the same call once more, and the shim's token is not handed to what it does
 * not fit. */
STORY(an_image_of_another_c_library_is_what_its_call_became, "/opt/musl 1: 101 fork",
      "100 first loaded, 101 fork loaded of 100 first, 101 exec foreign_libc of 101 fork",
      {CHILD, FORK(2, 101, 100, 1)}, {CHILD, EXEC(2, 101, 3, "/opt/musl")},
      {KERNEL, SAW_EXEC(101, 100, "/opt/musl")},
      {KERNEL, IMAGE(4, 101, 100, RUN_NO_EXECUTION, IMAGE_FOREIGN_LIBC, "/opt/musl")})

STORY(two_images_of_another_c_library_that_are_spawned_are_what_their_calls_became,
      "/opt/musl 2: 100 first",
      "100 first loaded, 101 spawn foreign_libc of 100 first, 102 spawn foreign_libc of 100 first",
      {PARENT, SPAWN(1, 100, 3, "/opt/musl")}, {PARENT, SPAWN(1, 100, 4, "/opt/musl")},
      {KERNEL, SAW_EXEC(101, 100, "/opt/musl")},
      {KERNEL, IMAGE(5, 101, 100, RUN_NO_EXECUTION, IMAGE_FOREIGN_LIBC, "/opt/musl")},
      {KERNEL, SAW_EXEC(102, 100, "/opt/musl")},
      {KERNEL, IMAGE(6, 102, 100, RUN_NO_EXECUTION, IMAGE_FOREIGN_LIBC, "/opt/musl")})
