/* SPDX-License-Identifier: MIT */
#include "remedy.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "category.h"
#include "cleanup.h"
#include "manifest.h"
#include "manifest_text.h"
#include "small_run.h"

#define HEAD "version: 1\nclock: real\nresources: real\nidentity: real\nrandomness: real\n"

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

TestSuite(remedy, .init = open_run, .fini = close_run);

static struct text text(const char *bytes)
{
    return (struct text){bytes, strlen(bytes)};
}

/* --- categories ----------------------------------------------------------------------------- */

static void check_category(enum event_kind kind, enum finding_class class, const char *path,
                           const char *package, const char *category)
{
    struct places places = {text("/home/ann/project"), text("/home/ann"), text("ann"), text("box")};
    struct use_of_file use = {text(path), text(package), kind, class};
    const char *found = category_of_id(category_of_file(&places, &use))->name;

    cr_assert_str_eq(found, category, "%s is %s", path, found);
}

Test(category, files_are_told_apart_by_what_they_are_to_a_build)
{
    static const struct {
        const char *path, *package, *category;
    } rows[] = {
        {"/usr/include/zlib.h", "zlib1g-dev 1", "system-header"},
        {"/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h", "", "system-header"},
        {"/usr/lib/x86_64-linux-gnu/libz.so.1", "zlib1g 1", "system-library"},
        {"/usr/lib/x86_64-linux-gnu/crt1.o", "libc6-dev 1", "system-library"},
        {"/usr/lib/gcc/x86_64-linux-gnu/12/cc1", "cpp-12 12", "toolchain"},
        {"/usr/share/aclocal/pkg.m4", "pkgconf 1", "system-file"},
        {"/home/ann/.gitconfig", "", "home"},
        {"/home/ann/.ssh/id_ed25519", "", "credentials"},
        {"/home/ann/.cargo/registry/src/x/lib.rs", "", "package-cache"},
        {"/home/ann/project/src/a.c", "", "project-file"},
        {"/home/ann/other/a.c", "", "home"},
        {"/srv/sdk/a.txt", "", "outside-file"},
        {"/tmp/x", "", "temporary"},
        {"/etc/localtime", "", "time-zone"},
        {"/usr/lib/locale/C.utf8/LC_CTYPE", "libc-bin 2", "locale"},
        {"/etc/passwd", "", "name-service"},
        {"/proc/self/maps", "", "proc-sys"},
        {"/proc/cpuinfo", "", "cpu-memory"},
        {"/dev/tty", "", "device"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_category(EVENT_READ, FINDING_READ, rows[i].path, rows[i].package, rows[i].category);
}

Test(category, what_is_done_with_a_file_counts_before_where_it_is)
{
    check_category(EVENT_STAT, FINDING_PROBE, "/usr/include/none.h", "", "search-path-probe");
    check_category(EVENT_WRITE, FINDING_WRITE, "/usr/include/new.h", "", "undeclared-write");
    check_category(EVENT_WRITE, FINDING_WRITE, "/home/ann/project/a", "", "source-tree-write");
    check_category(EVENT_WRITE, FINDING_WRITE, "/tmp/x.s", "", "temporary");
    check_category(EVENT_EXECUTE, FINDING_READ, "/opt/llvm/clang", "", "toolchain");
}

/* --- lines of a manifest -------------------------------------------------------------------- */

static void add_access(int process, const char *channel, const char *operation, const char *subject,
                       int outcome)
{
    char *sql = sqlite3_mprintf("INSERT INTO event (process, channel, operation, subject, outcome)"
                                " VALUES (%d, %Q, %Q, %Q, %d)",
                                process, channel, operation, subject, outcome);

    small_run_execute(&run, sql);
    sqlite3_free(sql);
}

static struct analysis *judged(const char *manifest)
{
    small_run_judge(&run, manifest);
    return small_run_load(&run);
}

/* Every finding but those without lines is declared by its own, and waived by its own. */
static void check_lines(const char *name, const struct text *lines, const char *before,
                        uint32_t (*left)(const struct analysis *analysis, const char *fingerprint),
                        const char *fingerprint)
{
    cleanup_buffer struct buffer manifest = BUFFER_INIT;
    struct analysis *analysis;

    if (!lines->length)
        return;
    buffer_printf(&manifest, "%s%s%s", HEAD, before, lines->bytes);
    analysis = judged(manifest.data);
    cr_assert_eq(left(analysis, fingerprint), 0, "%s is still undeclared with\n%s", name,
                 manifest.data);
    analysis_free(analysis);
}

static uint32_t undeclared(const struct analysis *analysis, const char *fingerprint)
{
    for (size_t i = 0; i < analysis->finding_count; i++)
        if (analysis->findings[i].verdict == VERDICT_UNDECLARED &&
            strcmp(analysis->findings[i].fingerprint, fingerprint) == 0)
            return analysis->findings[i].subjects;
    return 0;
}

/* As manifests have `waivers:` above. */
static void check_finding(const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer waivers = BUFFER_INIT;
    struct text lines;

    check_lines(finding->subject.bytes, &finding->declaration, "", undeclared,
                finding->fingerprint);
    buffer_printf(&waivers, "waivers:\n");
    for (const char *at = finding->waiver.bytes; *at; at = strchr(at, '\n') + 1)
        buffer_printf(&waivers, "  %.*s\n", (int)strcspn(at, "\n"), at);
    lines = (struct text){waivers.data, finding->waiver.length ? waivers.length : 0};
    check_lines(finding->subject.bytes, &lines, "", undeclared, finding->fingerprint);
}

static void check_all_findings(size_t least)
{
    struct analysis *analysis = judged(HEAD);

    cr_assert_geq(analysis->finding_count, least);
    for (size_t i = 0; i < analysis->finding_count; i++)
        check_finding(&analysis->findings[i]);
    analysis_free(analysis);
}

Test(remedy, the_lines_of_a_finding_declare_it_and_waive_it)
{
    static const struct {
        const char *channel, *operation, *subject;
        int outcome;
    } rows[] = {
        {"filesystem", "read", "/opt/sdk/a.h", 0},
        {"filesystem", "read", "/home/ann/.gitconfig", 0},
        {"filesystem", "read", "/home/ann/project/data", 0},
        {"filesystem", "write", "/home/ann/project/out", 0},
        {"filesystem", "write", "/srv/out", 0},
        {"filesystem", "write", "/tmp/x", 0},
        {"filesystem", "stat", "/usr/local/include/none.h", 2},
        {"network", "connect", "192.0.2.1:443", 0},
        {"network", "connect", "unix:/run/daemon.sock", 0},
        {"network", "connect", "127.0.0.1:99", 0},
        {"network", "connect", "[2001:db8::1]:443", 0},
        {"network", "lookup", "example.org", 0},
        {"environment", "read", "EDITOR", 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add_access(3, rows[i].channel, rows[i].operation, rows[i].subject, rows[i].outcome);
    check_all_findings(sizeof rows / sizeof *rows);
}

Test(remedy, names_with_any_character_are_declared_and_nothing_else)
{
    static const char *const names[] = {
        "a b",
        "*",
        "?",
        "[x]",
        "\\",
        "\"",
        "'",
        "#",
        ": ",
        "- x",
        "${HOME}",
        "~",
        "!x",
        "\xff",
        "\n",
        "\t",
        "\x7f",
        "%",
        "&a",
        "{a}",
        "@",
        "\xc3\xa9",
        "\xe2\x80\xa8",
        "\xc2\x85",
        "\xc2\x81",
        "\xef\xbb\xbf",
        "\xef\xbf\xbe",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cleanup_free char *path = xprintf("/srv/%zu/%s", i, names[i]);
        cleanup_free char *own = xprintf("/home/ann/project/%s", names[i]);

        add_access(3, "filesystem", "read", path, 0);
        add_access(3, "filesystem", "read", own, 0);
        if (!strchr(names[i], '\n'))
            add_access(3, "environment", "read", names[i], 0);
    }
    check_all_findings(sizeof names / sizeof *names);
}

Test(remedy, a_pattern_stands_for_many_files_of_one_folder)
{
    struct analysis *analysis;

    for (int i = 0; i < 9; i++) {
        cleanup_free char *path = xprintf("/opt/sdk/include/%d.h", i);

        add_access(3, "filesystem", "read", path, 0);
    }
    analysis = judged(HEAD);
    cr_assert_str_eq(small_run_finding(analysis, "/opt/sdk")->declaration.bytes,
                     "inputs:\n  - \"/opt/sdk/**\"\n");
    analysis_free(analysis);
    check_all_findings(1);
}

Test(remedy, a_package_is_declared_by_name_and_upstream_version)
{
    struct analysis *analysis;

    add_access(3, "filesystem", "read", "/usr/include/zlib.h", 0);
    small_run_execute(&run, "UPDATE subject SET package = 'zlib1g-dev 1:1.2.13.dfsg-1'"
                            " WHERE name = '/usr/include/zlib.h'");
    analysis = judged(HEAD);
    cr_assert_str_eq(small_run_finding(analysis, "zlib1g-dev")->declaration.bytes,
                     "inputs:\n  - {package: \"zlib1g-dev=1:1.2.13.dfsg*\"}\n");
    cr_assert_str_eq(small_run_finding(analysis, "zlib1g-dev")->waiver.bytes,
                     "- {channel: filesystem, subject: /usr/include/zlib.h, reason: \"say why\","
                     " owner: \"say who\"}\n");
    analysis_free(analysis);
}

Test(remedy, a_folder_that_was_only_looked_at_is_not_declared_with_all_below)
{
    struct analysis *analysis;

    add_access(3, "filesystem", "stat", "/usr/lib/x86_64-linux-gnu", 0);
    analysis = judged(HEAD);
    cr_assert_eq(small_run_finding(analysis, "/usr/lib")->declaration.length, 0);
    cr_assert_eq(small_run_finding(analysis, "/usr/lib")->severity, SEVERITY_NOTE);
    analysis_free(analysis);
}

/* --- words ---------------------------------------------------------------------------------- */

Test(remedy, who_asked_for_the_variable_that_fixes_the_clock_is_said)
{
    struct analysis *analysis;

    add_access(2, "clock", "clock", "realtime", 0);
    add_access(3, "clock", "clock", "realtime", 0);
    add_access(3, "environment", "read", "SOURCE_DATE_EPOCH", 2);
    analysis = judged("version: 1\n");
    cr_assert_str_eq(small_run_finding(analysis, "realtime")->remedy.bytes,
                     "Set SOURCE_DATE_EPOCH: cc1 asked for SOURCE_DATE_EPOCH; sh did not.");
    analysis_free(analysis);
}

Test(remedy, a_program_that_asked_in_one_of_its_processes_asked)
{
    struct analysis *analysis;

    small_run_execute(&run, "INSERT INTO process (id, run, serial, parent, how, pid, parent_pid,"
                            " exe, cwd, started, shim) SELECT 9, run, 9, parent, how, 109,"
                            " parent_pid, exe, cwd, started, shim FROM process WHERE id = 3");
    add_access(3, "clock", "clock", "realtime", 0);
    add_access(9, "clock", "clock", "realtime", 0);
    add_access(9, "environment", "read", "SOURCE_DATE_EPOCH", 2);
    analysis = judged("version: 1\n");
    cr_assert_str_eq(small_run_finding(analysis, "realtime")->remedy.bytes,
                     "Set SOURCE_DATE_EPOCH: cc1 asked for SOURCE_DATE_EPOCH.");
    analysis_free(analysis);
}

Test(remedy, a_limit_is_no_number_of_processors)
{
    struct analysis *analysis;

    add_access(3, "resources", "limit", "stack", 0);
    add_access(3, "resources", "cpu", "online", 0);
    analysis = judged("version: 1\n");
    cr_assert_null(strstr(small_run_finding(analysis, "stack")->remedy.bytes, "make -j"));
    cr_assert_not_null(strstr(small_run_finding(analysis, "online")->remedy.bytes, "make -j"));
    analysis_free(analysis);
}

Test(remedy, nobody_asked_for_the_variable)
{
    struct analysis *analysis;

    add_access(3, "clock", "clock", "realtime", 0);
    analysis = judged("version: 1\n");
    cr_assert_str_eq(small_run_finding(analysis, "realtime")->remedy.bytes,
                     "cc1 did not ask for SOURCE_DATE_EPOCH: see whether it reaches an output.");
    analysis_free(analysis);
}

Test(remedy, a_program_that_fetches_is_told_how_to_do_without)
{
    struct analysis *analysis;

    small_run_execute(&run, "UPDATE process SET argv = CAST('cargo' || char(0) AS BLOB)"
                            " WHERE id = 2");
    add_access(3, "network", "lookup", "index.crates.io", 0);
    analysis = judged(HEAD);
    cr_assert_not_null(
        strstr(small_run_finding(analysis, "index.crates.io")->remedy.bytes, "cargo vendor"));
    analysis_free(analysis);
}

/* --- severity and place --------------------------------------------------------------------- */

Test(remedy, a_read_by_a_process_that_wrote_nothing_is_worth_less)
{
    struct analysis *analysis;

    add_access(3, "filesystem", "read", "/srv/sdk/x", 0);
    analysis = judged(HEAD);
    cr_assert_eq(small_run_finding(analysis, "/srv/sdk")->severity, SEVERITY_NOTE);
    analysis_free(analysis);
    add_access(3, "filesystem", "write", "/home/ann/project/a.o", 0);
    analysis = judged(HEAD);
    cr_assert_eq(small_run_finding(analysis, "/srv/sdk")->severity, SEVERITY_WARNING);
    analysis_free(analysis);
}

Test(remedy, what_a_process_knows_can_be_passed_down_to_one_that_writes)
{
    struct analysis *analysis;

    add_access(1, "filesystem", "read", "/srv/settings/x", 0);
    add_access(3, "filesystem", "write", "/home/ann/project/a.o", 0);
    analysis = judged(HEAD);
    cr_assert_eq(small_run_finding(analysis, "/srv/settings")->severity, SEVERITY_WARNING);
    analysis_free(analysis);
}

Test(remedy, a_look_at_a_secret_is_a_note_and_reading_it_an_error)
{
    struct analysis *analysis;

    add_access(3, "filesystem", "stat", "/etc/shadow", 0);
    analysis = judged(HEAD);
    cr_assert_str_eq(small_run_finding(analysis, "/etc")->category->name, "credentials");
    cr_assert_eq(small_run_finding(analysis, "/etc")->severity, SEVERITY_NOTE);
    analysis_free(analysis);
    add_access(3, "filesystem", "read", "/etc/shadow", 0);
    analysis = judged(HEAD);
    cr_assert_eq(small_run_finding(analysis, "/etc")->severity, SEVERITY_ERROR);
    analysis_free(analysis);
}

Test(remedy, a_name_server_is_about_look_ups_and_no_host_to_fetch_from)
{
    struct analysis *analysis;

    add_access(3, "network", "send", "192.0.2.53:53", 0);
    add_access(3, "network", "connect", "192.0.2.53:443", 0);
    analysis = judged(HEAD);
    cr_assert_str_eq(small_run_finding(analysis, "192.0.2.53:53")->category->name, "dns");
    cr_assert_str_eq(small_run_finding(analysis, "192.0.2.53:443")->category->name, "remote-host");
    analysis_free(analysis);
}

Test(remedy, a_reviewer_is_sent_to_the_makefile_that_the_run_read)
{
    struct analysis *analysis;

    add_access(3, "filesystem", "read", "/srv/sdk/x", 0);
    analysis = judged(HEAD);
    cr_assert_eq(small_run_finding(analysis, "/srv/sdk")->location.path.length, 0);
    analysis_free(analysis);
    add_access(1, "filesystem", "read", "/home/ann/project/Makefile", 0);
    analysis = judged(HEAD);
    cr_assert_str_eq(small_run_finding(analysis, "/srv/sdk")->location.path.bytes, "Makefile");
    analysis_free(analysis);
}

Test(remedy, the_options_of_make_say_where_its_file_is)
{
    struct analysis *analysis;

    small_run_execute(&run, "UPDATE process SET argv = CAST('make' || char(0) || '-C' || char(0) ||"
                            " 'sub/../lib' || char(0) || '-frules.mk' || char(0) AS BLOB)"
                            " WHERE id = 1");
    add_access(3, "filesystem", "read", "/srv/sdk/x", 0);
    add_access(1, "filesystem", "read", "/home/ann/project/lib/rules.mk", 0);
    analysis = judged(HEAD);
    cr_assert_str_eq(small_run_finding(analysis, "/srv/sdk")->location.path.bytes, "lib/rules.mk");
    analysis_free(analysis);
}
