/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run_fixture.h"

static struct run_fixture run;

static void start(void)
{
    run_fixture_start(&run);
}

static void remove_run(void)
{
    run_fixture_remove(&run);
}

TestSuite(ingest, .init = start, .fini = remove_run);

#define ASK(sql)                run_fixture_ask(&run, sql)
#define IS(sql, text)           cr_assert_str_eq(ASK(sql), text, "%s: %s", sql, ASK(sql))
#define ADD(kind, process, ...) log_writer_add(&run.writer, EVENT_##kind, process, __VA_ARGS__)

static void first_process(void)
{
    log_writer_start(&run.writer, 1, 100, 99, 0, START_EXECUTED, "/usr/bin/make");
}

/* To another chunk, which is read later. */
static void next_chunk(struct log_writer *writer)
{
    log_writer_open(writer, run.log, 1, 0);
    writer->time = run.writer.time;
}

Test(ingest, repeats_of_an_access_are_one_row_with_their_sum)
{
    first_process();
    ADD(READ, 1, "/etc/hosts", NULL, 0, 0)->count = 5;
    ADD(READ, 1, "/etc/hosts", NULL, 0, 0)->count = 2;
    ADD(READ, 1, "/etc//./hosts/", NULL, 0, 0);
    ADD(READ, 1, "/etc/hosts", NULL, ENOENT, 0);
    run_fixture_finish(&run);
    IS("SELECT group_concat(count || ':' || outcome, ' ') FROM v_access", "8:0 1:2");
    IS("SELECT count(*) FROM subject WHERE name LIKE '/etc/hosts%'", "1");
}

Test(ingest, the_earliest_of_equal_accesses_gives_time_and_function)
{
    struct record *late, *early;

    first_process();
    late = ADD(READ, 1, "/a", NULL, 0, 0);
    late->time = 5000;
    late->hook = 1;
    early = ADD(READ, 1, "/a", NULL, 0, 0);
    early->time = 4000;
    early->hook = 0;
    run_fixture_finish(&run);
    IS("SELECT first || hook FROM access", "4000open");
}

Test(ingest, equal_accesses_in_different_transactions_are_summed)
{
    struct log_writer second;

    first_process();
    ADD(READ, 1, "/a", NULL, 0, 0);
    log_writer_close(&run.writer, true);
    run_fixture_pass(&run, true, UINT64_MAX);
    log_writer_open(&run.writer, run.log, 1, 0);
    next_chunk(&second);
    log_writer_add(&second, EVENT_READ, 1, "/a", NULL, 0, 0)->count = 3;
    log_writer_close(&second, true);
    run_fixture_finish(&run);
    IS("SELECT count FROM access", "4");
}

Test(ingest, a_child_whose_records_come_before_its_parents_finds_it)
{
    struct log_writer parent;

    /* The child's chunk lies before the parent's. */
    log_writer_start(&run.writer, 3, 101, 100, 2, START_EXECUTED, "/usr/bin/cc");
    run.writer.time = 1;
    next_chunk(&parent);
    log_writer_start(&parent, 1, 100, 99, 0, START_EXECUTED, "/usr/bin/make");
    log_writer_add(&parent, EVENT_EXECUTE, 1, "/usr/bin/cc", "\1", 0, 2);
    log_writer_close(&parent, true);
    run_fixture_finish(&run);
    IS("SELECT how || parent FROM process WHERE id = 3", "spawn1");
    IS("SELECT operation || ' ' || subject || ' ' || process FROM v_access",
       "execute /usr/bin/cc 1");
}

Test(ingest, an_exec_in_place_is_told_from_a_spawn_by_the_pid)
{
    first_process();
    ADD(EXECUTE, 1, "/usr/bin/cc", "\1", 0, 2);
    log_writer_start(&run.writer, 3, 100, 99, 2, START_EXECUTED, "/usr/bin/cc");
    run_fixture_finish(&run);
    IS("SELECT how || parent FROM process WHERE id = 3", "exec1");
    IS("SELECT ended = (SELECT started FROM process WHERE id = 3) FROM process WHERE id = 1", "1");
}

Test(ingest, a_failed_execution_is_an_access_with_its_errno)
{
    first_process();
    ADD(EXECUTE, 1, "/opt/cc", "\1", 0, 2);
    ADD(EXECUTE_FAILED, 1, "", NULL, EACCES, 2);
    run_fixture_finish(&run);
    IS("SELECT subject || ' ' || outcome FROM v_access WHERE operation = 'execute'", "/opt/cc 13");
    IS("SELECT count(*) FROM process", "1");
    IS("SELECT count(*) FROM blind_spot", "0");
}

