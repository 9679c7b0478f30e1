/* SPDX-License-Identifier: MIT */
#include "analyzer.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "manifest.h"
#include "small_run.h"
#include "tallyman/record.h"

#define DECLARED   0
#define UNDECLARED 1
#define WAIVED     2

static struct small_run run;

static void open_run(void)
{
    small_run_open(&run);
}

static void close_run(void)
{
    small_run_close(&run);
}

TestSuite(verdicts, .init = open_run, .fini = close_run);

static long verdict(const char *operation, const char *subject)
{
    return small_run_verdict(&run, operation, subject);
}

/* By the built-in policy: the project's tree is declared. */
static void judge_all(void)
{
    small_run_judge(&run, NULL);
}

/* One access of cc1 on a file. */
static void event(const char *operation, const char *path, int flags, int time)
{
    small_run_event(&run, operation, path, flags, time);
}

Test(verdicts, the_projects_tree_is_declared_and_nothing_else)
{
    event("read", "/home/ann/project/a.c", 0, 1);
    event("read", "/home/ann/project2/a.c", 0, 1);
    event("read", "/usr/include/stdio.h", 0, 1);
    judge_all();
    cr_assert_eq(verdict("read", "/home/ann/project/a.c"), DECLARED);
    cr_assert_eq(verdict("read", "/home/ann/project2/a.c"), UNDECLARED);
    cr_assert_eq(verdict("read", "/usr/include/stdio.h"), UNDECLARED);
}

Test(verdicts, what_the_build_created_is_no_input_of_it)
{
    event("write", "/tmp/t", RECORD_CREATE, 10);
    event("read", "/tmp/t", 0, 20);
    judge_all();
    cr_assert_eq(verdict("read", "/tmp/t"), DECLARED);
    cr_assert_eq(verdict("write", "/tmp/t"), UNDECLARED);
}

Test(verdicts, what_was_read_before_it_was_written_is_an_input)
{
    event("read", "/tmp/t", 0, 5);
    event("write", "/tmp/t", RECORD_CREATE | RECORD_EXISTED | RECORD_TRUNCATE, 10);
    event("stat", "/tmp/t", 0, 20);
    judge_all();
    cr_assert_eq(verdict("read", "/tmp/t"), UNDECLARED);
    cr_assert_eq(verdict("stat", "/tmp/t"), DECLARED);
}

Test(verdicts, appending_to_what_was_there_makes_nothing)
{
    event("write", "/tmp/u", RECORD_CREATE | RECORD_EXISTED | RECORD_APPEND, 10);
    event("read", "/tmp/u", 0, 20);
    event("write", "/tmp/v", 0, 10);
    event("read", "/tmp/v", 0, 20);
    judge_all();
    cr_assert_eq(verdict("read", "/tmp/u"), UNDECLARED);
    cr_assert_eq(verdict("read", "/tmp/v"), UNDECLARED);
}

Test(verdicts, a_file_without_a_name_makes_nothing)
{
    event("write", "/tmp", RECORD_CREATE | RECORD_UNNAMED, 10);
    event("list", "/tmp", 0, 20);
    judge_all();
    cr_assert_eq(verdict("list", "/tmp"), UNDECLARED);
}

Test(verdicts, a_write_that_failed_makes_nothing)
{
    small_run_execute(&run,
                      "INSERT INTO event (process, channel, operation, subject, outcome, flags,"
                      " first) VALUES (3, 'filesystem', 'write', '/etc/x', 13, 5, 10)");
    event("read", "/etc/x", 0, 20);
    judge_all();
    cr_assert_eq(verdict("read", "/etc/x"), UNDECLARED);
}

Test(verdicts, a_renamed_file_is_made_under_its_new_name)
{
    event("write", "/tmp/t.tmp", RECORD_CREATE, 10);
    event("rename", "/tmp/t.tmp", RECORD_NO_FOLLOW, 20);
    event("rename-to", "/tmp/t", RECORD_NO_FOLLOW, 20);
    event("read", "/tmp/t", 0, 30);
    judge_all();
    cr_assert_eq(verdict("read", "/tmp/t"), DECLARED);
}

