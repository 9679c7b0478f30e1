/* SPDX-License-Identifier: MIT
 *
 * Two databases with a small run each: make -> sh -> cc1.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "difference.h"
#include "small_run.h"

static struct small_run a, b;

static void open_both(void)
{
    small_run_open(&a);
    small_run_open(&b);
}

static void close_both(void)
{
    small_run_close(&a);
    small_run_close(&b);
}

static void in_both(const char *sql)
{
    small_run_execute(&a, sql);
    small_run_execute(&b, sql);
}

#define READ(path, outcome)                                                                        \
    "INSERT INTO event (process, channel, operation, subject, outcome)"                            \
    " VALUES (3, 'filesystem', 'read', '" path "', " #outcome ")"

static struct comparison *compare(void)
{
    struct buffer why = BUFFER_INIT;
    struct comparison *comparison = comparison_make(a.db, 1, b.db, 1, &why);

    cr_assert_not_null(comparison, "%s", why.data);
    return comparison;
}

static const struct difference *find(const struct comparison *comparison, enum difference_kind kind,
                                     const char *member)
{
    for (size_t i = 0; i < comparison->difference_count; i++) {
        const struct difference *difference = &comparison->differences[i];

        if (difference->kind != kind)
            continue;
        if (!member)
            return difference;
        for (size_t j = 0; j < difference->member_count; j++)
            if (strcmp(difference->members[j].subject.bytes, member) == 0)
                return difference;
    }
    return NULL;
}

static void expect_none(void)
{
    struct comparison *comparison = compare();

    cr_expect_not(comparison_differs(comparison), "%zu differences, the first is %s of %s",
                  comparison->difference_count, difference_name(comparison->differences[0].kind),
                  comparison->differences[0].subject.bytes);
    comparison_free(comparison);
}

/* The one difference that there is. */
static void expect(enum difference_kind kind, int side, const char *member)
{
    struct comparison *comparison = compare();
    const struct difference *difference = find(comparison, kind, member);

    cr_assert_not_null(difference, "no %s of %s", difference_name(kind), member);
    cr_expect_eq(difference->side, side);
    cr_expect(difference->counts);
    cr_expect(comparison_differs(comparison));
    cr_expect_eq(comparison->difference_count, 1);
    comparison_free(comparison);
}

TestSuite(difference, .init = open_both, .fini = close_both);

Test(difference, a_run_does_not_differ_from_its_like)
{
    in_both(READ("/usr/include/a.h", 0));
    expect_none();
}

Test(difference, what_is_missing_in_one_is_named_with_its_package)
{
    struct comparison *comparison;
    const struct difference *difference;

    small_run_execute(&a, READ("/usr/include/zlib.h", 0));
    small_run_execute(&a, READ("/usr/include/zconf.h", 0));
    small_run_execute(&a, "UPDATE subject SET package = 'zlib1g-dev 1.2' WHERE name LIKE '%/z%'");
    small_run_execute(&b, READ("/usr/include/zlib.h", 2));
    comparison = compare();
    difference = find(comparison, DIFFERENCE_MISSING, "/usr/include/zlib.h");
    cr_assert_not_null(difference);
    cr_expect_eq(difference->side, SIDE_A);
    cr_expect_str_eq(difference->subject.bytes, "zlib1g-dev");
    cr_expect_str_eq(difference->value[SIDE_A].bytes, "zlib1g-dev 1.2");
    cr_expect_eq(difference->member_count, 2, "the rest of the package belongs to it");
    cr_expect_eq(difference->processes[SIDE_A], 1, "one process used both");
    cr_expect_eq(comparison->difference_count, 1);
    comparison_free(comparison);
}

Test(difference, a_file_that_one_alone_read_is_named)
{
    small_run_execute(&b, READ("/etc/only", 0));
    expect(DIFFERENCE_USE, SIDE_B, "/etc/only");
}

