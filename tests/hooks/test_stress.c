/* SPDX-License-Identifier: MIT
 *
 * Programs that are hard on a preloaded library (stress.c), under the shim: they behave as without
 * it, and nothing is missing in the log.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"

struct stress {
    char log[64];
    struct scratch_result result;
    struct scratch_records records;
};

static struct stress stress;

static void run_with(const char *mode, const char *shim, unsigned seconds, unsigned kill_after)
{
    const char *const argv[] = {STRESS_PROGRAM, mode, NULL};
    const struct scratch_program program = {.argv = argv,
                                            .log = shim ? stress.log : NULL,
                                            .shim = shim,
                                            .seconds = seconds,
                                            .kill_after = kill_after,
                                            .folder = "/tmp"};

    snprintf(stress.log, sizeof stress.log, "/dev/shm/tallyman-stress.%d", (int)getpid());
    scratch_log(stress.log, 0);
    scratch_run(&program, &stress.result);
    scratch_records_free(&stress.records);
    stress.records = scratch_read(stress.log);
    unlink(stress.log);
}

static void run(const char *mode, unsigned seconds)
{
    run_with(mode, TEST_SHIM, seconds, 0);
    cr_expect(!stress.result.late, "%s was not done after %u seconds", mode, seconds);
    cr_expect(stress.result.late || stress.result.status == 0, "%s ended with %x", mode,
              stress.result.status);
    cr_expect(stress.records.lost == 0, "%d records were lost", (int)stress.records.lost);
}

static uint64_t count(enum event_kind kind, const char *subject)
{
    return scratch_count(&stress.records, kind, subject);
}

Test(stress, two_thousand_forks_beside_four_busy_threads, .timeout = 120)
{
    run("fork-beside-threads", 60);
    cr_expect_str_eq(stress.result.output, "ok\n");
    cr_expect_eq(count(EVENT_READ, "/etc/hosts"), 2000);
    cr_expect_eq(stress.records.damaged, 0);
}

Test(stress, calls_in_a_fast_handler_and_those_it_interrupts_are_all_counted, .timeout = 120)
{
    int bad = -1, handled = -1;

    run("timer", 60);
    cr_expect(sscanf(stress.result.output, "%d %d", &bad, &handled) == 2);
    cr_expect_eq(bad, 0);
    cr_expect_gt(handled, 0);
    cr_expect_eq(count(EVENT_READ, "/etc/hostname"), 200000, "%d opens of 200000 in the log",
                 (int)count(EVENT_READ, "/etc/hostname"));
    cr_expect_eq(count(EVENT_READ, "/etc/hosts"), (uint64_t)handled, "%d opens of %d in the log",
                 (int)count(EVENT_READ, "/etc/hosts"), handled);
    cr_expect_eq(stress.records.damaged, 0);
}

Test(stress, eight_threads_may_make_the_first_call_at_once, .timeout = 120)
{
    char name[32];

    for (int i = 0; i < 200; i++) {
        run("start-at-once", 5);
        for (int thread = 0; thread < 8; thread++) {
            snprintf(name, sizeof name, "/tmp/absent-%d", thread);
            cr_expect_eq(count(EVENT_ACCESS, name), 1, "run %d: %s stands %d times in the log", i,
                         name, (int)count(EVENT_ACCESS, name));
        }
        cr_expect_eq(count(EVENT_CLOCK_READ, "realtime"), 8);
        cr_expect_eq(count(EVENT_PROCESS_START, "*"), 1, "run %d: %d starts", i,
                     (int)count(EVENT_PROCESS_START, "*"));
    }
}

/* Marks names of the form PREFIX-THREAD-NUMBER in `seen`; returns how many were there twice or make
 * no sense. */
static int mark_names(unsigned char *seen, int threads, int each)
{
    int wrong = 0;

    for (size_t i = 0; i < stress.records.count; i++) {
        const struct scratch_record *record = &stress.records.list[i];
        int thread, at;

        if (record->head.kind != EVENT_ACCESS || !strstr(record->subject, "/name-"))
            continue;
        if (sscanf(record->subject, "/tmp/name-%d-%d", &thread, &at) != 2 || thread >= threads ||
            at >= each || record->head.count != 1 || seen[thread * each + at]++)
            wrong++;
    }
    return wrong;
}

