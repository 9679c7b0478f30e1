/* SPDX-License-Identifier: MIT
 *
 * The formats for other programs: what they say of a run, and that no name breaks their syntax.
 * Strangers' own validators are in validate.sh.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "baseline.h"
#include "case.h"
#include "finding_text.h"
#include "quote.h"

static struct small_run run;
static const struct report_settings settings = {.width = 100, .database = "tallyman.db"};

static void open_run(void)
{
    setenv("TZ", "UTC", 1);
    small_run_open(&run);
}

static void close_run(void)
{
    small_run_close(&run);
}

TestSuite(formats, .init = open_run, .fini = close_run);

static const struct format_file {
    const char *format, *file;
    bool json;
} formats[] = {
    {"sarif", "expected.sarif", true},    {"junit", "expected.junit.xml", false},
    {"github", "expected.github", false}, {"gitlab", "expected.gitlab.json", true},
    {"csv", "expected.csv", false},       {"markdown", "expected.md", false},
};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

static void check_case(const char *name)
{
    case_load(&run, name);
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        case_check(&run, name, formats[i].format, formats[i].file, &settings);
}

Test(formats, a_build_is_shown_the_same_in_every_format)
{
    check_case("build");
}

Test(formats, names_with_any_bytes_are_shown_safely_in_every_format)
{
    check_case("hostile");
}

Test(formats, what_is_waived_is_no_failure_in_any_format)
{
    check_case("waived");
}

/* The whole document of a format for an analysis; the caller frees. */
static char *document(const struct analysis *analysis, const char *format)
{
    struct buffer out = BUFFER_INIT;

    cr_assert_eq(report_format_find(format)->render(analysis, run.db, &settings, &out), 0);
    return buffer_take(&out);
}

/* The first column of the query's first row, with the text as ?1. */
static long query_of(const char *text, const char *sql)
{
    sqlite3_stmt *row;
    long number;

    cr_assert_eq(sqlite3_prepare_v2(run.db, sql, -1, &row, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(run.db));
    sqlite3_bind_text(row, 1, text, -1, SQLITE_STATIC);
    cr_assert_eq(sqlite3_step(row), SQLITE_ROW, "%s", sqlite3_errmsg(run.db));
    number = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return number;
}

static size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

/* Names with any bytes everywhere, the place in the project among them. */
static struct analysis *load_hostile(void)
{
    static const char place[] = "=a,\"x\"%0A::error,line=7::\n<b>`]]>\xff\xef\xbf\xbf@|\033[1m";
    struct analysis *analysis;

    case_load(&run, "hostile");
    analysis = small_run_load(&run);
    for (size_t i = 0; i < analysis->finding_count; i++) {
        analysis->findings[i].location.path = (struct text){place, sizeof place - 1};
        analysis->findings[i].remedy = (struct text){place, sizeof place - 1};
        analysis->findings[i].declaration = (struct text){place, sizeof place - 1};
        analysis->findings[i].waiver = (struct text){place, sizeof place - 1};
    }
    return analysis;
}

Test(formats, every_document_is_printable_text_whatever_names_hold)
{
    struct analysis *analysis = load_hostile();

    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        char *text = document(analysis, formats[i].format);

        cr_assert(text_is_utf8(text, strlen(text)), "%s", formats[i].format);
        for (const char *at = text; *at; at++)
            cr_assert((unsigned char)*at >= 0x20 || *at == '\n' ||
                          (*at == '\r' && at[1] == '\n' && strcmp(formats[i].format, "csv") == 0),
                      "%s: byte %02x in %.60s", formats[i].format, (unsigned char)*at, at);
        cr_assert_null(strchr(text, 0x7f));
        cr_assert(!formats[i].json || query_of(text, "SELECT json_valid(?1)"), "%s",
                  formats[i].format);
        free(text);
    }
    analysis_free(analysis);
}

/* --- SARIF ---------------------------------------------------------------------------------- */

