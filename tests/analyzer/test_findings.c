/* SPDX-License-Identifier: MIT */
#include "analysis.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "small_run.h"
#include "tallyman/record.h"

static struct small_run run;

static void open_run(void)
{
    small_run_open(&run);
}

static void close_run(void)
{
    small_run_close(&run);
}

TestSuite(findings, .init = open_run, .fini = close_run);

static struct analysis *judged(void)
{
    small_run_judge(&run, NULL);
    return small_run_load(&run);
}

Test(findings, a_file_read_by_many_processes_is_one_member)
{
    struct analysis *analysis;
    const struct analysis_finding *finding;

    small_run_execute(&run, "INSERT INTO event (process, channel, operation, subject, count) VALUES"
                            " (1, 'filesystem', 'read', '/opt/a/x', 2),"
                            " (2, 'filesystem', 'read', '/opt/a/x', 3),"
                            " (3, 'filesystem', 'read', '/opt/a/x', 4),"
                            " (3, 'filesystem', 'stat', '/opt/a/x', 1),"
                            " (3, 'filesystem', 'read', '/opt/a/y', 1)");
    analysis = judged();
    finding = small_run_finding(analysis, "/opt/a");
    cr_assert_eq(finding->member_count, 3);
    cr_assert_eq(finding->members[0].count, 9, "most used first");
    cr_assert_eq(finding->subjects, 2);
    cr_assert_eq(finding->count, 11);
    cr_assert_eq(finding->process_count, 3);
    cr_assert_str_eq(finding->operation, "read", "says more than stat");
    analysis_free(analysis);
}

Test(findings, files_of_a_package_are_one_finding)
{
    struct analysis *analysis;
    const struct analysis_finding *finding;

    small_run_event(&run, "read", "/usr/include/stdio.h", 0, 1);
    small_run_event(&run, "read", "/usr/lib/crt1.o", 0, 1);
    small_run_execute(&run, "UPDATE subject SET package = 'libc6-dev 2.36-9'"
                            " WHERE name IN ('/usr/include/stdio.h', '/usr/lib/crt1.o')");
    analysis = judged();
    finding = small_run_finding(analysis, "libc6-dev");
    cr_assert_str_eq(finding->package.bytes, "libc6-dev 2.36-9");
    cr_assert_str_eq(finding->group, "package");
    cr_assert_eq(finding->subjects, 2);
    cr_assert_eq(analysis->channels[CHANNEL_FILESYSTEM].findings, 1);
    analysis_free(analysis);
}

Test(findings, a_path_over_a_link_is_grouped_where_it_leads)
{
    struct analysis *analysis;

    small_run_execute(&run, "INSERT INTO resolves VALUES ('/lib/../share/x', '/usr/share/x')");
    small_run_event(&run, "read", "/lib/../share/x", 0, 1);
    analysis = judged();
    cr_assert_str_eq(small_run_finding(analysis, "/usr/share")->group, "folder");
    analysis_free(analysis);
}

Test(findings, reads_writes_and_probes_of_a_folder_are_three)
{
    struct analysis *analysis;

    small_run_event(&run, "read", "/opt/a/x", 0, 1);
    small_run_event(&run, "write", "/opt/a/y", 5, 1);
    small_run_execute(&run, "INSERT INTO event (process, channel, operation, subject, outcome)"
                            " VALUES (3, 'filesystem', 'stat', '/opt/a/z', 2)");
    analysis = judged();
    cr_assert_eq(analysis->finding_count, 3);
    cr_assert_eq(analysis->findings[0].class, FINDING_READ);
    cr_assert_eq(analysis->findings[1].class, FINDING_WRITE);
    cr_assert_eq(analysis->findings[2].class, FINDING_PROBE);
    cr_assert_eq(analysis->channels[CHANNEL_FILESYSTEM].probes, 1);
    analysis_free(analysis);
}

Test(findings, reading_urandom_is_shown_as_randomness)
{
    struct analysis *analysis;

    small_run_event(&run, "read", "/dev/urandom", 0, 1);
    small_run_event(&run, "stat", "/dev/urandom", 0, 1);
    analysis = judged();
    cr_assert_eq(small_run_finding(analysis, "/dev/urandom")->channel, CHANNEL_RANDOMNESS);
    cr_assert_eq(small_run_finding(analysis, "/dev")->channel, CHANNEL_FILESYSTEM);
    analysis_free(analysis);
}

