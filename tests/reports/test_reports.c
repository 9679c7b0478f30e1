/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "quote.h"
#include "tallyman/record.h"

static struct small_run run;

static void open_run(void)
{
    setenv("TZ", "UTC", 1);
    small_run_open(&run);
}

static void close_run(void)
{
    small_run_close(&run);
}

TestSuite(reports, .init = open_run, .fini = close_run);

static void check_case(const char *name)
{
    struct report_settings settings = {.width = 100, .database = "tallyman.db"};

    case_load(&run, name);
    case_check(&run, name, "text", "expected.txt", &settings);
    settings.all = true;
    case_check(&run, name, "json", "expected.json", &settings);
}

Test(reports, a_build_without_a_manifest_is_shown_by_package_and_place)
{
    check_case("build");
}

Test(reports, names_with_any_bytes_are_shown_safely)
{
    check_case("hostile");
}

Test(reports, waivers_are_counted_and_those_that_matched_nothing_are_listed)
{
    check_case("waived");
}

Test(reports, a_witnessed_run_is_certified_and_nothing_counts_twice)
{
    check_case("witnessed");
}

Test(reports, a_clean_run_says_so)
{
    check_case("clean");
}

/* No escape but our own colours, no control character but the newline, and valid UTF-8. */
static void check_safe(const struct buffer *out, bool colour)
{
    static const char *const ours[] = {"\033[0m", "\033[1m", "\033[2m", "\033[36m"};

    cr_assert(text_is_utf8(out->data, out->length));
    for (const char *at = out->data; *at; at++) {
        bool known = false;

        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
            known = known || strncmp(at, ours[i], strlen(ours[i])) == 0;
        cr_assert(*at == '\n' || (unsigned char)*at >= 0x20 || (colour && known),
                  "byte %02x in: %.60s", (unsigned char)*at, at);
        cr_assert_neq(*at, 0x7f);
    }
    cr_assert_null(strstr(out->data, "\xe2\x80\xae"), "a mark that reverses text");
}

Test(reports, nothing_that_a_name_holds_steers_the_terminal)
{
    struct report_settings settings = {.width = 60, .all = true, .database = "a\033[31mb.db"};
    struct buffer out = BUFFER_INIT;

    case_load(&run, "hostile");
    case_render(&run, "text", &settings, &out);
    check_safe(&out, false);
    buffer_clear(&out);
    settings.colour = true;
    settings.all = false;
    case_render(&run, "text", &settings, &out);
    check_safe(&out, true);
    buffer_fini(&out);
}

Test(reports, no_line_but_a_single_word_is_wider_than_the_page)
{
    static const int widths[] = {40, 60, 80, 132};

    case_load(&run, "build");
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        struct report_settings settings = {.width = widths[i], .database = "tallyman.db"};
        struct buffer out = BUFFER_INIT;

        case_render(&run, "text", &settings, &out);
        for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n"))
            cr_assert_leq(quote_width(line, strlen(line)), (size_t)widths[i], "%s", line);
        buffer_fini(&out);
    }
}

Test(reports, probes_never_take_more_room_than_what_was_read)
{
    struct report_settings settings = {.width = 100, .database = "tallyman.db"};
    struct buffer out = BUFFER_INIT;
    int lines = 0;

    small_run_execute(&run, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                            " WHERE i < 3000)"
                            "INSERT INTO event (process, channel, operation, subject, outcome)"
                            " SELECT 3, 'filesystem', 'stat', '/opt/' || i || '/x.h', 2 FROM n");
    small_run_event(&run, "read", "/opt/a/x.h", 0, 1);
    small_run_judge(&run, NULL);
    case_render(&run, "text", &settings, &out);
    for (const char *at = out.data; *at; at++)
        lines += *at == '\n';
    cr_assert_lt(lines, 20, "%s", out.data);
    cr_assert_not_null(strstr(out.data, "3000 names"));
    buffer_fini(&out);
}

Test(reports, a_run_that_never_ended_is_reported_with_a_note)
{
    struct report_settings settings = {.width = 100, .database = "tallyman.db"};
    struct buffer out = BUFFER_INIT;

    small_run_execute(&run, "UPDATE run SET ended = NULL, exit_status = NULL, evidence = NULL");
    small_run_judge(&run, NULL);
    case_render(&run, "text", &settings, &out);
    cr_assert_not_null(strstr(out.data, "never ended"));
    cr_assert_not_null(strstr(out.data, "incomplete"));
    buffer_fini(&out);
}

Test(reports, the_summary_is_short_and_counts_everything)
{
    struct report_settings settings = {.width = 80, .database = "other.db"};
    struct analysis *analysis;
    struct buffer out = BUFFER_INIT;

    case_load(&run, "build");
    analysis = small_run_load(&run);
    report_summary(analysis, &settings, &out);
    cr_assert_eq(strncmp(out.data, "tallyman: 3 processes, ", 23), 0, "%s", out.data);
    cr_assert_not_null(strstr(out.data, "\n  see: tallyman report other.db\n"));
    cr_assert_lt(out.length, 1000);
    for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n"))
        cr_assert_leq(quote_width(line, strlen(line)), 80, "%s", line);
    analysis_free(analysis);
    buffer_fini(&out);
}

