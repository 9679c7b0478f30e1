/* SPDX-License-Identifier: MIT
 *
 * The shim and the witness have seen the same build: what counts, and what only confirms.
 */
#include "analyzer.h"

#include <criterion/criterion.h>
#include <errno.h>

#include "sources.h"
#include "small_run.h"

#define SHIM    0
#define WITNESS 1

static struct small_run run;

static void open_run(void)
{
    small_run_open(&run);
    small_run_execute(&run, "UPDATE run SET witness = 'gaps'");
}

static void close_run(void)
{
    small_run_close(&run);
}

TestSuite(sources, .init = open_run, .fini = close_run);

/* An access of a process, on the file system unless `operation` says "channel/operation". */
static void add(int source, int process, const char *operation, const char *subject, int outcome)
{
    const char *slash = strchr(operation, '/');
    char *sql = sqlite3_mprintf(
        "INSERT INTO event (process, channel, operation, subject, outcome, source, first)"
        " VALUES (%d, '%.*s', %Q, %Q, %d, %d, 1000)",
        process, slash ? (int)(slash - operation) : 10, slash ? operation : "filesystem",
        slash ? slash + 1 : operation, subject, outcome, source);

    small_run_execute(&run, sql);
    sqlite3_free(sql);
}

/* The verdict of the witness's one record of this operation and subject. */
static long standing(const char *operation, const char *subject)
{
    char *sql =
        sqlite3_mprintf("SELECT verdict FROM judged_access a JOIN subject s ON s.id = a.subject"
                        " JOIN operation o ON o.id = a.operation"
                        " WHERE o.name = %Q AND s.name = %Q AND a.source = 1",
                        operation, subject);
    long verdict = small_run_number(&run, sql);

    sqlite3_free(sql);
    return verdict;
}

static void judge_all(void)
{
    small_run_judge(&run, NULL);
}

Test(sources, an_access_that_both_have_seen_counts_once)
{
    struct analysis *analysis;
    const struct analysis_finding *finding;

    add(SHIM, 3, "read", "/opt/a/x", 0);
    add(WITNESS, 3, "read", "/opt/a/x", 0);
    judge_all();
    cr_assert_eq(standing("read", "/opt/a/x"), VERDICT_CONFIRMED);
    cr_assert_eq(small_run_number(&run, "SELECT sum(count) FROM v_finding"), 1);
    analysis = small_run_load(&run);
    finding = small_run_finding(analysis, "/opt/a");
    cr_assert_eq(finding->count, 1);
    cr_assert_eq(finding->member_count, 1);
    cr_assert_not(finding->members[0].witness);
    cr_assert_eq(analysis->channels[CHANNEL_FILESYSTEM].undeclared, 1);
    analysis_free(analysis);
}

Test(sources, what_the_witness_alone_has_seen_is_a_finding)
{
    struct analysis *analysis;

    add(WITNESS, 3, "read", "/opt/a/x", 0);
    judge_all();
    analysis = small_run_load(&run);
    cr_assert(small_run_finding(analysis, "/opt/a")->members[0].witness);
    analysis_free(analysis);
}

Test(sources, a_member_is_the_shims_if_it_saw_the_thing_in_any_process)
{
    struct analysis *analysis;
    const struct analysis_finding *finding;

    add(WITNESS, 2, "read", "/opt/a/x", 0);
    add(SHIM, 3, "read", "/opt/a/x", 0);
    judge_all();
    analysis = small_run_load(&run);
    finding = small_run_finding(analysis, "/opt/a");
    cr_assert_eq(finding->member_count, 1);
    cr_assert_eq(finding->count, 2);
    cr_assert_not(finding->members[0].witness);
    analysis_free(analysis);
}

Test(sources, another_use_of_the_same_name_stands_for_itself)
{
    add(SHIM, 3, "read", "/opt/a/x", 0);
    add(WITNESS, 3, "write", "/opt/a/x", 0);
    add(WITNESS, 2, "read", "/opt/a/x", 0);
    judge_all();
    cr_assert_eq(standing("write", "/opt/a/x"), VERDICT_UNDECLARED);
    cr_assert_eq(standing("read", "/opt/a/x"), VERDICT_UNDECLARED, "of another process");
}

