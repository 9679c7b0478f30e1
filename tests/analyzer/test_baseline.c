/* SPDX-License-Identifier: MIT */
#include "baseline.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "small_run.h"

#define HEADER "# tallyman baseline 1\n"

static struct small_run run;

static void open_run(void)
{
    small_run_open(&run);
    small_run_execute(&run, "INSERT INTO event (process, channel, operation, subject) VALUES"
                            " (3, 'filesystem', 'read', '/opt/b/x'),"
                            " (3, 'filesystem', 'read', '/home/ann/.netrc'),"
                            " (3, 'filesystem', 'read', '/opt/a' || char(10) || 'b/y'),"
                            " (1, 'identity', 'user', 'passwd:ann'),"
                            " (2, 'environment', 'read', 'LANG')");
}

static void close_run(void)
{
    small_run_close(&run);
}

TestSuite(baseline, .init = open_run, .fini = close_run);

static struct analysis *judged(void)
{
    small_run_judge(&run, NULL);
    return small_run_load(&run);
}

static struct baseline *parse(const char *text)
{
    struct buffer why = BUFFER_INIT;
    struct baseline *baseline = baseline_parse("b.txt", text, strlen(text), &why);

    cr_assert_not_null(baseline, "%s", why.data);
    cr_assert_eq(why.length, 0);
    return baseline;
}

static void check_refused(const char *text, size_t length, const char *reason)
{
    struct buffer why = BUFFER_INIT;

    cr_assert_null(baseline_parse("b.txt", text, length, &why));
    cr_assert_str_eq(why.data, reason);
    buffer_fini(&why);
}

static void check_text_refused(const char *text, const char *reason)
{
    check_refused(text, strlen(text), reason);
}

Test(baseline, what_is_written_is_sorted_and_has_no_place_of_the_machine)
{
    struct analysis *analysis = judged();
    struct buffer text = BUFFER_INIT;
    char *line, *rest, *before = NULL;

    baseline_write(analysis, &text);
    cr_assert_eq(strncmp(text.data, HEADER, strlen(HEADER)), 0);
    cr_assert_eq(text.data[text.length - 1], '\n');
    cr_assert_null(strstr(text.data, "ann"), "%s", text.data);
    cr_assert_not_null(strstr(text.data, " credentials # filesystem read, home ~\n"), "%s",
                       text.data);
    cr_assert_not_null(strstr(text.data, "passwd:{user}\n"), "%s", text.data);
    cr_assert_not_null(strstr(text.data, "\\x0a"), "a newline in a name starts no line");
    strtok_r(text.data, "\n", &rest);
    while ((line = strtok_r(NULL, "\n", &rest)) != NULL) {
        cr_assert(!before || strcmp(before, line) < 0);
        before = line;
    }
    buffer_fini(&text);
    analysis_free(analysis);
}

Test(baseline, a_run_is_clean_against_what_was_written_of_it)
{
    struct analysis *analysis = judged();
    struct buffer text = BUFFER_INIT;
    struct baseline *baseline;

    baseline_write(analysis, &text);
    baseline = parse(text.data);
    cr_assert_eq(baseline_count(baseline), analysis->finding_count);
    analysis_apply_baseline(analysis, baseline);
    cr_assert_eq(analysis_known(analysis), analysis_undeclared(analysis));
    cr_assert_eq(analysis_known(analysis), 5);
    cr_assert_eq(analysis->stale_count, 0);
    baseline_free(baseline);
    buffer_fini(&text);
    analysis_free(analysis);
}

Test(baseline, a_line_that_no_finding_has_is_stale_and_a_finding_that_no_line_has_is_new)
{
    struct analysis *analysis = judged();
    struct baseline *baseline =
        parse(HEADER "0000000000000001 installed # filesystem read, folder /gone\n"
                     "\n"
                     "0000000000000002\n");

    analysis_apply_baseline(analysis, baseline);
    baseline_free(baseline);
    cr_assert_eq(analysis_known(analysis), 0);
    cr_assert_eq(analysis->stale_count, 2);
    cr_assert_str_eq(analysis->stale[0].fingerprint, "0000000000000001");
    cr_assert_str_eq(analysis->stale[0].words.bytes, "installed # filesystem read, folder /gone");
    cr_assert_eq(analysis->stale[0].line, 2);
    cr_assert_eq(analysis->stale[1].line, 4);
    cr_assert_eq(analysis->stale[1].words.length, 0);
    analysis_free(analysis);
}

