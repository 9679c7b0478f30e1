/* SPDX-License-Identifier: MIT
 *
 * The page as text: its parts are there, its data is right, and nothing that a name holds gets out
 * of it. What a browser makes of it is tried by check_html.sh, for which this writes its pages into
 * the folder TALLYMAN_PAGES where that is set.
 */
#include <criterion/criterion.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "quote.h"
#include "reports.h"
#include "small_run.h"

static struct small_run run;

static void setup(void)
{
    small_run_open(&run);
}

static void teardown(void)
{
    small_run_close(&run);
}

TestSuite(html, .init = setup, .fini = teardown);

static void execute_file(const char *name)
{
    struct buffer sql = BUFFER_INIT;
    char path[512], piece[4096];
    size_t length;
    FILE *stream;

    snprintf(path, sizeof path, "%s/%s", CASES, name);
    stream = fopen(path, "r");
    cr_assert_not_null(stream, "%s", path);
    while ((length = fread(piece, 1, sizeof piece, stream)) > 0)
        buffer_add(&sql, piece, length);
    fclose(stream);
    small_run_execute(&run, sql.data);
    buffer_fini(&sql);
}

static void leave_for_browser(const char *name, const struct buffer *page)
{
    const char *folder = getenv("TALLYMAN_PAGES");
    char path[512];
    FILE *stream;

    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%s.html", folder, name);
    stream = fopen(path, "w");
    cr_assert_not_null(stream, "%s", path);
    cr_assert_eq(fwrite(page->data, 1, page->length, stream), page->length);
    fclose(stream);
}

static void render_analysis(const char *name, const struct analysis *analysis, struct buffer *page)
{
    struct report_settings settings = {.database = "tallyman.db"};

    cr_assert_eq(report_format_find("html")->render(analysis, run.db, &settings, page), 0);
    leave_for_browser(name, page);
}

/* The page of the run, judged by the built-in policy or the text of a manifest. */
static void render(const char *name, const char *manifest, struct buffer *page)
{
    struct analysis *analysis;

    small_run_judge(&run, manifest);
    analysis = small_run_load(&run);
    render_analysis(name, analysis, page);
    analysis_free(analysis);
}

static int occurrences(const struct buffer *page, const char *text)
{
    int count = 0;

    for (const char *at = page->data; (at = strstr(at, text)); at++)
        count++;
    return count;
}

/* What stands between two texts, which must be there. */
static char *between(const struct buffer *page, const char *start, const char *end)
{
    const char *from = strstr(page->data, start);
    const char *to = from ? strstr(from + strlen(start), end) : NULL;

    cr_assert_not_null(to, "no %s ... %s", start, end);
    from += strlen(start);
    return xmemdup(from, (size_t)(to - from));
}