Test(sources, a_look_at_what_the_shim_saw_used_is_confirmed)
{
    add(SHIM, 3, "read", "/opt/a/x", 0);
    add(WITNESS, 3, "stat", "/opt/a/x", 0);
    add(SHIM, 3, "stat", "/opt/a/y", 0);
    add(WITNESS, 3, "read", "/opt/a/y", 0);
    judge_all();
    cr_assert_eq(standing("stat", "/opt/a/x"), VERDICT_CONFIRMED);
    cr_assert_eq(standing("read", "/opt/a/y"), VERDICT_UNDECLARED, "reading is more than looking");
}

Test(sources, looks_at_the_folders_above_a_path_follow_from_its_use)
{
    add(SHIM, 3, "realpath", "/opt/a/b/x", 0);
    add(WITNESS, 3, "readlink", "/opt", EINVAL);
    add(WITNESS, 3, "readlink", "/opt/a", EINVAL);
    add(WITNESS, 3, "readlink", "/opt/a/b", EINVAL);
    add(WITNESS, 3, "readlink", "/opt/a/b/x", EINVAL);
    add(WITNESS, 3, "stat", "/opt/ab", 0);
    add(WITNESS, 2, "stat", "/opt/a/b", 0);
    judge_all();
    cr_assert_eq(standing("readlink", "/opt"), VERDICT_CONFIRMED);
    cr_assert_eq(standing("readlink", "/opt/a"), VERDICT_CONFIRMED);
    cr_assert_eq(standing("readlink", "/opt/a/b"), VERDICT_CONFIRMED);
    cr_assert_eq(standing("readlink", "/opt/a/b/x"), VERDICT_CONFIRMED);
    cr_assert_eq(standing("stat", "/opt/ab"), VERDICT_UNDECLARED, "only looks like a folder above");
    cr_assert_eq(standing("stat", "/opt/a/b"), VERDICT_UNDECLARED, "another process");
}

Test(sources, folders_above_what_the_witness_alone_saw_follow_as_well)
{
    add(WITNESS, 3, "stat", "/", 0);
    add(WITNESS, 3, "stat", "/opt/a", 0);
    add(WITNESS, 3, "write", "/opt/a/b/x", 0);
    add(WITNESS, 3, "list", "/opt", 0);
    judge_all();
    cr_assert_eq(standing("stat", "/"), VERDICT_CONFIRMED);
    cr_assert_eq(standing("stat", "/opt/a"), VERDICT_CONFIRMED);
    cr_assert_eq(standing("list", "/opt"), VERDICT_UNDECLARED, "listing is more than looking");
}

Test(sources, the_links_on_the_way_to_what_the_shim_saw_follow_from_it)
{
    small_run_execute(&run, "INSERT INTO resolves VALUES ('/usr/bin/cc', '/usr/lib/x/gcc-12');"
                            "INSERT INTO resolves VALUES ('/etc/alternatives/cc',"
                            " '/usr/lib/x/gcc-12')");
    add(SHIM, 3, "realpath", "/usr/bin/cc", 0);
    add(WITNESS, 3, "readlink", "/etc/alternatives/cc", 0);
    add(WITNESS, 3, "readlink", "/usr/lib/x/gcc-12", EINVAL);
    add(WITNESS, 3, "readlink", "/usr/lib/x", EINVAL);
    judge_all();
    cr_assert_eq(standing("readlink", "/etc/alternatives/cc"), VERDICT_CONFIRMED);
    cr_assert_eq(standing("readlink", "/usr/lib/x/gcc-12"), VERDICT_CONFIRMED);
    cr_assert_eq(standing("readlink", "/usr/lib/x"), VERDICT_CONFIRMED);
}

Test(sources, what_was_found_is_not_confirmed_by_a_search_that_found_nothing)
{
    add(SHIM, 3, "read", "/opt/a/x", ENOENT);
    add(WITNESS, 3, "read", "/opt/a/x", 0);
    add(SHIM, 3, "access", "/opt/a/y", ENOENT);
    add(WITNESS, 3, "execute", "/opt/a/y", ENOENT);
    judge_all();
    cr_assert_eq(standing("read", "/opt/a/x"), VERDICT_UNDECLARED);
    cr_assert_eq(standing("execute", "/opt/a/y"), VERDICT_CONFIRMED, "a probe is a probe");
}