Test(formats, sarif_has_a_rule_for_each_result_and_a_place_for_each_step)
{
    struct analysis *analysis;
    char *text;

    case_load(&run, "build");
    analysis = small_run_load(&run);
    text = document(analysis, "sarif");
    cr_assert_eq(query_of(text, "SELECT json_array_length(?1, '$.runs[0].results')"),
                 (long)analysis->finding_count);
    cr_assert_eq(query_of(text, "SELECT count(*) FROM json_each(?1, '$.runs[0].results') r WHERE"
                                " json_extract(r.value, '$.ruleId') IS NOT json_extract(?1,"
                                " '$.runs[0].tool.driver.rules[' ||"
                                " json_extract(r.value, '$.ruleIndex') || '].id')"),
                 0);
    cr_assert_eq(query_of(text, "SELECT count(*) FROM json_tree(?1) WHERE key = 'location' AND"
                                " json_extract(value, '$.physicalLocation.artifactLocation.uri')"
                                " IS NULL"),
                 0);
    cr_assert_gt(query_of(text, "SELECT count(*) FROM json_tree(?1) WHERE key = 'nestingLevel'"
                                " AND value > 0"),
                 0);
    free(text);
    analysis_free(analysis);
}

static void add_variables(int count)
{
    char *sql = xprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                        " WHERE i < %d) INSERT INTO event (process, channel, operation, subject)"
                        " SELECT 3, 'environment', 'read', 'V' || i FROM n",
                        count);

    small_run_execute(&run, sql);
    small_run_judge(&run, NULL);
    free(sql);
}

Test(formats, sarif_stops_at_the_limit_of_github_and_counts_the_rest, .timeout = 120)
{
    struct analysis *analysis;
    char *text;

    add_variables(5010);
    analysis = small_run_load(&run);
    text = document(analysis, "sarif");
    cr_assert_eq(query_of(text, "SELECT json_array_length(?1, '$.runs[0].results')"), 5000);
    cr_assert_eq(query_of(text, "SELECT json_extract(?1, '$.runs[0].properties.findingsLeftOut')"),
                 (long)analysis->finding_count - 5000);
    cr_assert_eq(query_of(text, "SELECT count(*) FROM json_each(?1,"
                                " '$.runs[0].invocations[0].toolExecutionNotifications') WHERE"
                                " json_extract(value, '$.descriptor.id') = 'results-left-out'"),
                 1);
    free(text);
    analysis_free(analysis);
}

Test(formats, a_run_that_never_ended_is_not_a_successful_execution)
{
    struct analysis *analysis;
    char *text;

    small_run_execute(&run, "UPDATE run SET ended = NULL, exit_status = NULL");
    small_run_judge(&run, NULL);
    analysis = small_run_load(&run);
    text = document(analysis, "sarif");
    cr_assert_eq(query_of(text, "SELECT json_extract(?1,"
                                " '$.runs[0].invocations[0].executionSuccessful')"),
                 0);
    free(text);
    text = document(analysis, "junit");
    cr_assert_not_null(strstr(text, "the run never ended"));
    free(text);
    analysis_free(analysis);
}

/* --- what is known --------------------------------------------------------------------------- */

Test(formats, what_the_baseline_knows_is_no_failure_in_any_format)
{
    struct analysis *analysis;
    struct baseline *baseline;
    char *text;

    case_load(&run, "build");
    analysis = small_run_load(&run);
    baseline = baseline_of(analysis);
    analysis_apply_baseline(analysis, baseline);
    baseline_free(baseline);
    text = document(analysis, "junit");
    cr_assert_null(strstr(text, "<failure"));
    cr_assert_eq(occurrences(text, "known from the baseline"), analysis->finding_count);
    free(text);
    text = document(analysis, "github");
    cr_assert_null(strstr(text, "file="), "%s", text);
    free(text);
    text = document(analysis, "gitlab");
    cr_assert_eq(query_of(text, "SELECT json_array_length(?1)"), 0);
    free(text);
    text = document(analysis, "markdown");
    cr_assert_not_null(strstr(text, "## tallyman: 0 undeclared findings\n"));
    cr_assert_null(strstr(text, "### Findings"));
    free(text);
    text = document(analysis, "sarif");
    cr_assert_eq(query_of(text, "SELECT count(*) FROM json_each(?1, '$.runs[0].results') WHERE"
                                " json_extract(value, '$.baselineState') = 'unchanged'"),
                 (long)analysis->finding_count);
    free(text);
    analysis_free(analysis);
}

