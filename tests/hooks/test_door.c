/* SPDX-License-Identifier: MIT
 *
 * What the kernel reports of a program under the shim, by the supervisor's own filter: nothing that
 * the shim records itself or does for itself, and all else.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scratch.h"

static struct {
    char folder[64], log[96];
    struct scratch_result result;
    struct scratch_records records;
    struct listener_reports reports;
} run;

static void set_up(void)
{
    strcpy(run.folder, "/tmp/tallyman-door.XXXXXX");
    cr_assert(mkdtemp(run.folder) != NULL);
    snprintf(run.log, sizeof run.log, "%s.log", run.folder);
}

static void tear_down(void)
{
    char command[192];

    snprintf(command, sizeof command, "rm -rf %s %s", run.folder, run.log);
    cr_expect(system(command) == 0);
    scratch_records_free(&run.records);
    listener_reports_free(&run.reports);
}

TestSuite(door, .init = set_up, .fini = tear_down, .timeout = 60);

static void run_program(const char *program, const char *shim, const char *mode, const char *more,
                        enum witness_mode witness)
{
    const char *const argv[] = {program, mode, more, NULL};
    const struct scratch_program how = {.argv = argv,
                                        .log = run.log,
                                        .shim = shim,
                                        .folder = run.folder,
                                        .witness = witness,
                                        .reports = &run.reports};

    scratch_log(run.log, 0);
    scratch_run(&how, &run.result);
    run.records = scratch_read(run.log);
    cr_expect(run.result.status == 0 && !run.result.late, "%s: status %x, \"%s\"", mode,
              run.result.status, run.result.output);
    cr_expect(run.records.lost == 0 && run.records.damaged == 0);
}

static void run_mode(const char *mode)
{
    run_program(DOOR_PROGRAM, TEST_SHIM, mode, NULL, WITNESS_GAPS);
}

/* Reports of paths that start so. */
static size_t reported(const char *start)
{
    size_t count = 0;

    for (size_t i = 0; i < run.reports.count; i++) {
        const char *path = run.reports.list[i].path;

        path = strncmp(path, "./", 2) == 0 ? path + 2 : path;
        count += strncmp(path, start, strlen(start)) == 0;
    }
    return count;
}

static uint64_t recorded(enum event_kind kind, const char *name)
{
    char path[192];

    snprintf(path, sizeof path, "%s/%s", run.folder, name);
    return scratch_count(&run.records, kind, path);
}

static void expect_no_reports(const char *start)
{
    for (size_t i = 0; i < run.reports.count; i++)
        cr_expect(strncmp(run.reports.list[i].path, start, strlen(start)) != 0,
                  "the kernel reported %s of %s", run.reports.list[i].call,
                  run.reports.list[i].path);
}

static void expect_nothing_of_the_shims_own(void)
{
    expect_no_reports(run.log);
    expect_no_reports("/proc/");
}

static void expect_raw_calls(void)
{
    cr_expect_eq(listener_count(&run.reports, "openat", "raw-open"), 1);
    cr_expect_eq(listener_count(&run.reports, "readlink", "raw-readlink"), 1);
    cr_expect_eq(listener_count(&run.reports, "access", "raw-access"), 1);
}

Test(door, what_the_shim_records_is_not_reported_and_what_it_does_not_make_is)
{
    run_mode("all");
    expect_no_reports("door-");
    expect_nothing_of_the_shims_own();
    expect_raw_calls();
    cr_expect_eq(recorded(EVENT_STAT, "door-file"), 1);
    cr_expect_eq(recorded(EVENT_ACCESS, "door-absent"), 1);
    cr_expect_eq(recorded(EVENT_RENAME, "door-file"), 1);
}

Test(door, a_fully_witnessed_run_reports_every_call_but_the_shims_own)
{
    run_program(DOOR_PROGRAM, TEST_SHIM, "all", NULL, WITNESS_FULL);
    expect_nothing_of_the_shims_own();
    expect_raw_calls();
    cr_expect_eq(listener_count(&run.reports, "openat", "door-file"), 2);
    cr_expect_eq(listener_count(&run.reports, "newfstatat", "door-file"), 1);
    cr_expect_eq(listener_count(&run.reports, "access", "door-absent"), 1);
    cr_expect_eq(listener_count(&run.reports, "rename", "door-file"), 1);
    cr_expect_eq(recorded(EVENT_STAT, "door-file"), 1);
}