Test(verdicts, a_renamed_folder_takes_all_below_it_along)
{
    event("mkdir", "/tmp/x", 0, 10);
    event("write", "/tmp/x/a", RECORD_CREATE, 11);
    event("rename", "/tmp/x", RECORD_NO_FOLLOW, 20);
    event("rename-to", "/tmp/y", RECORD_NO_FOLLOW, 20);
    event("read", "/tmp/y/a", 0, 30);
    event("read", "/tmp/yy/a", 0, 30);
    judge_all();
    cr_assert_eq(verdict("read", "/tmp/y/a"), DECLARED);
    cr_assert_eq(verdict("read", "/tmp/yy/a"), UNDECLARED);
}

Test(verdicts, a_hard_link_is_made_but_what_it_leads_to_was_read)
{
    event("link", "/etc/secret", 0, 10);
    event("link-to", "/tmp/h", 0, 10);
    event("read", "/tmp/h", 0, 20);
    judge_all();
    cr_assert_eq(verdict("link", "/etc/secret"), UNDECLARED);
    cr_assert_eq(verdict("read", "/tmp/h"), DECLARED);
}

Test(verdicts, a_link_of_the_builds_own_does_not_make_what_it_leads_to)
{
    small_run_execute(&run, "INSERT INTO resolves VALUES ('/tmp/l', '/etc/secret')");
    event("symlink", "/tmp/l", RECORD_NO_FOLLOW, 10);
    event("read", "/tmp/l", 0, 20);
    event("readlink", "/tmp/l", RECORD_NO_FOLLOW, 20);
    judge_all();
    cr_assert_eq(verdict("read", "/tmp/l"), UNDECLARED);
    cr_assert_eq(verdict("readlink", "/tmp/l"), DECLARED);
}

Test(verdicts, a_folder_link_inside_a_folder_of_the_builds_own_leads_outside)
{
    small_run_execute(&run, "INSERT INTO resolves VALUES ('/tmp/d/inc/x.h', '/opt/inc/x.h')");
    event("mkdir", "/tmp/d", 0, 10);
    event("symlink", "/tmp/d/inc", RECORD_NO_FOLLOW, 11);
    event("read", "/tmp/d/inc/x.h", 0, 20);
    judge_all();
    cr_assert_eq(verdict("read", "/tmp/d/inc/x.h"), UNDECLARED);
}

Test(verdicts, two_spellings_of_a_folder_are_the_same_folder)
{
    small_run_execute(&run, "INSERT INTO resolves VALUES ('/tmp/l/t', '/tmp/real/t')");
    event("write", "/tmp/l/t", RECORD_CREATE, 10);
    event("read", "/tmp/real/t", 0, 20);
    judge_all();
    cr_assert_eq(verdict("read", "/tmp/real/t"), DECLARED);
}

Test(verdicts, writing_through_a_link_makes_its_target_and_not_the_link)
{
    small_run_execute(&run, "INSERT INTO resolves VALUES ('/opt/l', '/opt/out')");
    event("write", "/opt/l", RECORD_CREATE, 10);
    event("read", "/opt/out", 0, 20);
    event("readlink", "/opt/l", RECORD_NO_FOLLOW, 20);
    judge_all();
    cr_assert_eq(verdict("read", "/opt/out"), DECLARED);
    cr_assert_eq(verdict("readlink", "/opt/l"), UNDECLARED);
}

Test(verdicts, looking_at_a_link_is_not_declared_by_what_it_leads_to)
{
    small_run_execute(&run, "INSERT INTO resolves VALUES ('/opt/l', '/opt/lib/real')");
    event("stat", "/opt/l", RECORD_NO_FOLLOW, 10);
    event("read", "/opt/l", 0, 10);
    small_run_judge(&run, "version: 1\ninputs: [/opt/lib]\n");
    cr_assert_eq(verdict("stat", "/opt/l"), UNDECLARED);
    cr_assert_eq(verdict("read", "/opt/l"), DECLARED);
}