Test(baseline, what_is_waived_is_stale_in_a_baseline)
{
    struct analysis *analysis = judged();
    struct baseline *baseline = baseline_of(analysis);

    analysis_free(analysis);
    small_run_judge(&run, "version: 1\nwaivers:\n  - {channel: filesystem, subject: /opt/b/x, "
                          "reason: r, owner: o, expires: 2199-01-01}\n");
    analysis = small_run_load(&run);
    analysis_apply_baseline(analysis, baseline);
    cr_assert_eq(analysis->stale_count, 1);
    cr_assert_eq(analysis->stale[0].line, 0, "no line: the baseline is a run");
    cr_assert_not_null(strstr(analysis->stale[0].words.bytes, "/opt/b"));
    baseline_free(baseline);
    analysis_free(analysis);
}

Test(baseline, a_second_baseline_takes_the_place_of_the_first)
{
    struct analysis *analysis = judged();
    struct baseline *all = baseline_of(analysis), *none = parse(HEADER);

    analysis_apply_baseline(analysis, all);
    analysis_apply_baseline(analysis, none);
    cr_assert_eq(analysis_known(analysis), 0);
    cr_assert_not(analysis->findings[0].known);
    baseline_free(all);
    baseline_free(none);
    analysis_free(analysis);
}

Test(baseline, order_duplicates_comments_and_carriage_returns_do_not_matter)
{
    struct baseline *baseline = parse("# tallyman baseline 1\r\n"
                                      "ffffffffffffffff b\r\n"
                                      "0000000000000001 a\r\n"
                                      "# said by ann\r\n"
                                      " \t\r\n"
                                      "ffffffffffffffff another\r\n"
                                      "0000000000000001 a");

    cr_assert_eq(baseline_count(baseline), 2);
    baseline_free(baseline);
}

Test(baseline, a_conflict_of_a_merge_is_named_with_its_line_and_the_way_out)
{
    check_text_refused(HEADER "0000000000000001 a\n"
                              "<<<<<<< HEAD\n"
                              "0000000000000002 b\n"
                              "=======\n"
                              "0000000000000003 c\n"
                              ">>>>>>> other\n",
                       "b.txt:3: a conflict of a merge: keep the lines of both sides, in any "
                       "order, and remove the marker lines");
    check_text_refused("<<<<<<< HEAD\n" HEADER,
                       "b.txt:1: a conflict of a merge: keep the lines of both sides, in any "
                       "order, and remove the marker lines");
    check_text_refused(HEADER "=======\n",
                       "b.txt:2: a conflict of a merge: keep the lines of both sides, in any "
                       "order, and remove the marker lines");
}

Test(baseline, another_version_is_refused_with_its_number)
{
    check_text_refused("# tallyman baseline 2\n",
                       "b.txt:1: a baseline of version 2; this tallyman reads version 1: use the "
                       "tallyman that wrote it, or write it anew with check --write-baseline");
    check_text_refused("# tallyman baseline 1\033[31m\n",
                       "b.txt:1: a baseline of version 1\\x1b[31m; this tallyman reads version 1: "
                       "use the tallyman that wrote it, or write it anew with check "
                       "--write-baseline");
}

Test(baseline, what_is_no_baseline_is_refused_in_one_line)
{
    static const char binary[] = "\177ELF\0\1\n\xff";
    static const char nul[] = HEADER "00000000\0001234567\n";
    const char *not_one = "b.txt: not a baseline: its first line is not \"# tallyman baseline 1\"";

    check_text_refused("", not_one);
    check_text_refused("\n" HEADER, not_one);
    check_text_refused("version: 1\n", not_one);
    check_refused(binary, sizeof binary - 1, not_one);
    check_refused(nul, sizeof nul - 1,
                  "b.txt:2: expected a fingerprint of 16 hexadecimal digits, not "
                  "\"00000000\\x001234567\"");
    check_text_refused(HEADER "123456789abcdef a\n",
                       "b.txt:2: expected a fingerprint of 16 hexadecimal digits, not "
                       "\"123456789abcdef a\"");
    check_text_refused(HEADER "0123456789ABCDEF\n",
                       "b.txt:2: expected a fingerprint of 16 hexadecimal digits, not "
                       "\"0123456789ABCDEF\"");
    check_text_refused(HEADER "0123456789abcdef0\n",
                       "b.txt:2: expected a fingerprint of 16 hexadecimal digits, not "
                       "\"0123456789abcdef0\"");
}

Test(baseline, a_hundred_thousand_lines_are_read)
{
    struct buffer text = BUFFER_INIT;
    struct baseline *baseline;

    buffer_add_text(&text, HEADER);
    for (unsigned i = 0; i < 100000; i++)
        buffer_printf(&text, "%016x x\n", i * 2654435761u);
    baseline = parse(text.data);
    cr_assert_eq(baseline_count(baseline), 100000);
    baseline_free(baseline);
    buffer_fini(&text);
}