/* --- GitHub ---------------------------------------------------------------------------------- */

Test(formats, github_gets_ten_of_each_kind_and_a_count_of_the_others)
{
    struct analysis *analysis;
    char *text;

    add_variables(25);
    small_run_execute(&run, "UPDATE process SET exit_status = 0");
    analysis = small_run_load(&run);
    for (size_t i = 0; i < analysis->finding_count; i++)
        analysis->findings[i].severity = i < 12 ? SEVERITY_ERROR : SEVERITY_NOTE;
    text = document(analysis, "github");
    cr_assert_eq(occurrences(text, "::error file="), 10);
    cr_assert_eq(occurrences(text, "::notice file="), 10);
    cr_assert_eq(strncmp(text, "::error ", 8), 0, "the gravest first");
    cr_assert_not_null(strstr(text, "\ntallyman: 5 more: 2 errors, 3 notices\n"), "%s", text);
    free(text);
    analysis_free(analysis);
}

Test(formats, a_line_for_github_is_one_command_whatever_names_hold)
{
    static const char *const starts[] = {"::error file=", "::warning file=", "::notice file=",
                                         "::warning title=Incomplete evidence::", "tallyman: "};
    struct analysis *analysis = load_hostile();
    char *text;

    text = document(analysis, "github");
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        size_t known = 0;
        const char *message = strstr(line + 2, "::");

        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
            known += strncmp(line, starts[i], strlen(starts[i])) == 0;
        cr_assert_eq(known, 1, "%s", line);
        cr_assert(*line != ':' || (message && memchr(line, ' ', (size_t)(message - line))));
        cr_assert_null(strstr(line, "%0A::"), "%s", line);
    }
    free(text);
    analysis_free(analysis);
}

Test(formats, the_summary_of_a_step_stays_within_the_limit)
{
    struct analysis *analysis;
    struct buffer out = BUFFER_INIT;

    add_variables(3000);
    analysis = small_run_load(&run);
    report_step_summary(analysis, &out);
    cr_assert_lt(out.length, 1 << 20);
    cr_assert_not_null(strstr(out.data, "\nand 2950 more\n"), "%.200s", out.data);
    analysis_free(analysis);
    buffer_fini(&out);
}

/* --- CSV ------------------------------------------------------------------------------------- */

/* Reads one cell as RFC 4180 has it and returns what follows it; fails the test when it is none. */
static const char *read_cell(const char *at, struct buffer *cell)
{
    buffer_clear(cell);
    if (*at != '"') {
        size_t length = strcspn(at, ",\r\n\"");

        buffer_add(cell, at, length);
        return at + length;
    }
    for (at++; *at != '"' || at[1] == '"'; at++) {
        cr_assert_neq(*at, '\0', "a cell without its end");
        at += *at == '"';
        buffer_add_char(cell, *at);
    }
    return at + 1;
}

Test(formats, csv_has_as_many_cells_in_each_row_and_no_formula)
{
    struct analysis *analysis = load_hostile();
    struct buffer cell = BUFFER_INIT;
    size_t wanted = 0, rows = 0, members = 0;
    char *text;

    for (size_t i = 0; i < analysis->finding_count; i++)
        members += analysis->findings[i].member_count;
    text = document(analysis, "csv");
    for (const char *at = text; *at; at += 2, rows++) {
        size_t cells = 0;

        do {
            at = read_cell(at + (cells > 0), &cell);
            cr_assert(!cell.length || !strchr("=+-@\t\r", cell.data[0]), "%s", cell.data);
            cells++;
        } while (*at == ',');
        cr_assert_eq(strncmp(at, "\r\n", 2), 0, "%.40s", at);
        wanted = wanted ? wanted : cells;
        cr_assert_eq(cells, wanted);
    }
    cr_assert_eq(rows, members + 1);
    cr_assert_not_null(strstr(text, "\"'=cmd|'/C calc'!A0\""));
    free(text);
    analysis_free(analysis);
    buffer_fini(&cell);
}