Test(verdicts, a_name_that_the_build_removed_is_absent_by_its_own_doing)
{
    event("unlink", "/tmp/old", RECORD_NO_FOLLOW, 10);
    small_run_execute(&run,
                      "INSERT INTO event (process, channel, operation, subject, outcome, first)"
                      " VALUES (3, 'filesystem', 'stat', '/tmp/old', 2, 20),"
                      " (3, 'filesystem', 'stat', '/tmp/other', 2, 20)");
    judge_all();
    cr_assert_eq(verdict("stat", "/tmp/old"), DECLARED);
    cr_assert_eq(verdict("stat", "/tmp/other"), UNDECLARED);
}

static void network_event(const char *operation, const char *subject, int outcome, int time)
{
    char *sql = sqlite3_mprintf("INSERT INTO event (process, channel, operation, subject, outcome,"
                                " first) VALUES (3, 'network', %Q, %Q, %d, %d)",
                                operation, subject, outcome, time);

    small_run_execute(&run, sql);
    sqlite3_free(sql);
}

Test(verdicts, a_port_that_the_run_bound_before_is_its_own_under_each_loopback_address)
{
    network_event("connect", "127.0.0.1:7000", 0, 5);
    network_event("bind", "127.0.0.1:7000", 0, 10);
    network_event("connect", "[::1]:7000", 0, 20);
    network_event("connect", "0.0.0.0:7000", 0, 20);
    network_event("connect", "127.0.0.1:7001", 0, 20);
    network_event("connect", "192.0.2.1:7000", 0, 20);
    judge_all();
    cr_assert_eq(verdict("bind", "127.0.0.1:7000"), DECLARED);
    cr_assert_eq(verdict("connect", "127.0.0.1:7000"), UNDECLARED, "it was there before");
    cr_assert_eq(verdict("connect", "[::1]:7000"), DECLARED);
    cr_assert_eq(verdict("connect", "0.0.0.0:7000"), DECLARED);
    cr_assert_eq(verdict("connect", "127.0.0.1:7001"), UNDECLARED);
    cr_assert_eq(verdict("connect", "192.0.2.1:7000"), UNDECLARED);
}

Test(verdicts, a_bind_that_failed_makes_no_socket)
{
    network_event("bind", "127.0.0.1:7000", EADDRINUSE, 10);
    network_event("connect", "127.0.0.1:7000", 0, 20);
    judge_all();
    cr_assert_eq(verdict("connect", "127.0.0.1:7000"), UNDECLARED);
}

Test(verdicts, a_port_of_the_kernels_choice_may_be_any_free_one_but_no_known_service)
{
    network_event("bind", "[::]:0", 0, 10);
    network_event("connect", "127.0.0.1:41234", 0, 20);
    network_event("connect", "127.0.0.1:41235", 0, 5);
    network_event("connect", "127.0.0.1:80", 0, 20);
    network_event("connect", "127.0.0.1:4226", 0, 20);
    judge_all();
    cr_assert_eq(verdict("connect", "127.0.0.1:41234"), DECLARED);
    cr_assert_eq(verdict("connect", "127.0.0.1:41235"), UNDECLARED, "before the bind");
    cr_assert_eq(verdict("connect", "127.0.0.1:80"), UNDECLARED);
    cr_assert_eq(verdict("connect", "127.0.0.1:4226"), UNDECLARED, "sccache");
    cr_assert_eq(verdict("bind", "[::]:0"), UNDECLARED, "other machines may connect");
}

Test(verdicts, a_socket_with_a_path_is_bound_where_a_file_may_be_made)
{
    network_event("bind", "unix:/home/ann/project/s", 0, 10);
    network_event("connect", "unix:/home/ann/project/s", 0, 20);
    network_event("bind", "unix:/tmp/s", 0, 10);
    network_event("connect", "unix:/tmp/s", 0, 20);
    network_event("connect", "unix:/run/docker.sock", 0, 20);
    event("stat", "/tmp/s", 0, 20);
    judge_all();
    cr_assert_eq(verdict("bind", "unix:/home/ann/project/s"), DECLARED);
    cr_assert_eq(verdict("connect", "unix:/home/ann/project/s"), DECLARED);
    cr_assert_eq(verdict("bind", "unix:/tmp/s"), UNDECLARED);
    cr_assert_eq(verdict("connect", "unix:/tmp/s"), DECLARED);
    cr_assert_eq(verdict("stat", "/tmp/s"), DECLARED, "the bind made the file");
    cr_assert_eq(verdict("connect", "unix:/run/docker.sock"), UNDECLARED);
}