Test(difference, a_probe_of_one_alone_that_found_nothing_follows_from_others)
{
    small_run_execute(&b, READ("/etc/only", 2));
    expect(DIFFERENCE_PROBE, SIDE_B, "/etc/only");
    cr_expect(difference_follows(DIFFERENCE_PROBE));
    cr_expect_not(difference_follows(DIFFERENCE_MISSING));
}

Test(difference, what_is_refused_in_one_is_named)
{
    small_run_execute(&a, READ("/etc/key", 0));
    small_run_execute(&b, READ("/etc/key", 13));
    expect(DIFFERENCE_REFUSED, SIDE_A, "/etc/key");
}

Test(difference, another_version_of_a_package_is_one_difference)
{
    struct comparison *comparison;
    const struct difference *difference;

    in_both(READ("/usr/include/ssl.h", 0) ";" READ("/usr/include/tls.h", 0));
    small_run_execute(&a, "UPDATE subject SET package = 'libssl-dev 3.0.11' WHERE name LIKE '%s.h'"
                          " OR name LIKE '%l.h'");
    small_run_execute(&b, "UPDATE subject SET package = 'libssl-dev 3.0.13' WHERE name LIKE '%s.h'"
                          " OR name LIKE '%l.h'");
    comparison = compare();
    difference = find(comparison, DIFFERENCE_VERSION, "/usr/include/ssl.h");
    cr_assert_not_null(difference);
    cr_expect_str_eq(difference->value[SIDE_A].bytes, "libssl-dev 3.0.11");
    cr_expect_str_eq(difference->value[SIDE_B].bytes, "libssl-dev 3.0.13");
    cr_expect_eq(difference->member_count, 2);
    cr_expect_eq(comparison->difference_count, 1);
    comparison_free(comparison);
}

#define ARTIFACT(path, size, digest)                                                               \
    "INSERT INTO artifact (run, subject, size, digest, changed, modified) SELECT 1, id, " #size    \
    ", " digest ", 0, 0 FROM subject WHERE name = '" path "'"

Test(difference, a_file_with_other_content_is_named)
{
    in_both(READ("/etc/config", 0));
    small_run_execute(&a, ARTIFACT("/etc/config", 7, "'aa'"));
    small_run_execute(&b, ARTIFACT("/etc/config", 7, "'aa'"));
    expect_none();
    small_run_execute(&b, "UPDATE artifact SET digest = 'bb'");
    expect(DIFFERENCE_DIGEST, SIDE_COUNT, "/etc/config");
}

Test(difference, a_file_of_another_size_has_other_content_even_without_a_digest)
{
    in_both(READ("/etc/config", 0));
    small_run_execute(&a, ARTIFACT("/etc/config", 7, "NULL"));
    small_run_execute(&b, ARTIFACT("/etc/config", 8, "NULL"));
    expect(DIFFERENCE_DIGEST, SIDE_COUNT, "/etc/config");
}

Test(difference, content_is_known_by_the_name_that_a_path_resolves_to)
{
    in_both(READ("/etc/link", 0) "; INSERT INTO resolves VALUES ('/etc/link', '/etc/target')");
    small_run_execute(&a, ARTIFACT("/etc/target", 7, "'aa'"));
    small_run_execute(&b, ARTIFACT("/etc/target", 7, "'bb'"));
    expect(DIFFERENCE_DIGEST, SIDE_COUNT, "/etc/link");
}