/* --- XML and Markdown ------------------------------------------------------------------------- */

Test(formats, xml_has_no_tag_but_ours_and_no_character_that_it_forbids)
{
    static const char *const tags[] = {"?xml ",       "testsuites", "/testsuites", "testsuite ",
                                       "/testsuite>", "testcase ",  "/testcase>",  "failure ",
                                       "/failure>",   "skipped ",   "error ",      "/error>"};
    struct analysis *analysis = load_hostile();
    char *text;

    text = document(analysis, "junit");
    for (const char *at = strchr(text, '<'); at; at = strchr(at + 1, '<')) {
        size_t known = 0;

        for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
            known += strncmp(at + 1, tags[i], strlen(tags[i])) == 0;
        cr_assert_eq(known, 1, "%.40s", at);
    }
    cr_assert_null(strstr(text, "]]>"));
    cr_assert_null(strstr(text, "\xef\xbf\xbe"));
    cr_assert_null(strstr(text, "\xef\xbf\xbf"));
    free(text);
    analysis_free(analysis);
}

/* Takes code spans and blocks away: what is left is read as Markdown. */
static void drop_code(char *text)
{
    char *to = text;

    for (char *at = text; *at;) {
        size_t ticks = strspn(at, "`");
        char *end = ticks ? at + ticks : NULL;

        if (!ticks) {
            if (*at == '\\' && at[1])
                *to++ = *at++;
            *to++ = *at++;
            continue;
        }
        while ((end = strchr(end, '`')) && strspn(end, "`") != ticks)
            end += strspn(end, "`");
        cr_assert_not_null(end, "code without its end: %.60s", at);
        at = end + ticks;
    }
    *to = '\0';
}

Test(formats, markdown_shows_names_as_code_alone)
{
    struct analysis *analysis = load_hostile();
    char *text;

    text = document(analysis, "markdown");
    cr_assert_not_null(strstr(text, "<script>"));
    drop_code(text);
    cr_assert_null(strstr(text, "<script"), "%s", text);
    cr_assert_null(strstr(text, "example.org)"));
    cr_assert_null(strstr(text, "*b*"));
    cr_assert_eq(occurrences(text, "<"), occurrences(text, "\\<") + occurrences(text, "<!-- -->"));
    free(text);
    analysis_free(analysis);
}

/* --- places ----------------------------------------------------------------------------------- */

static void check_place(const struct analysis *analysis, const char *path, long line)
{
    struct analysis_location place = finding_place(analysis, &analysis->findings[0]);

    cr_assert_eq(place.path.length, strlen(path), "%s", place.path.bytes);
    cr_assert_eq(memcmp(place.path.bytes, path, place.path.length), 0, "%s", place.path.bytes);
    cr_assert_eq(place.line, line);
}

Test(formats, a_finding_without_a_place_is_shown_at_the_manifest_or_where_most_others_are)
{
    static const struct text none = {"", 0}, makefile = {"src/Makefile", 12};
    struct analysis *analysis;

    case_load(&run, "build");
    analysis = small_run_load(&run);
    for (size_t i = 0; i < analysis->finding_count; i++)
        analysis->findings[i].location = (struct analysis_location){none, 0};
    check_place(analysis, "tallyman.yaml", 1);
    analysis->findings[1].location.path = makefile;
    check_place(analysis, "src/Makefile", 1);
    analysis->manifest = (struct text){"/home/ann/project/ci/build.yaml", 31};
    check_place(analysis, "ci/build.yaml", 1);
    analysis->manifest = (struct text){"/etc/build.yaml", 15};
    check_place(analysis, "src/Makefile", 1);
    analysis->findings[0].location = (struct analysis_location){{"a.mk", 4}, 7};
    check_place(analysis, "a.mk", 7);
    analysis_free(analysis);
}