Test(sources, a_child_that_was_spawned_is_confirmed_by_its_parents_record)
{
    add(SHIM, 1, "execute", "/usr/bin/dash", 0);
    add(WITNESS, 2, "execute", "/usr/bin/dash", 0);
    add(SHIM, 1, "write", "/opt/log", 0);
    add(WITNESS, 2, "write", "/opt/log", 0);
    small_run_execute(&run, "UPDATE access SET first = 900 WHERE source = 1 AND operation ="
                            " (SELECT id FROM operation WHERE name = 'write' AND channel = 0)");
    add(SHIM, 1, "read", "/opt/later", 0);
    add(WITNESS, 2, "read", "/opt/later", 0);
    small_run_execute(&run, "UPDATE access SET first = 2000 WHERE subject ="
                            " (SELECT id FROM subject WHERE name = '/opt/later')");
    judge_all();
    cr_assert_eq(standing("execute", "/usr/bin/dash"), VERDICT_CONFIRMED);
    cr_assert_eq(standing("write", "/opt/log"), VERDICT_CONFIRMED, "opened before the exec");
    cr_assert_eq(standing("read", "/opt/later"), VERDICT_UNDECLARED, "read after the exec");
}

Test(sources, a_library_that_the_shim_saw_loaded_was_opened_for_that)
{
    add(SHIM, 3, "load", "/opt/lib/libx.so", 0);
    add(WITNESS, 3, "read", "/opt/lib/libx.so", 0);
    add(SHIM, 3, "list", "/opt/folder", 0);
    add(WITNESS, 3, "read", "/opt/folder", 0);
    judge_all();
    cr_assert_eq(standing("read", "/opt/lib/libx.so"), VERDICT_CONFIRMED);
    cr_assert_eq(standing("read", "/opt/folder"), VERDICT_CONFIRMED, "opened to be listed");
}

Test(sources, values_are_the_same_only_with_the_same_question)
{
    add(SHIM, 3, "network/connect", "192.0.2.1:53", 0);
    add(WITNESS, 3, "network/connect", "192.0.2.1:53", 0);
    add(WITNESS, 3, "network/send", "192.0.2.1:53", 0);
    add(SHIM, 3, "clock/clock", "realtime", 0);
    add(WITNESS, 3, "clock/clock", "realtime", 0);
    judge_all();
    cr_assert_eq(standing("connect", "192.0.2.1:53"), VERDICT_CONFIRMED);
    cr_assert_eq(standing("send", "192.0.2.1:53"), VERDICT_UNDECLARED);
    cr_assert_eq(standing("clock", "realtime"), VERDICT_CONFIRMED);
}

Test(sources, what_libc_does_to_answer_a_question_follows_from_the_question)
{
    add(SHIM, 3, "identity/host", "host-name", 0);
    add(WITNESS, 3, "identity/host", "kernel", 0);
    add(SHIM, 2, "resources/cpu", "online", 0);
    add(WITNESS, 2, "read", "/sys/devices/system/cpu/online", 0);
    judge_all();
    cr_assert_eq(standing("host", "kernel"), VERDICT_CONFIRMED);
    cr_assert_eq(standing("read", "/sys/devices/system/cpu/online"), VERDICT_CONFIRMED);
}

Test(sources, another_process_has_not_asked)
{
    add(SHIM, 3, "identity/host", "host-name", 0);
    add(WITNESS, 2, "identity/host", "kernel", 0);
    judge_all();
    cr_assert_eq(standing("host", "kernel"), VERDICT_UNDECLARED);
}

Test(sources, what_is_confirmed_is_no_probe_in_the_view_and_uses_no_rule)
{
    add(SHIM, 3, "read", "/opt/none", ENOENT);
    add(WITNESS, 3, "read", "/opt/none", ENOENT);
    small_run_judge(&run, "version: 1\ninputs: [/opt/**]\n");
    cr_assert_eq(small_run_number(&run, "SELECT sum(count) FROM v_probe"), 1);
    cr_assert_eq(small_run_number(&run, "SELECT sum(used) FROM rule"), 1);
    cr_assert_eq(small_run_number(&run, "SELECT rule IS NULL FROM judged_access WHERE source = 1"),
                 1);
    cr_assert_eq(small_run_number(&run, "SELECT count(*) FROM v_access WHERE"
                                        " verdict = 'confirmed' AND source = 'witness'"),
                 1);
}