/* A value of the page's data, by SQLite's JSON functions; -98 when there is none. */
static long value(const struct buffer *page, const char *expression)
{
    char *data = between(page, "id=\"data\">", "</script>");
    char *sql = xprintf("SELECT %s FROM (SELECT ?1 AS data)", expression);
    sqlite3_stmt *row;
    long number = -98;

    cr_assert_eq(sqlite3_prepare_v2(run.db, sql, -1, &row, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(run.db));
    sqlite3_bind_text(row, 1, data, -1, SQLITE_STATIC);
    if (sqlite3_step(row) == SQLITE_ROW && sqlite3_column_type(row, 0) != SQLITE_NULL)
        number = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    free(sql);
    free(data);
    return number;
}

static void check_hash(const struct buffer *page, const char *directive, const char *tag)
{
    unsigned char digest[EVP_MAX_MD_SIZE], shown[EVP_MAX_MD_SIZE * 2];
    char *start = xprintf("<%s>", tag);
    char *end = xprintf("</%s>", tag);
    char *text = between(page, start, end);
    char *source;
    unsigned int length;

    cr_assert(EVP_Digest(text, strlen(text), digest, &length, EVP_sha256(), NULL));
    EVP_EncodeBlock(shown, digest, (int)length);
    source = xprintf("%s 'sha256-%s';", directive, (const char *)shown);
    cr_assert_not_null(strstr(page->data, source), "no %s", source);
    free(source);
    free(text);
    free(end);
    free(start);
}

Test(html, the_page_allows_its_own_style_and_script_and_nothing_else)
{
    struct buffer page = BUFFER_INIT;

    execute_file("build/events.sql");
    render("build", NULL, &page);
    check_hash(&page, "script-src", "script");
    check_hash(&page, "style-src", "style");
    cr_assert_not_null(strstr(page.data, "content=\"default-src 'none'; script-src"));
    buffer_fini(&page);
}

Test(html, every_part_of_the_template_is_filled_and_nothing_comes_from_elsewhere)
{
    static const char *const foreign[] = {"{{",
                                          "http:",
                                          "https:",
                                          "src=",
                                          "url(",
                                          "innerHTML",
                                          "insertAdjacentHTML",
                                          "document.write",
                                          "Function(",
                                          "<link",
                                          "import",
                                          "eval(",
                                          "<img",
                                          "<iframe",
                                          "outerHTML",
                                          "style="};
    struct buffer page = BUFFER_INIT;

    execute_file("build/events.sql");
    render("build", NULL, &page);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        cr_assert_null(strstr(page.data, foreign[i]), "%s", foreign[i]);
    cr_assert_eq(strncmp(page.data, "<!DOCTYPE html>\n", 16), 0);
    cr_assert_str_eq(page.data + page.length - 8, "</html>\n");
    cr_assert_not_null(strstr(page.data, "<title>make - tallyman</title>"));
    buffer_fini(&page);
}

/* As many as the analysis has, and every use finds the member that it belongs to. */
Test(html, the_data_holds_every_finding_member_process_and_use)
{
    struct buffer page = BUFFER_INIT;
    struct analysis *analysis;
    size_t members = 0;

    execute_file("build/events.sql");
    render("build", NULL, &page);
    analysis = small_run_load(&run);
    for (size_t i = 0; i < analysis->finding_count; i++)
        members += analysis->findings[i].member_count;
    cr_assert_eq(value(&page, "json_valid(data)"), 1);
    cr_assert_eq(value(&page, "json_array_length(data, '$.findings')"),
                 (long)analysis->finding_count);
    cr_assert_eq(value(&page, "(SELECT sum(json_array_length(value, '$.members'))"
                              " FROM json_each(data, '$.findings'))"),
                 (long)members);
    cr_assert_eq(value(&page, "json_array_length(data, '$.processes')"), 3);
    cr_assert_eq(value(&page, "json_array_length(data, '$.uses')"), 3);
    cr_assert_eq(value(&page, "(SELECT sum(json_array_length(value)) / 2"
                              " FROM json_each(data, '$.uses'))"),
                 small_run_number(&run, "SELECT count(*) FROM v_access WHERE verdict = 'undeclared'"
                                        " AND operation <> 'visible'"));
    cr_assert_eq(value(&page, "json_array_length(data, '$.blocks[0]')"), 3, "PATH, EDITOR, TOKEN");
    cr_assert_eq(value(&page, "json_extract(data, '$.processes[2][11]')"), 0);
    analysis_free(analysis);
    buffer_fini(&page);
}

/* The rows of a process name a member by its number among all findings. */
Test(html, a_use_names_its_member_and_the_time_since_its_process_started)
{
    struct buffer page = BUFFER_INIT;
    long member;

    small_run_event(&run, "read", "/opt/a/one.h", 0, 5000003);
    small_run_event(&run, "read", "/opt/a/two.h", 0, 7000003);
    small_run_event(&run, "read", "/home/ann/project/declared.h", 0, 9000003);
    render("times", NULL, &page);
    cr_assert_eq(value(&page, "json_array_length(data, '$.uses[0]')"), 0);
    cr_assert_eq(value(&page, "json_array_length(data, '$.uses[2]')"), 4);
    member = value(&page, "json_extract(data, '$.uses[2][0]')");
    cr_assert_eq(value(&page, "json_extract(data, '$.uses[2][1]')"), 5000);
    cr_assert_eq(value(&page, "json_extract(data, '$.uses[2][3]')"), 7000);
    cr_assert(member == 0 || member == 1);
    cr_assert_eq(
        value(&page,
              "json_extract(data, '$.strings[' || json_extract(data, '$.findings[0].members['"
              " || json_extract(data, '$.uses[2][0]') || '][0]') || ']') = '/opt/a/one.h'"),
        1);
    buffer_fini(&page);
}

Test(html, what_is_waived_is_on_the_page_and_marked)
{
    struct buffer page = BUFFER_INIT;

    small_run_event(&run, "read", "/opt/a/one.h", 0, 1);
    small_run_event(&run, "read", "/opt/b/two.h", 0, 1);
    render("waived",
           "version: 1\ninputs: [/opt/none]\nwaivers:\n"
           "  - {channel: filesystem, subject: /opt/a/one.h, reason: r, owner: o,"
           " expires: 2099-01-01}\n"
           "  - {channel: filesystem, subject: /opt/c, reason: r, owner: o, expires: 2099-01-01}\n",
           &page);
    cr_assert_eq(value(&page, "(SELECT sum(json_extract(value, '$.waived'))"
                              " FROM json_each(data, '$.findings'))"),
                 1);
    cr_assert_eq(value(&page, "(SELECT sum(json_array_length(value))"
                              " FROM json_each(data, '$.uses'))"),
                 4, "the waived one, too");
    cr_assert_eq(value(&page, "json_array_length(data, '$.waivers')"), 1);
    cr_assert_not_null(strstr(page.data, ", waived: "), "without a script");
    buffer_fini(&page);
}

Test(html, what_the_baseline_knows_is_marked)
{
    struct buffer page = BUFFER_INIT;
    struct analysis *analysis;

    small_run_event(&run, "read", "/opt/a/one.h", 0, 1);
    small_run_event(&run, "read", "/opt/b/two.h", 0, 1);
    small_run_judge(&run, NULL);
    analysis = small_run_load(&run);
    analysis->findings[1].known = true;
    render_analysis("known", analysis, &page);
    cr_assert_eq(value(&page, "json_extract(data, '$.findings[0].known')"), 0);
    cr_assert_eq(value(&page, "json_extract(data, '$.findings[1].known')"), 1);
    analysis_free(analysis);
    buffer_fini(&page);
}

/* What only some runs or analyses have. */
Test(html, remedies_declarations_and_places_keep_their_lines)
{
    struct buffer page = BUFFER_INIT;
    struct analysis *analysis;
    struct analysis_finding *finding;

    small_run_event(&run, "read", "/opt/a/one.h", 0, 1);
    small_run_judge(&run, NULL);
    analysis = small_run_load(&run);
    finding = &analysis->findings[0];
    finding->remedy = (struct text){"Do <this>.", 10};
    finding->declaration = (struct text){"inputs:\n  - \"/opt/\033\"", 20};
    finding->location.path = (struct text){"src/Makefile", 12};
    finding->location.line = 7;
    finding->members[0].digest = (struct text){"00ff", 4};
    render_analysis("remedy", analysis, &page);
    cr_assert_eq(value(&page, "(SELECT count(*) FROM json_each(data, '$.strings')"
                              " WHERE value = 'inputs:' || char(10) || '  - \"/opt/\\x1b\"')"),
                 1);
    cr_assert_eq(value(&page, "json_extract(data, '$.findings[0].line')"), 7);
    cr_assert_not_null(strstr(page.data, "Do &lt;this&gt;.</p>"), "without a script");
    cr_assert_not_null(strstr(page.data, "<pre>inputs:\n  - &quot;/opt/\\x1b&quot;</pre>"));
    analysis_free(analysis);
    buffer_fini(&page);
}

Test(html, a_run_without_findings_or_processes_makes_a_page)
{
    struct buffer page = BUFFER_INIT;

    render("clean", NULL, &page);
    cr_assert_eq(value(&page, "json_array_length(data, '$.findings')"), 0);
    cr_assert_not_null(strstr(page.data, "<p>Nothing undeclared.</p>"));
    buffer_clear(&page);
    small_run_execute(&run, "DELETE FROM process");
    render("empty", NULL, &page);
    cr_assert_eq(value(&page, "json_array_length(data, '$.processes')"), 0);
    cr_assert_eq(value(&page, "json_array_length(data, '$.uses')"), 0);
    buffer_fini(&page);
}

/* Whatever a browser could take for markup, script or a change of the direction of text. */
static const char *const hostile[] = {
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<!--<script>",
    "</style><b>",
    "</noscript><img src=x onerror=alert(3)>",
    "\"><svg onload=alert(4)>",
    "'; alert(5); '",
    "javascript:alert(6)",
    "]]></code></title><script>alert(7)</script>",
    "{{script}}",
    "${alert(8)}",
    "&lt;script&gt;",
    "__proto__",
    "constructor",
    "new\nline",
    "\033[31mred\033]0;title\a",
    "\342\200\256txt.c\342\200\250\342\200\251",
    "\357\273\277zero\342\200\213width",
    "\377\376\300\257",
    "\\u003cscript\\u003e",
};

static void set_everywhere(const char *text)
{
    sqlite3_stmt *row;

    small_run_event(&run, "read", text, 0, 1);
    cr_assert_eq(
        sqlite3_prepare_v2(run.db,
                           "INSERT INTO event (process, channel, operation, subject) VALUES"
                           " (2, 'environment', 'read', ?1), (3, 'network', 'lookup', ?1)",
                           -1, &row, NULL),
        SQLITE_OK, "%s", sqlite3_errmsg(run.db));
    sqlite3_bind_text(row, 1, text, -1, SQLITE_STATIC);
    cr_assert_eq(sqlite3_step(row), SQLITE_DONE, "%s", sqlite3_errmsg(run.db));
    sqlite3_finalize(row);
}

static void update(const char *sql, const char *text)
{
    sqlite3_stmt *row;

    cr_assert_eq(sqlite3_prepare_v2(run.db, sql, -1, &row, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(run.db));
    sqlite3_bind_text(row, 1, text, -1, SQLITE_STATIC);
    cr_assert_eq(sqlite3_step(row), SQLITE_DONE, "%s", sqlite3_errmsg(run.db));
    sqlite3_finalize(row);
}

static void make_hostile(void)
{
    const char *worst =
        "]]></script></code></title><script>alert(9)</script>\033\342\200\256\n\377";

    execute_file("hostile/events.sql");
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        char *path = xprintf("/opt/a/%s", hostile[i]);

        small_run_event(&run, "write", path, 0, 1);
        set_everywhere(hostile[i]);
        free(path);
    }
    update("UPDATE run SET command = ?1, cwd = ?1, host = ?1, machine = ?1, tool = ?1, user = ?1",
           worst);
    update("UPDATE process SET cwd = ?1, shim = ?1, how = ?1, command = ?1, argv = NULL"
           " WHERE id = 2",
           worst);
    update("UPDATE subject SET package = ?1 WHERE name LIKE '/opt/a/n%'", worst);
    update("INSERT INTO blind_spot (run, class, detail) VALUES (1, ?1, ?1)", worst);
}

static void check_bytes(const struct buffer *page)
{
    cr_assert(text_is_utf8(page->data, page->length));
    for (const char *at = page->data; *at; at++)
        cr_assert((unsigned char)*at >= 0x20 || *at == '\n', "byte %02x in: %.60s",
                  (unsigned char)*at, at);
    cr_assert_null(strstr(page->data, "\342\200\256"), "a mark that reverses text");
    cr_assert_null(strstr(page->data, "\342\200\250"), "a separator of lines");
    cr_assert_null(strstr(page->data, "\342\200\213"), "an invisible character");
}

Test(html, names_with_any_bytes_stay_text)
{
    struct buffer page = BUFFER_INIT;

    make_hostile();
    render("hostile", NULL, &page);
    check_bytes(&page);
    cr_assert_eq(occurrences(&page, "<script"), 2, "the data and the script");
    cr_assert_eq(occurrences(&page, "</script"), 2);
    cr_assert_eq(occurrences(&page, "<style"), 1);
    cr_assert_eq(occurrences(&page, "</style"), 1);
    cr_assert_eq(occurrences(&page, "<noscript"), 1);
    cr_assert_eq(occurrences(&page, "</noscript"), 1);
    cr_assert_eq(occurrences(&page, "<!--"), 0);
    cr_assert_eq(occurrences(&page, "<img"), 0);
    cr_assert_eq(occurrences(&page, "<svg"), 0);
    cr_assert_eq(value(&page, "json_valid(data)"), 1);
    cr_assert_eq(value(&page, "(SELECT count(*) FROM json_each(data, '$.strings')"
                              " WHERE value = '/opt/a/<script>alert(1)</script>')"),
                 1, "shown as it is");
    cr_assert_eq(value(&page, "(SELECT count(*) FROM json_each(data, '$.strings')"
                              " WHERE value = '/opt/a/new\\x0aline')"),
                 1, "shown escaped");
    check_hash(&page, "script-src", "script");
    buffer_fini(&page);
}

/* 10,000 compilers that read 5 of 1,000 headers each, in a second of this test's time. */
Test(html, a_page_of_fifty_thousand_accesses_is_made_quickly_and_stays_small)
{
    struct buffer page = BUFFER_INIT;
    clock_t start;

    small_run_execute(
        &run,
        "WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)"
        "INSERT INTO process (id, run, serial, parent, how, pid, parent_pid, exe, argv, command, "
        "cwd,"
        " started, ended, exit_status, signal, shim)"
        " SELECT i, 1, i, CASE WHEN i < 104 THEN 1 ELSE 4 + i % 100 END, 'spawn', i, 1, 3,"
        " CAST('cc' || char(0) || '-c' || char(0) || i || '.c' || char(0) AS BLOB), 'cc',"
        " '/home/ann/project', i * 1000000, i * 1000000 + 90000000, i % 97 = 0, 0, 'loaded' FROM n;"
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)"
        "INSERT INTO subject (id, channel, name) SELECT 1000 + i, 0, '/opt/' || (i % 40) || "
        "'/include/'"
        " || i || '.h' FROM n;"
        "INSERT INTO access (process, operation, subject, outcome, flags, source, count, first, "
        "hook)"
        " SELECT p.id, (SELECT id FROM operation WHERE name = 'read' AND channel = 0),"
        " 1000 + (p.id * 7 + k.i * 211) % 1000, 0, 0, 0, 1, p.started + 1000000 * k.i, 'open'"
        " FROM process p, (SELECT 0 AS i UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION"
        " SELECT 4) k WHERE p.id > 3");
    start = clock();
    render("large", NULL, &page);
    cr_expect_lt(clock() - start, 5 * CLOCKS_PER_SEC);
    cr_assert_eq(value(&page, "json_array_length(data, '$.processes')"), 10000);
    cr_assert_eq(value(&page, "(SELECT sum(json_array_length(value)) / 2"
                              " FROM json_each(data, '$.uses'))"),
                 49985);
    cr_assert_lt(page.length, 3000000, "%zu", page.length);
    buffer_fini(&page);
}