Test(door, where_its_place_is_taken_all_is_reported_and_recorded_as_well)
{
    run_program(DOOR_PROGRAM, TEST_SHIM, "all", "taken", WITNESS_GAPS);
    expect_raw_calls();
    cr_expect_eq(listener_count(&run.reports, "openat", "door-file"), 2);
    cr_expect_eq(recorded(EVENT_STAT, "door-file"), 1);
    cr_expect_eq(listener_count(&run.reports, "openat", run.log), 1);
}

Test(door, without_a_witness_the_page_stays_where_it_is)
{
    run_program(DOOR_PROGRAM, TEST_SHIM, "all", NULL, WITNESS_OFF);
    cr_expect_eq(listener_count(&run.reports, "openat", "door-file"), 2);
    cr_expect_eq(listener_count(&run.reports, "openat", run.log), 1);
}

Test(door, a_forked_child_goes_through_it)
{
    run_mode("fork");
    expect_no_reports("door-");
    expect_nothing_of_the_shims_own();
    expect_raw_calls();
    cr_expect_eq(recorded(EVENT_STAT, "door-file"), 1);
}

Test(door, a_vfork_child_goes_through_it)
{
    run_mode("vfork");
    expect_no_reports("door-");
    cr_expect_eq(recorded(EVENT_ACCESS, "door-absent"), 1);
    cr_expect_eq(recorded(EVENT_READ, "door-absent"), 1);
}

Test(door, a_second_thread_opens_by_libc_so_that_it_can_be_cancelled)
{
    run_mode("thread");
    expect_no_reports("door-");
    cr_expect_eq(listener_count(&run.reports, "openat", "raw-of-libc"), 1);
    cr_expect_eq(recorded(EVENT_READ, "raw-of-libc"), 1);
    cr_expect_eq(recorded(EVENT_STAT, "door-absent"), 1);
}

Test(door, a_thread_that_waits_in_open_can_be_cancelled)
{
    run_mode("cancel");
    cr_expect_str_eq(run.result.output, "cancelled\ndone\n");
}

Test(door, the_only_thread_can_cancel_itself)
{
    run_mode("cancel-self");
    cr_expect_str_eq(run.result.output, "cancelled\n");
}

Test(door, signal_handlers_go_through_it)
{
    run_mode("handler");
    cr_expect_str_eq(run.result.output, "100\ndone\n");
    expect_no_reports("door-");
    cr_expect_eq(recorded(EVENT_READ, "door-absent"), 100);
}

Test(door, links_on_a_path_are_read_through_it)
{
    run_mode("resolve");
    expect_no_reports("door-");
    expect_no_reports(run.folder);
    cr_expect_eq(recorded(EVENT_RESOLVE_PATH, "door-link/../door-link/."), 1);
}

static void compare_realpath(const char *program, const char *shim, enum witness_mode witness)
{
    for (int seed = 1; seed <= 4; seed++) {
        char text[16], folder[96];
        const char *const argv[] = {program, text, NULL};
        const struct scratch_program how = {.argv = argv,
                                            .log = run.log,
                                            .shim = shim,
                                            .folder = folder,
                                            .seconds = 60,
                                            .witness = witness};
        int different = -1, asked = 0, resolved = 0;

        snprintf(text, sizeof text, "%d", seed);
        snprintf(folder, sizeof folder, "%s/%d", run.folder, seed);
        cr_assert(mkdir(folder, 0755) == 0 && chmod(run.folder, 0755) == 0);
        scratch_log(run.log, 0);
        scratch_run(&how, &run.result);
        cr_expect(run.result.status == 0 && !run.result.late, "status %x", run.result.status);
        sscanf(run.result.output, "%d different of %d, %d resolved", &different, &asked, &resolved);
        cr_expect(different == 0, "%s", run.result.output);
        cr_expect(resolved > 3000 && asked - resolved > 3000, "%s", run.result.output);
    }
}

