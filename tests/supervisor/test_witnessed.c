/* SPDX-License-Identifier: MIT
 *
 * What becomes of the witness's records once it is known whose they are, and of those that are
 * nonsense.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "run_fixture.h"

static struct run_fixture run;

static void start(void)
{
    run_fixture_start(&run);
    log_writer_start(&run.writer, 1, 100, 99, 0, START_EXECUTED, "/usr/bin/make");
}

static void remove_run(void)
{
    run_fixture_remove(&run);
}

/* After the writer was closed. */
static void next_chunk(void)
{
    uint64_t time = run.writer.time;

    log_writer_open(&run.writer, run.log, 4, 0);
    run.writer.time = time;
}

TestSuite(witnessed, .init = start, .fini = remove_run);

#define ASK(sql)       run_fixture_ask(&run, sql)
#define IS(sql, text)  cr_assert_str_eq(ASK(sql), text, "%s: %s", sql, ASK(sql))
#define SAW(kind, ...) log_writer_saw(&run.writer, EVENT_##kind, 100, 99, __VA_ARGS__)
#define FROM(pid, ...) log_writer_saw(&run.writer, EVENT_READ, pid, 100, __VA_ARGS__)
#define OUTCOMES                                                                                   \
    "SELECT group_concat(operation || subject || ' ' || outcome, ', ') FROM "                      \
    "(SELECT * FROM v_access ORDER BY first, operation)"

Test(witnessed, an_access_has_the_witness_as_its_source_and_the_call_as_its_function)
{
    log_writer_add(&run.writer, EVENT_READ, 1, "/a", NULL, 0, 0);
    SAW(READ, "/a", 0)->hook = 1;
    run_fixture_finish(&run);
    IS("SELECT group_concat(source || ' ' || hook || ' ' || count, ', ') FROM "
       "(SELECT * FROM v_access ORDER BY source)",
       "shim open 1, witness openat 1");
}

Test(witnessed, what_makes_a_name_succeeds_where_there_was_none)
{
    SAW(WRITE, "/new", ENOENT)->flags |= RECORD_CREATE;
    SAW(WRITE, "/old", 0)->flags |= RECORD_CREATE;
    SAW(WRITE, "/gone", ENOENT);
    SAW(WRITE, "/no/folder", ENOTDIR)->flags |= RECORD_CREATE;
    SAW(MKDIR, "/usr", 0);
    SAW(MKDIR, "/folder", ENOENT);
    SAW(SYMLINK, "/link", ENOENT);
    SAW(UNLINK, "/x", ENOENT);
    run_fixture_finish(&run);
    IS(OUTCOMES, "write/new 0, write/old 0, write/gone 2, write/no/folder 20, mkdir/usr 17, "
                 "mkdir/folder 0, symlink/link 0, unlink/x 2");
    IS("SELECT group_concat(s.name || (a.flags & 2), ' ') FROM access a "
       "JOIN subject s ON s.id = a.subject WHERE s.name IN ('/new', '/old')",
       "/new0 /old2");
}

Test(witnessed, a_rename_is_about_both_names)
{
    struct record *record = log_writer_add(&run.writer, EVENT_RENAME, 0, "/a", "/b", 0, 99);

    record->pid = 100;
    record->flags = RECORD_WITNESS;
    run_fixture_finish(&run);
    IS(OUTCOMES, "rename/a 0, rename-to/b 0");
    IS("SELECT count(*) FROM v_access WHERE source = 'witness'", "2");
}

Test(witnessed, a_blind_spot_goes_to_the_process_or_to_the_run)
{
    SAW(BLIND_SPOT, "interrupted", 0);
    SAW(BLIND_SPOT, "interrupted", 0);
    SAW(BLIND_SPOT, "vdso-clock", 0)->pid = 0;
    SAW(READ, "", EFAULT)->flags |= RECORD_UNREADABLE;
    SAW(READ, "x/y", 0)->flags |= RECORD_UNRESOLVED;
    run_fixture_finish(&run);
    IS("SELECT group_concat(class || ' ' || count || ' ' || coalesce(process, '-'), ', ') FROM "
       "(SELECT * FROM blind_spot ORDER BY class)",
       "interrupted 2 1, unreadable 2 1, vdso-clock 1 -");
}

/* The start of an image, as the witness announces it. */
static void announce(uint64_t process, uint32_t pid, uint64_t execution, enum image_class class)
{
    struct record *record = SAW(PROCESS_START, "/opt/go", 100);

    record->process = process;
    record->pid = pid;
    record->value = START_EXECUTED | (uint64_t) class << START_CLASS_SHIFT | execution << 8;
}

Test(witnessed, an_image_without_shim_has_an_unread_environment_and_no_other_blind_spot)
{
    static const char *const words =
        "stripped stripped stripped static foreign_libc foreign_abi secure stripped stripped";

    for (uint32_t class = 0; class <= IMAGE_GO; class ++) {
        log_writer_add(&run.writer, EVENT_EXECUTE, 1, "/opt/go", "\3", 0, 10 + class);
        announce(20 + class, 200 + class, 10 + class, (enum image_class) class);
    }
    run_fixture_finish(&run);
    IS("SELECT group_concat(shim, ' ') FROM process WHERE serial >= 20", words);
    IS("SELECT class || ' ' || count(*) || ' ' || count(DISTINCT process) || detail FROM "
       "blind_spot GROUP BY class",
       "unread-environment 9 9/opt/go");
}