Test(difference, what_led_to_a_result_with_other_content_comes_first)
{
    struct comparison *comparison;

    small_run_event(&a, "write", "/home/ann/project/out", 0x5, 10);
    small_run_event(&b, "write", "/home/ann/project/out", 0x5, 10);
    small_run_execute(&a, ARTIFACT("/home/ann/project/out", 7, "'aa'"));
    small_run_execute(&b, ARTIFACT("/home/ann/project/out", 7, "'bb'"));
    small_run_execute(&a, "INSERT INTO event (process, channel, operation, subject)"
                          " VALUES (1, 'filesystem', 'read', '/etc/of_make')");
    small_run_execute(&b, READ("/opt/of_cc1", 0));
    comparison = compare();
    cr_assert_eq(comparison->difference_count, 3);
    cr_expect_str_eq(comparison->differences[0].members[0].subject.bytes, "/opt/of_cc1");
    cr_expect_eq(comparison->differences[0].distance, 0);
    cr_expect_str_eq(comparison->differences[1].members[0].subject.bytes, "/etc/of_make");
    cr_expect_eq(comparison->differences[2].kind, DIFFERENCE_OUTPUT);
    comparison_free(comparison);
}

Test(difference, a_machine_without_a_database_of_packages_has_no_other_versions)
{
    in_both(READ("/usr/include/ssl.h", 0));
    small_run_execute(&a, "UPDATE subject SET package = 'libssl-dev 3.0.11'");
    expect_none();
}

Test(difference, another_checkout_home_and_user_make_no_difference)
{
    small_run_execute(&a, READ("/home/ann/project/a.c", 0));
    small_run_execute(&a, READ("/home/ann/.netrc", 2));
    small_run_execute(&b, "UPDATE run SET cwd = '/builds/p', root = '/builds/p', home = '/var/ci',"
                          " user = 'ci', host = 'runner';"
                          "UPDATE process SET cwd = '/builds/p'");
    small_run_execute(&b, READ("/builds/p/a.c", 0));
    small_run_execute(&b, READ("/var/ci/.netrc", 2));
    expect_none();
}

Test(difference, a_file_that_a_run_made_and_removed_is_no_difference)
{
    small_run_event(&a, "write", "/tmp/ccAAAAAA.s", 0x1, 10);
    small_run_event(&a, "unlink", "/tmp/ccAAAAAA.s", 0, 20);
    small_run_event(&b, "write", "/tmp/ccBBBBBB.s", 0x1, 10);
    small_run_event(&b, "unlink", "/tmp/ccBBBBBB.s", 0, 20);
    expect_none();
}

Test(difference, a_file_that_is_removed_and_made_again_is_there_in_the_end)
{
    small_run_event(&a, "unlink", "/home/ann/project/a.a", 0, 10);
    small_run_event(&a, "write", "/home/ann/project/a.a", 0x1, 20);
    expect(DIFFERENCE_MADE, SIDE_A, "{root}/a.a");
}

Test(difference, a_file_that_came_by_renaming_and_was_removed_is_no_difference)
{
    small_run_event(&a, "rename-to", "/home/ann/project/x1", 0, 10);
    small_run_event(&a, "unlink", "/home/ann/project/x1", 0, 20);
    expect_none();
}

Test(difference, what_is_not_there_in_a_folder_of_its_own_is_no_difference)
{
    small_run_execute(&a, "INSERT INTO event (process, channel, operation, subject, first)"
                          " VALUES (3, 'filesystem', 'mkdir', '/home/ann/project/new', 10)");
    small_run_execute(&b, "INSERT INTO event (process, channel, operation, subject, first)"
                          " VALUES (3, 'filesystem', 'mkdir', '/home/ann/project/new', 10)");
    small_run_execute(&a, READ("/home/ann/project/new/x62861", 2));
    small_run_execute(&b, READ("/home/ann/project/new/xc77ab", 2));
    expect_none();
}

Test(difference, random_bytes_for_the_name_of_a_temporary_file_are_no_difference)
{
    small_run_event(&a, "write", "/tmp/tmp.AAAAAA", 0x1, 10);
    small_run_event(&b, "write", "/tmp/tmp.BBBBBB", 0x1, 10);
    small_run_execute(&a, "INSERT INTO event (process, channel, operation, subject)"
                          " VALUES (3, 'randomness', 'random', 'getrandom')");
    expect_none();
    small_run_execute(&a, "INSERT INTO event (process, channel, operation, subject)"
                          " VALUES (1, 'randomness', 'random', 'getrandom')");
    expect(DIFFERENCE_USE, SIDE_A, "getrandom");
}