Test(verdicts, a_socket_below_a_folder_of_the_builds_own_is_its_own_whoever_bound_it)
{
    event("mkdir", "/tmp/x", 0, 10);
    network_event("bind", "unix:/tmp/x/a", 0, 20);
    network_event("connect", "unix:/tmp/x/b", 0, 20);
    network_event("connect", "unix:/tmp/xx/b", 0, 20);
    judge_all();
    cr_assert_eq(verdict("bind", "unix:/tmp/x/a"), DECLARED);
    cr_assert_eq(verdict("connect", "unix:/tmp/x/b"), DECLARED);
    cr_assert_eq(verdict("connect", "unix:/tmp/xx/b"), UNDECLARED);
}

Test(verdicts, an_abstract_socket_is_known_by_its_name)
{
    network_event("bind", "unix:@mine", 0, 10);
    network_event("send", "unix:@mine", 0, 20);
    network_event("send", "unix:@theirs", 0, 20);
    judge_all();
    cr_assert_eq(verdict("bind", "unix:@mine"), DECLARED);
    cr_assert_eq(verdict("send", "unix:@mine"), DECLARED);
    cr_assert_eq(verdict("send", "unix:@theirs"), UNDECLARED);
}

Test(verdicts, an_address_that_makes_no_sense_is_nobodys)
{
    network_event("bind", "127.0.0.1:99999", 0, 10);
    network_event("bind", "127.0.0.1:", 0, 10);
    network_event("connect", "127.0.0.1:99999", 0, 20);
    network_event("connect", "127.0.0.1:-1", 0, 20);
    judge_all();
    cr_assert_eq(verdict("bind", "127.0.0.1:"), UNDECLARED);
    cr_assert_eq(verdict("connect", "127.0.0.1:99999"), UNDECLARED);
    cr_assert_eq(verdict("connect", "127.0.0.1:-1"), UNDECLARED);
}

Test(verdicts, a_random_device_is_declared_as_randomness)
{
    event("read", "/dev/urandom", 0, 10);
    judge_all();
    cr_assert_eq(verdict("read", "/dev/urandom"), UNDECLARED);
    small_run_judge(&run, "version: 1\nrandomness: real\n");
    cr_assert_eq(verdict("read", "/dev/urandom"), DECLARED);
}

Test(verdicts, an_action_takes_a_process_and_its_children)
{
    static const char manifest[] = "version: 1\n"
                                   "actions:\n"
                                   "  - name: compile\n"
                                   "    match: {exe: /usr/bin/dash}\n"
                                   "    inputs: [/opt/inc]\n";

    event("read", "/opt/inc/x.h", 0, 10);
    small_run_execute(&run, "INSERT INTO event (process, channel, operation, subject)"
                            " VALUES (1, 'filesystem', 'stat', '/opt/inc/x.h')");
    small_run_judge(&run, manifest);
    cr_assert_eq(verdict("read", "/opt/inc/x.h"), DECLARED, "child of the process that matches");
    cr_assert_eq(verdict("stat", "/opt/inc/x.h"), UNDECLARED, "parent of it");
}

static const char waivers[] =
    "version: 1\n"
    "waivers:\n"
    "  - {channel: filesystem, subject: /etc/localtime, reason: r, owner: o, expires: 2099-01-01}\n"
    "  - {channel: filesystem, subject: /etc/other, reason: r, owner: o, expires: 2099-01-01}\n";

