/* SPDX-License-Identifier: MIT */
#include "synthesis.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "name_patterns.h"
#include "random_ending.h"
#include "small_run.h"

static struct text text(const char *bytes)
{
    return (struct text){bytes, strlen(bytes)};
}

/* --- patterns of names ---------------------------------------------------------------------- */

/* The patterns for names that are separated by spaces, in the order in which they were found. */
static void check_patterns(const char *names, const char *others, const char *expected)
{
    struct text list[16];
    struct other_name other[16];
    size_t count = 0, other_count = 0;
    char *copy = xstrdup(names), *other_copy = xstrdup(others), *state = NULL;
    struct name_pattern *patterns;
    struct buffer out = BUFFER_INIT;

    for (char *at = strtok_r(copy, " ", &state); at; at = strtok_r(NULL, " ", &state))
        list[count++] = text(at);
    for (char *at = strtok_r(other_copy, " ", &state); at; at = strtok_r(NULL, " ", &state))
        other[other_count++] = (struct other_name){text(at), 1, true};
    count = name_patterns(list, count, other, other_count, &patterns);
    for (size_t i = 0; i < count; i++)
        buffer_printf(&out, "%s%.*s%s%.*s", i ? " " : "", (int)patterns[i].start.length,
                      patterns[i].start.bytes, patterns[i].whole ? "" : "*",
                      (int)patterns[i].end.length, patterns[i].end.bytes);
    cr_assert_str_eq(out.data, expected);
    free(patterns);
    free(copy);
    free(other_copy);
    buffer_fini(&out);
}

Test(name_patterns, names_with_one_ending_become_a_pattern)
{
    check_patterns("a.o b.o c.o Makefile", "", "*.o Makefile");
}

Test(name_patterns, names_with_one_beginning_become_a_pattern)
{
    check_patterns("config.log config.status conftest.c", "", "conf*");
}

Test(name_patterns, other_names_stand_in_the_way)
{
    check_patterns("a.o b.o", "x.o", "a.o b.o");
    check_patterns("a.o b.o c.o", "x.o", "*.o");
}

Test(name_patterns, two_bytes_are_too_little_to_say_something)
{
    check_patterns("abx aby", "", "abx aby");
}

/* --- random endings ------------------------------------------------------------------------- */

Test(random_ending, names_of_temporary_files_are_recognised)
{
    cr_assert_eq(random_ending(text("ccAb12x9")), 6);
    cr_assert_eq(random_ending(text("build-k3Xw0q")), 6);
    cr_assert_eq(random_ending(text("tmpabcdefgh")), 8);
}

Test(random_ending, plain_words_are_not)
{
    cr_assert_eq(random_ending(text("program")), 0);
    cr_assert_eq(random_ending(text("a1.o")), 0);
    cr_assert_eq(random_ending(text("x1")), 0);
}

/* --- whole manifests ------------------------------------------------------------------------ */

static struct small_run run;

static void open_run(void)
{
    setenv("HOME", "/home/ann", 1);
    small_run_open(&run);
}

static void close_run(void)
{
    small_run_close(&run);
}

TestSuite(synthesis, .init = open_run, .fini = close_run);

static void note(const char *channel, const char *operation, const char *subject, int outcome)
{
    char *sql = sqlite3_mprintf("INSERT INTO event (process, channel, operation, subject, outcome)"
                                " VALUES (3, %Q, %Q, %Q, %d)",
                                channel, operation, subject, outcome);

    small_run_execute(&run, sql);
    sqlite3_free(sql);
}

/* The text for the run; the caller frees. `*open`: uses that it does not declare. */
static char *write_manifest(enum synthesis_balance balance, size_t *open)
{
    struct needs *needs = needs_new();
    struct buffer why = BUFFER_INIT, out = BUFFER_INIT;
    struct synthesis synthesis;

    small_run_judge(&run, NULL);
    cr_assert_eq(needs_add(needs, run.db, 1, &why), 0, "%s", why.data);
    cr_assert_eq(synthesis_make(&synthesis, needs, NULL, balance, &why), 0, "%s", why.data);
    draft_write(synthesis.draft, true, &out);
    *open = synthesis.open;
    draft_free(synthesis.draft);
    needs_free(needs);
    buffer_fini(&why);
    return buffer_take(&out);
}