Test(door, realpath_gives_what_libc_gives_for_thousands_of_random_paths)
{
    compare_realpath(RESOLVE_PROGRAM, TEST_SHIM, WITNESS_GAPS);
}

static void put_file(const char *name, const char *text)
{
    char path[192];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", run.folder, name);
    file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0 && chmod(path, 0700) == 0);
}

Test(door, a_program_that_will_report_in_is_started_through_it)
{
    put_file("door-script", "#!/bin/sh\nexit 0\n");
    run_mode("dynamic-programs");
    cr_expect_eq(listener_count(&run.reports, "execve", NULL), 1, "the kernel reported %zu execs",
                 listener_count(&run.reports, "execve", NULL));
    cr_expect_eq(listener_count(&run.reports, "openat", TEST_SHIM), 8, "one by each loader");
    cr_expect_eq(scratch_count(&run.records, EVENT_PROCESS_START, "/*/true"), 6);
    cr_expect_eq(scratch_count(&run.records, EVENT_ACCESS, "/nowhere/true"), 2);
}

Test(door, a_program_without_the_shim_is_started_by_libc)
{
    char path[192];

    snprintf(path, sizeof path, "%s/raw-static", run.folder);
    cr_assert(symlink(DOOR_STATIC, path) == 0);
    run_mode("static-program");
    cr_expect_eq(listener_count(&run.reports, "execve", "./raw-static"), 2);
}

Test(door, a_program_by_go_is_started_by_libc_though_the_shim_is_in_it)
{
    char path[192];

    snprintf(path, sizeof path, "%s/raw-go", run.folder);
    cr_assert(symlink(DOOR_GO, path) == 0);
    run_mode("go-program");
    cr_expect_eq(listener_count(&run.reports, "execve", "./raw-go"), 1);
    cr_expect_eq(run.records.list[0].head.kind, EVENT_PROCESS_START);
    for (size_t i = 0; i < run.records.count; i++)
        if (run.records.list[i].head.kind == EVENT_EXECUTE)
            cr_expect_eq(run.records.list[i].other[0], IMAGE_GO);
    cr_expect_eq(scratch_count(&run.records, EVENT_PROCESS_START, "*door_go"), 1);
}

Test(door, a_file_that_the_kernel_cannot_run_is_left_to_libcs_search)
{
    put_file("raw-words", "exit 0\n");
    run_mode("shell-fallback");
    cr_expect_gt(reported("raw-words"), 0);
}

Test(door, before_any_constructor_nothing_of_the_shims_own_is_reported)
{
    const char *const argv[] = {SNIPPETS_PROGRAM, "access", "early", NULL};
    const struct scratch_program how = {.argv = argv,
                                        .log = run.log,
                                        .shim = TEST_SHIM,
                                        .folder = run.folder,
                                        .witness = WITNESS_GAPS,
                                        .reports = &run.reports};

    scratch_log(run.log, 0);
    scratch_run(&how, &run.result);
    expect_nothing_of_the_shims_own();
    expect_no_reports("absent");
}

#ifdef TEST_SHIM32
Test(door, a_32_bit_program_goes_through_it)
{
    run_program(DOOR_PROGRAM32, TEST_SHIM32, "all", NULL, WITNESS_GAPS);
    expect_nothing_of_the_shims_own();
    cr_expect_eq(listener_count(&run.reports, "openat", "raw-open"), 1);
    for (size_t i = 0; i < run.reports.count; i++)
        cr_expect(strncmp(run.reports.list[i].path, "door-", 5) != 0 ||
                      strstr(run.reports.list[i].call, "stat"),
                  "the kernel reported %s of %s", run.reports.list[i].call,
                  run.reports.list[i].path);
    cr_expect_eq(recorded(EVENT_STAT, "door-file"), 1);
}

Test(door, a_32_bit_program_may_resolve_and_cancel)
{
    run_program(DOOR_PROGRAM32, TEST_SHIM32, "resolve", NULL, WITNESS_GAPS);
    expect_no_reports("door-");
    run_program(DOOR_PROGRAM32, TEST_SHIM32, "cancel", NULL, WITNESS_GAPS);
    cr_expect_str_eq(run.result.output, "cancelled\ndone\n");
}
#endif