Test(verdicts, a_waiver_is_counted_when_it_matched_and_listed_when_not)
{
    struct analysis *analysis;

    event("read", "/etc/localtime", 0, 10);
    small_run_judge(&run, waivers);
    cr_assert_eq(verdict("read", "/etc/localtime"), WAIVED);
    cr_assert_eq(small_run_number(&run, "SELECT count(*) FROM rule WHERE waiver = 1"), 2);
    cr_assert_eq(small_run_number(&run, "SELECT sum(used) FROM rule WHERE waiver = 1"), 1);
    analysis = small_run_load(&run);
    cr_assert_eq(analysis->unused_waiver_count, 1);
    cr_assert_not_null(strstr(analysis->unused_waivers[0].text.bytes, "/etc/other"));
    cr_assert_eq(analysis->unused_waivers[0].line, 4);
    cr_assert_eq(analysis->channels[CHANNEL_FILESYSTEM].waived_findings, 1);
    analysis_free(analysis);
}

Test(verdicts, judging_again_replaces_all_of_the_judgement_before)
{
    event("read", "/etc/localtime", 0, 10);
    small_run_judge(&run, waivers);
    judge_all();
    cr_assert_eq(verdict("read", "/etc/localtime"), UNDECLARED);
    cr_assert_eq(small_run_number(&run, "SELECT count(*) FROM rule WHERE waiver = 1"), 0);
}

Test(verdicts, a_visible_variable_is_judged_in_every_block)
{
    small_run_execute(&run, "INSERT INTO subject (id, channel, name) VALUES"
                            " (50, 3, 'SECRET'), (51, 3, 'PATH');"
                            "INSERT INTO environment_variable (run, block, subject)"
                            " VALUES (1, 7, 50), (1, 8, 50), (1, 8, 51)");
    small_run_judge(&run, "version: 1\nenvironment: {PATH: {pass: true}}\n");
    cr_assert_eq(small_run_number(&run, "SELECT count(*) FROM environment_variable"
                                        " WHERE subject = 50 AND verdict = 1"),
                 2);
    cr_assert_eq(small_run_number(&run, "SELECT verdict FROM environment_variable"
                                        " WHERE subject = 51"),
                 DECLARED);
}

Test(verdicts, a_database_with_nonsense_is_judged_as_far_as_it_makes_sense)
{
    event("read", "/usr/x", 0, 10);
    small_run_execute(&run, "PRAGMA foreign_keys = OFF;"
                            "UPDATE process SET parent = 3 WHERE id = 1;"
                            "INSERT INTO access VALUES (3, 9999, 1, 0, 0, 0, 0, 1, 1, 'x', NULL),"
                            " (3, 9, 777777, 0, 0, 0, 0, 1, 1, 'x', NULL),"
                            " (3, -5, 1, 0, 0, 0, 0, 1, 1, 'x', NULL)");
    judge_all();
    cr_assert_eq(verdict("read", "/usr/x"), UNDECLARED);
    cr_assert_eq(small_run_number(&run, "SELECT count(*) FROM judged_access WHERE verdict IS NULL"),
                 3);
    analysis_free(small_run_load(&run));
}

Test(verdicts, judging_in_the_shadow_leaves_the_file_as_it_is)
{
    struct buffer why = BUFFER_INIT;
    struct manifest *manifest = manifest_ambient("/usr");
    size_t size;
    struct policy *policy = policy_compile(manifest, &size, &why);
    struct analysis *analysis;
    sqlite3 *readonly;

    event("read", "/usr/x", 0, 10);
    event("read", "/opt/x", 0, 10);
    judge_all();
    cr_assert_eq(database_open(run.path, DATABASE_READ, &readonly, &why), 0, "%s", why.data);
    cr_assert_eq(analyzer_shadow(readonly, 1), 0, "%s", sqlite3_errmsg(readonly));
    cr_assert_eq(analyzer_judge(readonly, 1, policy), 0, "%s", sqlite3_errmsg(readonly));
    analysis = analysis_load(readonly, 1, &why);
    cr_assert_eq(analysis_undeclared(analysis), 1);
    analysis_free(analysis);
    database_close(readonly);
    cr_assert_eq(small_run_number(&run, "SELECT count(*) FROM judged_access WHERE verdict = 1"), 2);
    free(policy);
    manifest_free(manifest);
}