static void check_lines(enum synthesis_balance balance, const char *const *lines)
{
    size_t open;
    char *manifest = write_manifest(balance, &open);

    cr_assert_eq(open, 0, "%s", manifest);
    for (; *lines; lines++)
        cr_assert_not_null(strstr(manifest, *lines), "no %s in:\n%s", *lines, manifest);
    free(manifest);
}

Test(synthesis, each_channel_has_its_line)
{
    note("clock", "clock", "realtime", 0);
    note("filesystem", "read", "/dev/urandom", 0);
    note("identity", "host", "hostname", 0);
    note("network", "connect", "127.0.0.1:9", 0);
    note("environment", "read", "API_TOKEN", 0);
    check_lines(SYNTHESIS_BALANCED,
                (const char *[]){"clock: real", "randomness: real", "identity: real", "loopback:9",
                                 "API_TOKEN: {pass: true},", NULL});
}

Test(synthesis, what_was_written_is_an_output_and_what_was_read_an_input)
{
    note("filesystem", "mkdir", "/home/ann/project/build", 0);
    note("filesystem", "write", "/home/ann/project/build/a.o", 0);
    note("filesystem", "write", "/home/ann/project/build/b.o", 0);
    note("filesystem", "read", "/home/ann/project/src/a.c", 0);
    note("filesystem", "read", "/home/ann/project/src/b.c", 0);
    check_lines(SYNTHESIS_BALANCED,
                (const char *[]){"outputs:\n  - \"build/**\"", "# The project\n", NULL});
}

Test(synthesis, a_folder_that_was_listed_is_declared_alone)
{
    note("filesystem", "list", "/no/such/folder", 0);
    check_lines(SYNTHESIS_BALANCED, (const char *[]){"\"/no/such/folde[r]\"", NULL});
}

Test(synthesis, what_is_looked_for_in_one_folder_is_one_line)
{
    note("filesystem", "stat", "/opt/none/a.h", ENOENT);
    note("filesystem", "stat", "/opt/none/b.h", ENOENT);
    note("filesystem", "stat", "/opt/none/deep/c.h", ENOENT);
    check_lines(SYNTHESIS_BALANCED, (const char *[]){"absent:\n", "\"/opt/none/**\"", NULL});
}

Test(synthesis, temporary_files_are_scratch)
{
    note("filesystem", "write", "/tmp/part-k3Xw0q", 0);
    check_lines(SYNTHESIS_BALANCED,
                (const char *[]){"scratch:\n  - \"/tmp/part-?????\?/**\"", NULL});
}

Test(synthesis, a_link_that_a_rule_refuses_is_declared_by_its_own_name)
{
    note("filesystem", "stat", "/srv/x/missing", ENOENT);
    note("filesystem", "stat", "/srv/x/missing2", ENOENT);
    note("filesystem", "read", "/srv/x/link/file", 0);
    small_run_execute(&run, "INSERT INTO resolves VALUES ('/srv/x/link/file', '/srv/y/file')");
    check_lines(SYNTHESIS_BALANCED, (const char *[]){"/srv/y/file", NULL});
}

Test(synthesis, bytes_that_are_no_text_are_escaped)
{
    note("filesystem", "read", "/srv/a\xff\"b*?\\", 0);
    check_lines(SYNTHESIS_BALANCED, (const char *[]){"\\xff\\\"b\\\\*\\\\?\\\\\\\\", NULL});
}

Test(synthesis, incomplete_evidence_and_failure_are_told_at_the_top)
{
    size_t open;
    char *manifest;

    small_run_execute(&run, "UPDATE run SET evidence = 'incomplete', exit_status = 2");
    manifest = write_manifest(SYNTHESIS_BALANCED, &open);
    cr_assert_not_null(strstr(manifest, "# The evidence of this run is INCOMPLETE"));
    cr_assert_not_null(strstr(manifest, "# This run FAILED (exit status 2)"));
    free(manifest);
}