Test(findings, a_variable_that_was_seen_and_read_is_one_finding)
{
    struct analysis *analysis;
    const struct analysis_finding *finding;

    small_run_execute(&run,
                      "INSERT INTO subject (id, channel, name) VALUES (50, 3, 'CFLAGS');"
                      "INSERT INTO environment_variable (run, block, subject) VALUES (1, 7, 50);"
                      "UPDATE process SET environment = 7;"
                      "INSERT INTO event (process, channel, operation, subject) VALUES"
                      " (3, 'environment', 'read', 'CFLAGS')");
    analysis = judged();
    finding = small_run_finding(analysis, "CFLAGS");
    cr_assert_eq(analysis->channels[CHANNEL_ENVIRONMENT].findings, 1);
    cr_assert_str_eq(finding->operation, "read");
    cr_assert_eq(finding->process_count, 3);
    cr_assert_eq(finding->count, 4);
    cr_assert_eq(analysis->channels[CHANNEL_ENVIRONMENT].undeclared, 4);
    analysis_free(analysis);
}

Test(findings, nothing_is_left_out_of_the_totals)
{
    struct analysis *analysis;
    int64_t members = 0, uses = 0;

    small_run_execute(&run, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                            " WHERE i < 5000)"
                            "INSERT INTO event (process, channel, operation, subject, count)"
                            " SELECT 1 + i % 3, 'filesystem', 'read',"
                            "  '/opt/' || (i % 97) || '/' || i, i FROM n");
    analysis = judged();
    for (size_t i = 0; i < analysis->finding_count; i++) {
        members += (int64_t)analysis->findings[i].member_count;
        uses += analysis->findings[i].count;
    }
    cr_assert_eq(analysis->finding_count, 97);
    cr_assert_eq(members, 5000);
    cr_assert_eq(uses, 5000 * 5001 / 2);
    cr_assert_eq(analysis->channels[CHANNEL_FILESYSTEM].occurrences, uses);
    analysis_free(analysis);
}

Test(findings, a_run_that_was_not_judged_says_so_and_hides_nothing)
{
    struct analysis *analysis;

    small_run_event(&run, "read", "/home/ann/project/x", 0, 1);
    analysis = small_run_load(&run);
    cr_assert_not(analysis->judged);
    analysis_free(analysis);
    small_run_judge(&run, NULL);
    small_run_execute(&run, "DELETE FROM judgement");
    analysis = small_run_load(&run);
    cr_assert_not(analysis->judged);
    cr_assert_eq(analysis_undeclared(analysis), 1);
    analysis_free(analysis);
}

Test(findings, names_with_any_bytes_keep_them)
{
    static const char name[] = "/opt/a/\xff\n\x1b[31m<script>'\"\\";
    struct analysis *analysis;
    const struct analysis_finding *finding;

    small_run_execute(&run, "INSERT INTO subject (id, channel, name) VALUES (60, 0,"
                            " x'2f6f70742f612fff0a1b5b33316d3c7363726970743e27225c');"
                            "INSERT INTO access VALUES (3, 8, 60, 0, 0, 0, 0, 1, 1, 'x', NULL)");
    analysis = judged();
    finding = small_run_finding(analysis, "/opt/a");
    cr_assert_eq(finding->members[0].subject.length, sizeof name - 1);
    cr_assert_eq(memcmp(finding->members[0].subject.bytes, name, sizeof name - 1), 0);
    analysis_free(analysis);
}

static void check_chain(const struct analysis *analysis, uint32_t process, size_t most, size_t each,
                        const char *expected)
{
    struct buffer text = BUFFER_INIT;

    analysis_chain(analysis, process, most, each, &text);
    cr_assert_str_eq(text.data, expected);
    buffer_fini(&text);
}

Test(findings, a_chain_names_the_commands_from_the_first_to_the_process)
{
    struct analysis *analysis = judged();

    check_chain(analysis, 2, 9, 40, "make → sh -c 'cc -c a.c' → cc1 a.c");
    check_chain(analysis, 2, 2, 40, "make → … → cc1 a.c");
    check_chain(analysis, 2, 9, 8, "make → sh -c '… → cc1 a.c");
    analysis_free(analysis);
}