Test(stress, no_name_of_many_threads_is_lost_or_doubled, .timeout = 60)
{
    static unsigned char seen[8 * 5000];
    int missing = 0;

    run("distinct-names", 30);
    cr_expect_eq(mark_names(seen, 8, 5000), 0);
    for (size_t i = 0; i < sizeof seen; i++)
        missing += !seen[i];
    cr_expect_eq(missing, 0, "%d of 40000 names are missing", missing);
    cr_expect_eq(stress.records.damaged, 0);
}

Test(stress, a_handler_may_jump_out_of_wrapped_calls, .timeout = 60)
{
    run("jump-out", 30);
    cr_expect_str_eq(stress.result.output, "done\n");
    cr_expect_eq(count(EVENT_ACCESS, "/tmp/after"), 1);
    cr_expect_gt(count(EVENT_ACCESS, "/tmp/jumped-*"), 1000);
}

Test(stress, threads_may_be_cancelled_inside_wrapped_calls, .timeout = 60)
{
    run("cancel", 30);
    cr_expect_str_eq(stress.result.output, "done\n");
    cr_expect_eq(count(EVENT_ACCESS, "/tmp/after"), 1);
}

Test(stress, a_handler_on_a_small_stack_may_make_wrapped_calls)
{
    run("small-stack", 10);
    cr_expect_str_eq(stress.result.output, "ran 1\n");
    cr_expect_eq(count(EVENT_READ, "/tmp/absent-on-small-stack"), 1);
    cr_expect_eq(count(EVENT_ACCESS, "/tmp/absent-there"), 1);
}

static void expect_all_up_to(int last, int run_number)
{
    unsigned char *seen = calloc((size_t)last + 1, 1);
    int missing = 0;

    cr_assert(seen != NULL);
    for (size_t i = 0; i < stress.records.count; i++) {
        int at;

        if (sscanf(stress.records.list[i].subject, "/tmp/killed-%d", &at) == 1 && at <= last)
            seen[at] = 1;
    }
    for (int i = 0; i <= last; i++)
        missing += !seen[i];
    cr_expect_eq(missing, 0, "run %d: %d of %d calls that had returned are not in the log",
                 run_number, missing, last + 1);
    free(seen);
}

Test(stress, what_had_returned_before_sigkill_is_in_the_log, .timeout = 120)
{
    int reached = 0;

    srandom(1);
    for (int i = 0; i < 200; i++) {
        const char *line;
        int last;

        run_with("count-aloud", TEST_SHIM, 10, 2000 + (unsigned)(random() % 20000));
        cr_expect(WIFSIGNALED(stress.result.status));
        cr_expect_eq(stress.records.lost, 0);
        line = stress.result.output + stress.result.size;
        if (stress.result.size < 15 || sscanf(line - 15, "killed-%d", &last) != 1)
            continue; /* killed before its first call */
        reached++;
        expect_all_up_to(last, i);
    }
    cr_expect_gt(reached, 50, "only %d runs got as far as a call", reached);
}

static void expect_same(const char *mode)
{
    static char plain[sizeof stress.result.output];

    run_with(mode, NULL, 20, 0);
    strcpy(plain, stress.result.output);
    run_with(mode, TEST_SHIM, 20, 0);
    cr_expect_str_eq(stress.result.output, plain);
    cr_expect_eq(stress.result.status, 0);
}

Test(stress, a_vfork_child_may_change_the_environment)
{
    unsetenv("CHILD");
    expect_same("vfork-environment");
    cr_expect_eq(count(EVENT_PROCESS_START, "/usr/bin/env"), 2, "%d programs reported in",
                 (int)count(EVENT_PROCESS_START, "/usr/bin/env"));
}

Test(stress, a_program_without_a_free_descriptor_goes_on_and_the_loss_is_counted)
{
    run_with("no-descriptors", TEST_SHIM, 20, 0);
    cr_expect_str_eq(stress.result.output, "done\n");
    cr_expect_geq(count(EVENT_READ, "/tmp/no-descriptors-*") + stress.records.lost, 2000);
    cr_expect_gt(stress.records.lost, 0);
}