static void check_summary(const char *end, const char *expected)
{
    struct report_settings settings = {.width = 80, .database = "tallyman.db"};
    struct analysis *analysis;
    struct buffer out = BUFFER_INIT;

    small_run_execute(&run, end);
    analysis = small_run_load(&run);
    report_summary(analysis, &settings, &out);
    cr_assert_eq(strncmp(out.data, expected, strlen(expected)), 0, "%s", out.data);
    analysis_free(analysis);
    buffer_fini(&out);
}

Test(reports, the_summary_says_that_the_command_failed)
{
    check_summary("UPDATE run SET exit_status = 2", "tallyman: the command exited 2; 3 processes");
    check_summary("UPDATE run SET exit_status = 143, signal = 15",
                  "tallyman: the command was ended by SIGTERM; 3 processes");
}

static void check_text(const char *expected, bool there)
{
    struct report_settings settings = {.width = 100, .database = "tallyman.db"};
    struct buffer out = BUFFER_INIT;

    case_render(&run, "text", &settings, &out);
    cr_assert_eq(strstr(out.data, expected) != NULL, there, "%s in:\n%s", expected, out.data);
    buffer_fini(&out);
}

Test(reports, what_the_witness_could_not_do_is_said_with_its_reason_and_the_remedy)
{
    small_run_execute(&run, "UPDATE run SET evidence = 'incomplete'; INSERT INTO blind_spot"
                            " (run, class, detail) VALUES (1, 'witness-off', 'taken by another')");
    small_run_judge(&run, NULL);
    check_text("confirm the shim's record (taken by another)\n    what to do: run with", true);
}

Test(reports, what_the_user_accepts_is_listed_as_accepted)
{
    struct report_settings settings = {.width = 100, .database = "tallyman.db"};
    struct analysis *analysis;
    struct buffer out = BUFFER_INIT;

    case_load(&run, "build");
    analysis = small_run_load(&run);
    analysis_accept(analysis, "static");
    report_evidence_shortly(analysis, &settings, &out);
    cr_assert_not_null(strstr(out.data, "  static, accepted: "), "%s", out.data);
    cr_assert_null(strstr(out.data, "let the kernel witness"), "%s", out.data);
    cr_assert_not_null(strstr(out.data, "  witness-off: "), "%s", out.data);
    buffer_clear(&out);
    cr_assert_eq(report_format_find("json")->render(analysis, run.db, &settings, &out), 0);
    cr_assert_not_null(strstr(out.data, "\"accepted\": true"));
    cr_assert_not_null(strstr(out.data, "\"sufficient\": false"));
    analysis_accept(analysis, "witness-off");
    buffer_clear(&out);
    report_format_find("text")->render(analysis, run.db, &settings, &out);
    cr_assert_not_null(strstr(out.data, "Evidence: incomplete, which is accepted\n"));
    analysis_free(analysis);
    buffer_fini(&out);
}

Test(reports, temporary_files_take_one_line_and_others_beside_them_are_named)
{
    small_run_event(&run, "write", "/tmp/ccA.s", RECORD_CREATE | RECORD_TEMPORARY, 1);
    small_run_event(&run, "write", "/tmp/ccB.s", RECORD_CREATE | RECORD_TEMPORARY, 1);
    small_run_judge(&run, NULL);
    check_text("  temporary files, 2: /tmp by cc1\n", true);
    check_text("ccA", false);
    small_run_event(&run, "write", "/tmp/lock", RECORD_CREATE, 1);
    small_run_judge(&run, NULL);
    check_text("temporary files", false);
    check_text("3 names written (2 temporary) by cc1", true);
    check_text("lock, …", true);
    check_text("ccA", false);
}

Test(reports, devices_and_the_kernels_files_take_one_line)
{
    small_run_event(&run, "write", "/dev/null", 0, 1);
    small_run_event(&run, "read", "/dev/null", 0, 1);
    small_run_event(&run, "read", "/proc/cpuinfo", 0, 1);
    small_run_judge(&run, NULL);
    check_text("  devices and kernel, 2: ", true);
}

Test(reports, processes_that_failed_are_in_one_line)
{
    small_run_judge(&run, NULL);
    check_text("failed", false);
    small_run_execute(&run, "UPDATE process SET exit_status = 1 WHERE id > 1");
    check_text("\n2 processes failed: cc1, sh\n", true);
}

Test(reports, a_channel_with_many_findings_hides_no_other_in_the_short_list)
{
    struct report_settings settings = {.width = 100, .database = "tallyman.db"};
    struct analysis *analysis;
    struct buffer out = BUFFER_INIT;
    int lines = 0;

    case_load(&run, "build");
    small_run_execute(&run, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                            " WHERE i < 200)"
                            "INSERT INTO event (process, channel, operation, subject)"
                            " SELECT 3, 'environment', 'read', 'V' || i FROM n");
    small_run_judge(&run, NULL);
    analysis = small_run_load(&run);
    report_findings_shortly(analysis, &settings, 25, &out);
    cr_assert_not_null(strstr(out.data, "  online  "), "%s", out.data);
    cr_assert_not_null(strstr(out.data, "more: environment\n"), "%s", out.data);
    for (const char *at = out.data; *at; at++)
        lines += *at == '\n';
    cr_assert_leq(lines, 25 + CHANNEL_COUNT, "%s", out.data);
    analysis_free(analysis);
    buffer_fini(&out);
}