Test(difference, names_with_the_number_of_a_process_are_no_difference)
{
    small_run_execute(&b, "UPDATE process SET pid = pid + 900");
    small_run_execute(&a, READ("/home/ann/project/conf103.x", 2));
    small_run_execute(&b, READ("/home/ann/project/conf1003.x", 2));
    small_run_execute(&a, "UPDATE process SET pid = 103 WHERE id = 3");
    small_run_execute(&b, "UPDATE process SET pid = 1003 WHERE id = 3");
    small_run_execute(&a, READ("/proc/103/maps", 0));
    small_run_execute(&b, READ("/proc/1003/maps", 0));
    expect_none();
}

Test(difference, another_number_that_is_no_process_is_a_difference)
{
    struct comparison *comparison;

    small_run_execute(&a, READ("/usr/share/x-2001/a", 0));
    small_run_execute(&b, READ("/usr/share/x-2002/a", 0));
    comparison = compare();
    cr_expect_not_null(find(comparison, DIFFERENCE_USE, "/usr/share/x-2001/a"));
    cr_expect_not_null(find(comparison, DIFFERENCE_USE, "/usr/share/x-2002/a"));
    comparison_free(comparison);
}

/* FNV-1a of "/home/ann/project" and of "/builds/p", as the shim hashes values. */
#define FNV_OF_PROJECT "1db79206093903b3"
#define FNV_OF_BUILDS  "b61b5778e2df6570"

#define VARIABLE(name, hash)                                                                       \
    "INSERT OR IGNORE INTO subject (channel, name) VALUES (3, '" name "');"                        \
    "INSERT INTO environment_variable (run, block, subject, hash)"                                 \
    " SELECT 1, 7, id, " hash " FROM subject WHERE channel = 3 AND name = '" name "';"             \
    "UPDATE process SET environment = 7;"

/* Blocks with the same number are the same block. */
#define OTHER_BLOCK "UPDATE environment_variable SET block = 8; UPDATE process SET environment = 8"

Test(difference, a_variable_with_another_value_is_named_by_the_hash_alone)
{
    small_run_execute(&a, VARIABLE("CFLAGS", "'0000000000000001'"));
    small_run_execute(&b, VARIABLE("CFLAGS", "'0000000000000002'") OTHER_BLOCK);
    expect(DIFFERENCE_VARIABLE, SIDE_COUNT, "CFLAGS");
}

Test(difference, a_variable_of_one_alone_is_named_even_if_it_is_a_secret)
{
    small_run_execute(&a, VARIABLE("PATH", "'0000000000000001'"));
    small_run_execute(&b, VARIABLE("PATH", "'0000000000000001'") VARIABLE("API_TOKEN", "NULL")
                              OTHER_BLOCK);
    expect(DIFFERENCE_VARIABLE, SIDE_B, "API_TOKEN");
}

Test(difference, a_variable_that_names_the_folder_is_the_same_in_another_folder)
{
    small_run_execute(&a, VARIABLE("PWD", "'" FNV_OF_PROJECT "'"));
    small_run_execute(&b, VARIABLE("PWD", "'" FNV_OF_BUILDS "'") OTHER_BLOCK);
    small_run_execute(&b, "UPDATE run SET cwd = '/builds/p', root = '/builds/p';"
                          "UPDATE process SET cwd = '/builds/p'");
    expect_none();
}

Test(difference, a_variable_of_the_session_does_not_count)
{
    struct comparison *comparison;

    small_run_execute(&a, VARIABLE("SHLVL", "'0000000000000001'"));
    small_run_execute(&b, VARIABLE("SHLVL", "'0000000000000002'") OTHER_BLOCK);
    comparison = compare();
    cr_expect_not(comparison_differs(comparison));
    cr_expect_not_null(find(comparison, DIFFERENCE_VARIABLE, "SHLVL"), "but it is listed");
    comparison_free(comparison);
}