Test(witnessed, arguments_and_environment_of_an_announced_image_are_kept)
{
    announce(20, 200, RUN_NO_EXECUTION, IMAGE_STATIC);
    SAW(PROCESS_ARGUMENT, "go", 0)->process = 20;
    SAW(ENVIRONMENT_BLOCK, "", 0)->process = 20;
    SAW(ENVIRONMENT_ENTRY, "LANG", 0)->process = 20;
    run_fixture_finish(&run);
    IS("SELECT command || ' ' || parent FROM process WHERE serial = 20", "go 1");
    IS("SELECT subject || ' ' || source FROM v_access WHERE operation = 'visible' AND process = 20",
       "LANG witness");
}

Test(witnessed, a_child_that_was_gone_too_soon_to_be_asked_is_the_program_that_its_parent_is)
{
    struct record *child;

    announce(20, 200, RUN_NO_EXECUTION, IMAGE_STATIC);
    child = SAW(PROCESS_START, "", 200);
    child->process = 21;
    child->pid = 201;
    child->value = START_FORKED | 20 << 8;
    run_fixture_finish(&run);
    IS("SELECT s.name || ' ' || p.how || ' ' || p.shim FROM process p JOIN subject s ON s.id = "
       "p.exe "
       "WHERE p.serial = 21",
       "/opt/go fork static");
}

Test(witnessed, nonsense_is_counted_and_not_believed)
{
    struct record *record;

    SAW(READ, "/hook", 0)->hook = UINT16_MAX;
    SAW(READ, "/pid", 0)->pid = 0;
    SAW(READ, "/process", 0)->process = 77; /* never announced */
    record = SAW(PROCESS_START, "/class", 0);
    record->process = 78;
    record->value = START_EXECUTED | 15u << START_CLASS_SHIFT;
    SAW(PROCESS_START, "/nobody", 0);
    record = SAW(PROCESS_EXIT, "", 0);
    record->process = 1;
    SAW(ENVIRONMENT_ENTRY, "A", 0)->process = 77;
    SAW(BLIND_SPOT, "no such class", 0);
    log_writer_add(&run.writer, EVENT_READ, 0, "/of nobody", NULL, 0, 0); /* the reader's */
    run_fixture_pass(&run, false, 1);
    log_writer_close(&run.writer, true);
    run_fixture_pass(&run, true, UINT64_MAX);
    cr_assert_eq(ingest_damaged(run.ingest), 8);
    cr_assert_eq(log_reader_totals(run.reader).damaged, 1);
    next_chunk();
    run_fixture_finish(&run);
    IS("SELECT count(*) FROM access", "0");
    IS("SELECT count(*) FROM process", "1");
}

Test(witnessed, equal_accesses_of_ten_thousand_unknown_pids_are_folded)
{
    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t pid = 1000; pid < 11000; pid++)
            log_writer_saw(&run.writer, EVENT_READ, pid, pid - 1, "/a", 0);
        log_writer_close(&run.writer, true);
        run_fixture_pass(&run, false, 1000000000);
        cr_assert_eq(ingest_pending(run.ingest), 10000);
        next_chunk();
    }
    run_fixture_finish(&run);
    IS("SELECT count(*) || ' ' || sum(count) FROM access", "10000 200000");
    IS("SELECT count(*) FROM process WHERE how = 'fork' AND parent IS NOT NULL", "9999");
}

static bool hundred_and_one_is_gone(uint32_t pid)
{
    return pid == 101;
}

Test(witnessed, what_a_process_did_that_is_gone_need_not_wait_for_the_end)
{
    ingest_watch_pids(run.ingest, hundred_and_one_is_gone);
    FROM(101, "/a", 0);
    FROM(102, "/b", 0);
    log_writer_close(&run.writer, true);
    for (int i = 0; i < 3; i++)
        run_fixture_pass(&run, false, 1000000);
    IS("SELECT group_concat(subject) FROM v_access", "/a");
    next_chunk();
    run_fixture_finish(&run);
    IS("SELECT group_concat(subject) FROM (SELECT * FROM v_access ORDER BY subject)", "/a,/b");
}

Test(witnessed, a_start_that_is_later_than_the_pass_hides_what_came_between)
{
    struct log_writer child;
    struct record *end;

    /* The child reports and ends after the pass began, which finds the end but not the report. */
    FROM(101, "/a", 0);
    end = log_writer_add(&run.writer, EVENT_PROCESS_EXIT, 1, "", NULL, 0, 101);
    end->time = 5000;
    log_writer_close(&run.writer, true);
    run_fixture_pass(&run, false, 3000);
    next_chunk();
    log_writer_open(&child, run.log, 1, 0);
    child.time = 4000;
    log_writer_start(&child, 2, 101, 100, 1, START_FORKED, "/bin/sh");
    log_writer_close(&child, true);
    run_fixture_finish(&run);
    IS("SELECT process FROM access", "2");
}