Test(ingest, an_image_that_never_reports_in_is_a_process_and_a_blind_spot)
{
    char class[] = {IMAGE_STATIC, 0};
    struct record *call;

    first_process();
    log_writer_start(&run.writer, 2, 101, 100, 1, START_FORKED, "/usr/bin/make");
    call = ADD(EXECUTE, 2, "/opt/go", class, 0, 3);
    call->pid = 101;
    run_fixture_finish(&run);
    IS("SELECT how || ' ' || shim || ' ' || parent FROM process WHERE serial = 3",
       "unobserved static 2");
    IS("SELECT class || ' ' || detail || ' ' || process FROM blind_spot", "static /opt/go 3");
}

Test(ingest, an_end_goes_to_the_image_that_the_child_became)
{
    struct child_usage usage = {.user_us = 7, .max_resident_kib = 9};
    struct log_writer child;
    struct record *end;

    first_process();
    log_writer_start(&run.writer, 2, 101, 100, 1, START_FORKED, "/usr/bin/make");
    ADD(EXECUTE, 2, "/usr/bin/cc", "\1", 0, 3)->pid = 101;
    end = log_writer_reserve(&run.writer, sizeof usage);
    end->kind = EVENT_PROCESS_EXIT;
    end->process = 1;
    end->pid = 100;
    end->count = 1;
    end->time = 90000;
    end->value = 101;
    end->error = 3 << 8;
    end->subject = sizeof usage;
    memcpy(end + 1, &usage, sizeof usage);
    log_writer_commit(end);
    next_chunk(&child);
    log_writer_start(&child, 4, 101, 100, 3, START_EXECUTED, "/usr/bin/cc");
    log_writer_close(&child, true);
    run_fixture_finish(&run);
    IS("SELECT exit_status || ' ' || signal || ' ' || user_us || ' ' || max_resident_kib "
       "FROM process WHERE id = 4",
       "3 0 7 9");
    IS("SELECT exit_status FROM process WHERE id = 2", "(null)");
}

Test(ingest, a_pid_that_was_used_twice_has_two_ends)
{
    first_process();
    log_writer_start(&run.writer, 2, 101, 100, 1, START_FORKED, "/bin/sh");
    ADD(PROCESS_EXIT, 1, "", NULL, 1 << 8, 101);
    log_writer_start(&run.writer, 3, 101, 100, 1, START_FORKED, "/bin/sh");
    ADD(PROCESS_EXIT, 1, "", NULL, 9, 101);
    run_fixture_finish(&run);
    IS("SELECT group_concat(coalesce(exit_status, '-') || ':' || signal, ' ') FROM process "
       "WHERE id > 1",
       "1:0 -:9");
}

Test(ingest, arguments_are_kept_as_bytes_and_shown_quoted)
{
    first_process();
    ADD(PROCESS_ARGUMENT, 1, "make", NULL, 0, 0);
    ADD(PROCESS_ARGUMENT, 1, "a b", NULL, 0, 1);
    ADD(PROCESS_ARGUMENT, 1, "\xff", NULL, 0, 2);
    run_fixture_finish(&run);
    IS("SELECT hex(argv) FROM process", "6D616B6500612062"
                                        "00FF00");
    IS("SELECT typeof(argv) || substr(command, 1, 10) FROM process", "blobmake 'a b'");
}

Test(ingest, a_name_that_is_not_utf8_is_a_blob)
{
    first_process();
    ADD(READ, 1, "/x/\xff", NULL, 0, 0);
    run_fixture_finish(&run);
    IS("SELECT typeof(name) || hex(name) FROM subject WHERE name NOT LIKE '/usr%'", "blob2F782FFF");
}

Test(ingest, a_rename_is_two_accesses_that_name_each_other)
{
    first_process();
    ADD(RENAME, 1, "/x/a", "/x/b", 0, 0);
    ADD(LINK, 1, "/x/c", "/x/d", 0, 0);
    run_fixture_finish(&run);
    IS("SELECT group_concat(operation || subject || other, ' ') FROM "
       "(SELECT * FROM v_access ORDER BY first, operation)",
       "rename/x/a/x/b rename-to/x/b/x/a link/x/c/x/d link-to/x/d/x/c");
}