Test(difference, a_program_from_elsewhere_is_one_difference)
{
    struct comparison *comparison;
    const struct difference *difference;

    small_run_execute(&b, "UPDATE subject SET name = '/opt/gcc/cc1' WHERE id = 3;"
                          "UPDATE process SET argv = CAST('/opt/gcc/cc1' || char(0) || 'a.c' ||"
                          " char(0) AS BLOB) WHERE id = 3");
    comparison = compare();
    difference = find(comparison, DIFFERENCE_PROGRAM, NULL);
    cr_assert_not_null(difference);
    cr_expect_str_eq(difference->value[SIDE_A].bytes, "/usr/lib/gcc/cc1");
    cr_expect_str_eq(difference->value[SIDE_B].bytes, "/opt/gcc/cc1");
    cr_expect_eq(comparison->difference_count, 1);
    comparison_free(comparison);
}

Test(difference, other_arguments_are_told_by_the_words_that_differ)
{
    struct comparison *comparison;
    const struct difference *difference;

    small_run_execute(&b, "UPDATE process SET argv = CAST('/usr/lib/gcc/cc1' || char(0) || '-O3' ||"
                          " char(0) || 'a.c' || char(0) AS BLOB) WHERE id = 3");
    comparison = compare();
    difference = find(comparison, DIFFERENCE_ARGUMENTS, NULL);
    cr_assert_not_null(difference);
    cr_expect_str_eq(difference->value[SIDE_A].bytes, "");
    cr_expect_str_eq(difference->value[SIDE_B].bytes, "-O3");
    comparison_free(comparison);
}

/* cc1 fails in B, then sh, then make. */
static void fail_in_b(void)
{
    small_run_execute(&a, "UPDATE process SET ended = 2000 - id");
    small_run_execute(&b, "UPDATE process SET ended = 2000 - id, exit_status = 1;"
                          "UPDATE run SET exit_status = 2");
}

Test(difference, the_first_that_ended_differently_is_the_deepest)
{
    struct comparison *comparison;

    fail_in_b();
    comparison = compare();
    cr_expect(comparison->status_differs);
    cr_expect_eq(comparison->first.process[SIDE_A], 2);
    cr_expect_eq(comparison->first.process[SIDE_B], 2);
    cr_expect_eq(comparison->fatal.process[SIDE_B], ANALYSIS_NONE, "it is the same");
    comparison_free(comparison);
}

Test(difference, a_failure_that_make_went_on_after_is_not_what_it_failed_by)
{
    struct comparison *comparison;

    fail_in_b();
    /* $(shell ...) in B alone, which fails early; a compiler is started after it. */
    small_run_execute(&b, "INSERT INTO process (id, run, serial, parent, how, pid, parent_pid, exe,"
                          " argv, command, cwd, started, ended, exit_status, signal, shim)"
                          " VALUES (4, 1, 4, 1, 'spawn', 104, 101, 1, CAST('cat' || char(0) ||"
                          " 'none' || char(0) AS BLOB), 'cat none', '/home/ann/project', 1, 1, 1,"
                          " 0, 'loaded')");
    comparison = compare();
    cr_expect_eq(comparison->first.process[SIDE_B], 2);
    cr_expect_eq(comparison->fatal.process[SIDE_B], ANALYSIS_NONE);
    comparison_free(comparison);
}

Test(difference, what_is_near_to_the_failure_comes_first)
{
    struct comparison *comparison;

    fail_in_b();
    small_run_execute(&a, "INSERT INTO event (process, channel, operation, subject)"
                          " VALUES (1, 'filesystem', 'read', '/etc/of_make')");
    small_run_execute(&b, READ("/etc/of_cc1", 0));
    comparison = compare();
    cr_assert_geq(comparison->difference_count, 2);
    cr_expect_str_eq(comparison->differences[0].members[0].subject.bytes, "/etc/of_cc1");
    cr_expect_eq(comparison->differences[0].distance, 0);
    cr_expect_str_eq(comparison->differences[1].members[0].subject.bytes, "/etc/of_make");
    cr_expect_eq(comparison->differences[1].distance, 2);
    comparison_free(comparison);
}

