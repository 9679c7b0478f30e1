/* SPDX-License-Identifier: MIT
 *
 * Every call that the shim itself makes to the kernel fails once, with each error that it can have:
 * the program does and prints what it does without the shim, and what is then missing in the log is
 * known to be.
 *
 * TALLYMAN_LONG in the environment: no call is left out.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail_page.h"
#include "scratch.h"

#define SMOOTH 60 /* calls at the start of a run of which none is left out */

static struct fail_page *page;
static char folder[] = "/tmp/tallyman-faults-XXXXXX";
static char log_file[64];
static struct scratch_result plain, result;
static struct scratch_records wanted;

static void run(const char *work, const char *shim)
{
    const char *const argv[] = {WORK_PROGRAM, work, NULL};
    const struct scratch_program program = {
        .argv = argv, .log = shim ? log_file : NULL, .shim = shim, .folder = folder, .seconds = 20};

    scratch_log(log_file, 0);
    page->calls = page->choices = 0;
    scratch_run(&program, shim ? &result : &plain);
}

static void write_script(void)
{
    char path[64];
    FILE *file;

    snprintf(path, sizeof path, "%s/script", folder);
    file = fopen(path, "w");
    cr_assert(file && fputs("#!/bin/sh\nenv\necho from a script\n", file) >= 0 &&
              fclose(file) == 0);
    chmod(path, 0755);
    snprintf(path, sizeof path, "%s/here", folder);
    close(open(path, O_WRONLY | O_CREAT, 0600));
}

static void prepare(void)
{
    char path[64];
    int file;

    cr_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/" FAULT_PAGE_FILE, folder);
    file = open(path, O_RDWR | O_CREAT, 0600);
    cr_assert(file >= 0 && ftruncate(file, sizeof *page) == 0);
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    cr_assert(page != MAP_FAILED);
    snprintf(log_file, sizeof log_file, "%s/log", folder);
    write_script();
    clearenv();
    setenv("PATH", "/usr/bin:/bin", 1);
    setenv("FAULTS", "1", 1);
}

static void clean_up(void)
{
    char command[96];

    page->fail_at = 0;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

TestSuite(shim_faults, .init = prepare, .fini = clean_up, .timeout = 3000);

/* --- what the log says ---------------------------------------------------------------------- */

static bool is_same(const struct scratch_record *a, const struct scratch_record *b)
{
    return a->head.kind == b->head.kind && a->head.error == b->head.error &&
           strcmp(a->subject, b->subject) == 0;
}

/* Of one process to the next these differ. */
static bool is_comparable(const struct scratch_record *record)
{
    return record->head.kind != EVENT_PROCESS_START && record->head.kind != EVENT_PROCESS_EXIT &&
           record->head.kind != EVENT_ENVIRONMENT_BLOCK &&
           record->head.kind != EVENT_EXECUTE_FAILED && record->head.kind != EVENT_EXECUTE;
}

static const struct scratch_record *missing(const struct scratch_records *got)
{
    for (size_t i = 0; i < wanted.count; i++) {
        size_t at = 0;

        while (at < got->count && !is_same(&wanted.list[i], &got->list[at]))
            at++;
        if (at == got->count && is_comparable(&wanted.list[i]))
            return &wanted.list[i];
    }
    return NULL;
}

static bool has_started(const struct scratch_records *got, uint64_t execution)
{
    for (size_t i = 0; i < got->count; i++) {
        const struct record *head = &got->list[i].head;

        if ((head->kind == EVENT_PROCESS_START &&
             head->value == (execution << 8 | START_EXECUTED)) ||
            (head->kind == EVENT_EXECUTE_FAILED && head->value == execution))
            return true;
    }
    return false;
}

/* What makes the evidence of a run incomplete: records counted as lost or unreadable, paths without
 * their folder, programs that did not report in. */
static bool is_known_to_be_incomplete(const struct scratch_records *got)
{
    if (got->lost || got->damaged || !has_started(got, 0))
        return true;
    for (size_t i = 0; i < got->count; i++) {
        const struct record *head = &got->list[i].head;

        if (head->flags & (RECORD_UNREADABLE | RECORD_UNRESOLVED))
            return true;
        if (head->kind == EVENT_EXECUTE && !has_started(got, head->value))
            return true;
    }
    return false;
}

/* The first line that differs. */
static const char *other_line(void)
{
    static char text[200];
    size_t start = 0, at = 0;

    for (; result.output[at] && result.output[at] == plain.output[at]; at++)
        if (result.output[at] == '\n')
            start = at + 1;
    snprintf(text, sizeof text, "%.*s in place of %.*s", (int)strcspn(result.output + start, "\n"),
             result.output + start, (int)strcspn(plain.output + start, "\n"), plain.output + start);
    return text;
}

/* --- the runs ------------------------------------------------------------------------------- */

static void judge_run(const char *work)
{
    struct scratch_records got;
    const struct scratch_record *lack;

    cr_expect(!result.late, "%s hangs: call %d, %s with %s", work, (int)page->fail_at, page->failed,
              strerror(page->error));
    cr_expect_eq(result.status, plain.status, "%s: status %x, call %d, %s with %s", work,
                 (unsigned)result.status, (int)page->fail_at, page->failed, strerror(page->error));
    cr_expect(strcmp(result.output, plain.output) == 0, "%s: %s, call %d, %s with %s", work,
              other_line(), (int)page->fail_at, page->failed, strerror(page->error));
    got = scratch_read(log_file);
    cr_expect_eq(got.damaged, 0, "%s: a torn record, call %d, %s with %s", work, (int)page->fail_at,
                 page->failed, strerror(page->error));
    lack = missing(&got);
    cr_expect(!lack || is_known_to_be_incomplete(&got),
              "%s: nothing says that kind %d of %s is missing, call %d, %s with %s", work,
              lack ? lack->head.kind : 0, lack ? lack->subject : "", (int)page->fail_at,
              page->failed, strerror(page->error));
    scratch_records_free(&got);
}

/* The first calls, those of a process's start, one by one; later about `runs` of them. */
static uint64_t step_after(uint64_t at, uint64_t calls, uint64_t runs)
{
    if (at < SMOOTH || getenv("TALLYMAN_LONG") || calls < SMOOTH + runs)
        return 1;
    return (calls - SMOOTH) / runs + (uint64_t)random() % 2;
}

static void fail_each(const char *work, uint64_t runs)
{
    uint64_t calls;
    int injected = 0;

    page->fail_at = 0;
    run(work, NULL);
    run(work, FAULTY_SHIM);
    calls = page->calls;
    cr_assert_gt(calls, 10);
    cr_assert_str_eq(result.output, plain.output);
    wanted = scratch_read(log_file);
    cr_assert_eq(wanted.lost, 0);
    for (uint64_t at = 1; at <= calls; at += step_after(at, calls, runs))
        for (page->choice = 0;; page->choice++) {
            page->fail_at = at;
            run(work, FAULTY_SHIM);
            if (page->choices) {
                injected++;
                judge_run(work);
            }
            if (page->choice + 1 >= page->choices)
                break;
        }
    cr_log_info("%s: %d failures in %d calls\n", work, injected, (int)calls);
    scratch_records_free(&wanted);
}

Test(shim_faults, a_program_that_uses_files_is_not_disturbed_by_a_call_that_fails)
{
    fail_each("files", 60);
}

Test(shim_faults, a_program_that_starts_others_is_not_disturbed_by_a_call_that_fails)
{
    fail_each("children", 120);
}

Test(shim_faults, a_program_with_threads_is_not_disturbed_by_a_call_that_fails)
{
    fail_each("threads", 30);
}