Test(ingest, values_of_variables_are_kept_as_hashes)
{
    struct record *entry;
    uint64_t hash = UINT64_C(0x1234);

    first_process();
    ADD(ENVIRONMENT_BLOCK, 1, "", NULL, 0, 77);
    entry = log_writer_reserve(&run.writer, 4 + sizeof hash);
    *entry = (struct record){.word = entry->word,
                             .kind = EVENT_ENVIRONMENT_ENTRY,
                             .process = 1,
                             .pid = 100,
                             .time = 5,
                             .value = 77,
                             .count = 1,
                             .subject = 4,
                             .other = sizeof hash};
    memcpy(entry + 1, "LANG", 4);
    memcpy((char *)(entry + 1) + 4, &hash, sizeof hash);
    log_writer_commit(entry);
    ADD(ENVIRONMENT_ENTRY, 1, "TOKEN", NULL, 0, 77);
    run_fixture_finish(&run);
    IS("SELECT group_concat(s.name || coalesce(e.hash, '-'), ' ') FROM environment_variable e "
       "JOIN subject s ON s.id = e.subject",
       "LANG0000000000001234 TOKEN-");
    IS("SELECT count(*) FROM v_access WHERE operation = 'visible'", "2");
}

Test(ingest, the_name_that_the_kernel_uses_is_noted)
{
    char link[96], target[96], folder[96];

    snprintf(folder, sizeof folder, "%s/real", run.folder);
    snprintf(link, sizeof link, "%s/link", run.folder);
    snprintf(target, sizeof target, "%s/link/file", run.folder);
    cr_assert_eq(mkdir(folder, 0700), 0);
    cr_assert_eq(symlink("real", link), 0);
    first_process();
    ADD(READ, 1, target, NULL, 0, 0);
    run_fixture_finish(&run);
    snprintf(target, sizeof target, "%s/real/file", run.folder);
    IS("SELECT resolved FROM v_access", target);
    unlink(link);
    rmdir(folder);
}

Test(ingest, a_kernel_name_in_the_record_is_the_answer)
{
    first_process();
    ADD(READ, 1, "/dev/stdin", "/srv/input", 0, 0);
    ADD(READ, 1, "/proc/self/fd/5", NULL, 0, 0);
    run_fixture_finish(&run);
    IS("SELECT group_concat(subject || ' ' || coalesce(resolved, '-'), ', ') FROM "
       "(SELECT * FROM v_access ORDER BY subject)",
       "/dev/stdin /srv/input, /proc/self/fd/5 -");
}

Test(ingest, blind_spots_are_counted_by_class_and_detail)
{
    first_process();
    ADD(BLIND_SPOT, 1, "opaque-io", NULL, 0, 0);
    ADD(BLIND_SPOT, 1, "opaque-io", NULL, 0, 0);
    ADD(BLIND_SPOT, 1, "changed-root", "/srv", 0, 0);
    ADD(BLIND_SPOT, 1, "no such class", NULL, 0, 0);
    ADD(READ, 1, "", NULL, EFAULT, 0)->flags = RECORD_UNREADABLE;
    run_fixture_finish(&run);
    IS("SELECT group_concat(class || coalesce(detail, '-') || count, ' ') FROM blind_spot",
       "opaque-io-2 changed-root/srv1 unreadable-1");
}

Test(ingest, an_access_of_a_process_whose_start_was_lost_has_a_process)
{
    ADD(READ, 5, "/a", NULL, 0, 0);
    run_fixture_finish(&run);
    IS("SELECT how || id FROM process", "unobserved5");
    IS("SELECT process FROM access", "5");
}

Test(ingest, every_kind_of_access_goes_to_its_channel)
{
    first_process();
    for (int kind = EVENT_READ; kind < EVENT_KIND_COUNT; kind++) {
        if (kind != EVENT_EXECUTE)
            log_writer_add(&run.writer, (enum event_kind)kind, 1, "/thing", "/other", 0, 0);
    }
    run_fixture_finish(&run);
    IS("SELECT count(DISTINCT channel) FROM v_access", "7");
    IS("SELECT count(*) FROM access a JOIN operation o ON o.id = a.operation "
       "JOIN subject s ON s.id = a.subject WHERE s.channel IS NOT o.channel",
       "0");
}