Test(difference, what_a_run_came_to_after_the_failure_is_a_consequence)
{
    struct comparison *comparison;
    const struct difference *difference;

    fail_in_b();
    small_run_execute(&a, "INSERT INTO event (process, channel, operation, subject, first)"
                          " VALUES (1, 'filesystem', 'read', '/etc/late', 5000)");
    small_run_execute(&a, READ("/etc/early", 0));
    comparison = compare();
    difference = find(comparison, DIFFERENCE_USE, "/etc/late");
    cr_assert_not_null(difference);
    /* Both are in the folder /etc, and one of them was used before. */
    cr_expect_not(difference->later);
    comparison_free(comparison);
    small_run_execute(&a, "DELETE FROM access WHERE first < 5000");
    comparison = compare();
    difference = find(comparison, DIFFERENCE_USE, "/etc/late");
    cr_assert_not_null(difference);
    cr_expect(difference->later);
    comparison_free(comparison);
}

Test(difference, a_broken_pipe_is_a_matter_of_speed)
{
    small_run_execute(&b, "UPDATE process SET exit_status = NULL, signal = 13 WHERE id = 3");
    expect_none();
}

Test(difference, a_process_of_one_alone_is_named)
{
    small_run_execute(&b, "INSERT INTO process (id, run, serial, parent, how, pid, parent_pid, exe,"
                          " argv, command, cwd, started, shim) VALUES (4, 1, 4, 1, 'spawn', 104,"
                          " 101, 1, CAST('git' || char(0) || 'status' || char(0) AS BLOB),"
                          " 'git status', '/home/ann/project', 4, 'loaded')");
    expect(DIFFERENCE_PROCESS, SIDE_B, "git status");
}

Test(difference, incomplete_evidence_proves_nothing)
{
    struct comparison *comparison;

    small_run_execute(&b, "UPDATE run SET evidence = 'incomplete';"
                          "INSERT INTO blind_spot (run, class) VALUES (1, 'static')");
    small_run_execute(&a, READ("/etc/only", 0));
    comparison = compare();
    cr_assert_eq(comparison->difference_count, 1);
    cr_expect_not(comparison_is_proven(comparison, &comparison->differences[0]));
    cr_expect_eq(comparison->runs[SIDE_B]->blind_class_count, 1);
    comparison_free(comparison);
}

Test(difference, what_another_witness_saw_alone_is_left_out)
{
    small_run_execute(&a, "UPDATE run SET witness = 'gaps'");
    small_run_execute(&a, "INSERT INTO event (process, channel, operation, subject, source)"
                          " VALUES (3, 'filesystem', 'read', '/etc/witnessed', 1)");
    expect_none();
}

Test(difference, two_runs_of_one_database_are_compared_as_well)
{
    struct buffer why = BUFFER_INIT;
    struct comparison *comparison = comparison_make(a.db, 1, a.db, 1, &why);

    cr_assert_not_null(comparison);
    cr_expect_not(comparison_differs(comparison));
    comparison_free(comparison);
    cr_expect_null(comparison_make(a.db, 1, a.db, 2, &why));
    cr_expect_str_eq(why.data, "there is no run 2");
    buffer_fini(&why);
}

Test(difference, a_name_with_any_bytes_is_compared_as_it_is)
{
    const char *sql = "INSERT INTO event (process, channel, operation, subject)"
                      " VALUES (3, 'filesystem', 'read', CAST(x'2f61ff0a1b5b33316d' AS TEXT))";

    in_both(sql);
    expect_none();
}