Test(findings, a_forked_child_is_not_named_twice_in_a_chain)
{
    struct analysis *analysis;

    small_run_execute(&run, "UPDATE process SET how = 'fork', argv = (SELECT argv FROM process"
                            " WHERE id = 1) WHERE id = 2");
    analysis = judged();
    check_chain(analysis, 2, 9, 40, "make → cc1 a.c");
    check_chain(analysis, 1, 9, 40, "make");
    analysis_free(analysis);
}

Test(findings, programs_are_counted_by_their_processes)
{
    struct analysis *analysis;
    struct analysis_users *users;
    size_t count;

    small_run_execute(&run,
                      "INSERT INTO process (id, run, serial, parent, how, pid, parent_pid, argv,"
                      " started, shim) VALUES (4, 1, 4, 1, 'spawn', 9, 9,"
                      " CAST('/bin/sh' || char(0) AS BLOB), 4, 'loaded');"
                      "INSERT INTO event (process, channel, operation, subject) VALUES"
                      " (1, 'clock', 'clock', 'realtime'), (2, 'clock', 'clock', 'realtime'),"
                      " (4, 'clock', 'clock', 'realtime')");
    analysis = judged();
    users = analysis_programs(analysis, small_run_finding(analysis, "realtime"), &count);
    cr_assert_eq(count, 2);
    cr_assert_eq(users[0].processes, 2);
    cr_assert_eq(memcmp(users[0].program.bytes, "sh", users[0].program.length), 0);
    free(users);
    analysis_free(analysis);
}

Test(findings, the_newest_run_is_found_and_a_missing_one_is_not)
{
    struct buffer why = BUFFER_INIT;

    cr_assert_eq(analysis_find_run(run.db, 0, &why), 1);
    cr_assert_eq(analysis_find_run(run.db, 1, &why), 1);
    cr_assert_lt(analysis_find_run(run.db, 2, &why), 0);
    cr_assert_not_null(strstr(why.data, "no run 2"));
    buffer_fini(&why);
}

Test(findings, what_was_removed_again_or_has_a_random_name_is_passing)
{
    struct analysis *analysis;
    const struct analysis_finding *finding;

    small_run_event(&run, "write", "/tmp/gone", RECORD_CREATE, 1);
    small_run_event(&run, "unlink", "/tmp/gone", RECORD_NO_FOLLOW, 2);
    small_run_event(&run, "write", "/tmp/random", RECORD_CREATE | RECORD_TEMPORARY, 1);
    small_run_event(&run, "write", "/tmp/stays", RECORD_CREATE, 1);
    small_run_event(&run, "write", "/tmp/old", RECORD_CREATE | RECORD_EXISTED, 1);
    small_run_event(&run, "unlink", "/tmp/old", RECORD_NO_FOLLOW, 2);
    small_run_judge(&run, NULL);
    analysis = small_run_load(&run);
    finding = small_run_finding(analysis, "/tmp");
    cr_assert_eq(finding->subjects, 4);
    cr_assert_eq(finding->passing, 2);
    for (size_t i = 0; i < finding->member_count; i++) {
        const struct analysis_member *member = &finding->members[i];
        bool passing = strcmp(member->subject.bytes, "/tmp/gone") == 0 ||
                       strcmp(member->subject.bytes, "/tmp/random") == 0;

        cr_assert_eq(member->passing, passing, "%s", member->subject.bytes);
    }
    analysis_free(analysis);
}

Test(findings, processes_that_failed_are_counted_by_program)
{
    struct analysis *analysis;
    struct analysis_users *users;
    size_t count;

    small_run_execute(&run, "UPDATE process SET exit_status = 1 WHERE id = 2;"
                            "UPDATE process SET exit_status = NULL, signal = 11 WHERE id = 3");
    small_run_judge(&run, NULL);
    analysis = small_run_load(&run);
    users = analysis_failed(analysis, &count);
    cr_assert_eq(count, 2);
    cr_assert_eq(users[0].processes, 1);
    cr_assert_eq(strncmp(users[0].program.bytes, "cc1", users[0].program.length), 0);
    free(users);
    analysis_free(analysis);
}
