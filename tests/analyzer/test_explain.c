/* SPDX-License-Identifier: MIT */
#include "explain.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manifest.h"
#include "small_run.h"
#include "tallyman/record.h"
#include "tallyman/status.h"

static struct small_run run;
static struct explanation explanation;
static struct buffer why;

static void open_run(void)
{
    small_run_open(&run);
    explanation = (struct explanation){.found_by = NULL};
}

static void close_run(void)
{
    explanation_fini(&explanation);
    buffer_fini(&why);
    small_run_close(&run);
}

TestSuite(explain, .init = open_run, .fini = close_run);

static int ask_from(const char *subject, const char *cwd, size_t most)
{
    struct explain_question question = {.subject = subject, .cwd = cwd, .most = most};

    explanation_fini(&explanation);
    buffer_clear(&why);
    return explain(&explanation, run.db, 1, &question, &why);
}

static const struct explanation_part *ask(const char *subject)
{
    cr_assert_eq(ask_from(subject, "/home/ann", 5), 0, "%s: %s", subject,
                 why.data ? why.data : sqlite3_errmsg(run.db));
    cr_assert_gt(explanation.part_count, 0);
    return &explanation.parts[0];
}

static void check_subject(const char *asked, const char *by, const char *name)
{
    ask(asked);
    cr_assert_str_eq(explanation.found_by, by, "%s by %s", asked, explanation.found_by);
    cr_assert_eq(explanation.subject_count, 1, "%s", asked);
    cr_assert_str_eq(explanation.subject.bytes, name);
}

static void check_nothing(const char *asked, const char *message)
{
    cr_assert_eq(ask_from(asked, "/home/ann", 5), TALLY_ERR_NOT_FOUND, "%s", asked);
    cr_assert_str_eq(why.data, message);
}

static void use_names(void)
{
    small_run_execute(&run, "INSERT INTO event (process, channel, operation, subject) VALUES"
                            " (3, 'filesystem', 'read', '/home/ann/project/src/a.c'),"
                            " (3, 'filesystem', 'read', '/home/ann/.netrc'),"
                            " (3, 'filesystem', 'read', '/opt/sdk/include/x.h'),"
                            " (3, 'filesystem', 'read', '/opt/sdk/lib/x.h'),"
                            " (3, 'filesystem', 'read', '/opt/sdk/' || CAST(x'ff' AS TEXT)),"
                            " (3, 'network', 'connect', '192.0.2.7:443'),"
                            " (3, 'network', 'connect', '[2001:db8::1]:80'),"
                            " (3, 'network', 'connect', 'unix:/run/docker.sock'),"
                            " (3, 'clock', 'clock', 'realtime'),"
                            " (2, 'environment', 'read', 'LANG')");
    small_run_execute(&run, "UPDATE subject SET package = 'sdk 1.2-3' WHERE name LIKE '/opt/%x.h'");
}

Test(explain, a_name_is_found_from_the_project_and_from_where_the_user_is)
{
    use_names();
    small_run_judge(&run, NULL);
    check_subject("/home/ann/project/src/a.c", "name", "/home/ann/project/src/a.c");
    check_subject("src/a.c", "name", "/home/ann/project/src/a.c");
    check_subject("project/./src//b/../a.c", "name", "/home/ann/project/src/a.c");
    check_subject("~/.netrc", "name", "/home/ann/.netrc");
    check_subject(".netrc", "name", "/home/ann/.netrc");
    check_subject("LANG", "name", "LANG");
    check_subject("realtime", "name", "realtime");
    check_subject("192.0.2.7:443", "name", "192.0.2.7:443");
    check_subject("/run/docker.sock", "name", "unix:/run/docker.sock");
}

Test(explain, a_host_needs_no_port_and_a_service_no_address)
{
    use_names();
    small_run_judge(&run, NULL);
    check_subject("192.0.2.7", "host", "192.0.2.7:443");
    check_subject("2001:db8::1", "host", "[2001:db8::1]:80");
    check_subject("docker", "host", "unix:/run/docker.sock");
}

Test(explain, a_fingerprint_may_be_cut_to_four_digits)
{
    char digits[17];

    use_names();
    small_run_judge(&run, NULL);
    strcpy(digits, ask("LANG")->finding.fingerprint);
    check_subject(digits, "fingerprint", "LANG");
    digits[4] = '\0';
    check_subject(digits, "fingerprint", "LANG");
    digits[3] = '\0';
    cr_assert_eq(ask_from(digits, "/", 5), TALLY_ERR_NOT_FOUND);
}

Test(explain, a_finding_is_explained_with_all_its_members)
{
    const struct explanation_part *part;
    char digits[17];

    use_names();
    small_run_judge(&run, NULL);
    strcpy(digits, ask("/opt/sdk/lib/x.h")->finding.fingerprint);
    part = ask(digits);
    cr_assert_eq(explanation.subject_count, 2);
    cr_assert_eq(explanation.part_count, 1);
    cr_assert_eq(part->finding.subjects, 2);
    cr_assert_str_eq(part->finding.package.bytes, "sdk 1.2-3");
}

Test(explain, packages_folders_and_categories_are_explained)
{
    use_names();
    small_run_judge(&run, NULL);
    ask("sdk");
    cr_assert_str_eq(explanation.found_by, "package");
    cr_assert_eq(explanation.subject_count, 2);
    ask("/opt/sdk/");
    cr_assert_str_eq(explanation.found_by, "folder");
    cr_assert_eq(explanation.subject_count, 3, "%zu", explanation.subject_count);
    ask("/opt");
    cr_assert_eq(explanation.subject_count, 3);
    cr_assert_str_eq(ask("wall-clock")->finding.category->name, "wall-clock");
    cr_assert_str_eq(explanation.found_by, "category");
}

Test(explain, the_end_of_a_path_is_enough_when_it_is_the_end_of_one)
{
    use_names();
    small_run_judge(&run, NULL);
    check_subject("lib/x.h", "end", "/opt/sdk/lib/x.h");
    check_nothing("x.h", "2 paths end in x.h: /opt/sdk/include/x.h, /opt/sdk/lib/x.h");
    check_nothing("/x.h", "run 1 used nothing that is called /x.h; the nearest names: "
                          "/opt/sdk/lib/x.h, /opt/sdk/include/x.h");
}

Test(explain, what_is_not_in_the_run_is_answered_with_the_nearest_names)
{
    use_names();
    small_run_judge(&run, NULL);
    check_nothing("LNAG", "run 1 used nothing that is called LNAG; the nearest names: LANG");
    check_nothing("/opt/sdk/include/y.h", "run 1 used nothing that is called /opt/sdk/include/y.h; "
                                          "the nearest names: /opt/sdk/include/x.h, "
                                          "/opt/sdk/lib/x.h");
    check_nothing("", "run 1 used nothing that is called ");
    check_nothing("no\nsuch", "run 1 used nothing that is called no\\x0asuch");
}

Test(explain, what_only_another_run_used_is_not_in_this_one)
{
    small_run_execute(&run, "INSERT INTO subject (channel, name) VALUES (0, '/elsewhere/thing')");
    small_run_judge(&run, NULL);
    check_nothing("/elsewhere/thing", "run 1 used nothing that is called /elsewhere/thing");
}

Test(explain, uses_are_told_by_process_in_the_order_of_time)
{
    const struct explanation_part *part;
    const struct analysis *analysis;

    small_run_execute(
        &run,
        "INSERT INTO event (process, channel, operation, subject, first, count) VALUES"
        " (3, 'filesystem', 'read', '/opt/x', 50, 2), (3, 'filesystem', 'stat', '/opt/x', 40, 1),"
        " (1, 'filesystem', 'read', '/opt/x', 60, 1)");
    small_run_judge(&run, NULL);
    part = ask("/opt/x");
    analysis = explanation.analysis;
    cr_assert_eq(part->finding.count, 4);
    cr_assert_eq(part->process_total, 2);
    cr_assert_eq(part->process_count, 2);
    cr_assert_eq(part->first, 40);
    cr_assert_eq(analysis->processes[part->processes[0].process].id, 3);
    cr_assert_eq(part->processes[0].use_count, 2);
    cr_assert_eq(part->processes[0].uses[0].first, 40);
    cr_assert_eq(part->processes[0].uses[1].count, 2);
    cr_assert_eq(analysis->processes[part->processes[1].process].id, 1);
    cr_assert_eq(analysis->process_count, 3, "with those above them");
    cr_assert_str_eq(part->finding.operation, "read", "says more than stat");
}

Test(explain, processes_that_are_not_shown_are_counted)
{
    const struct explanation_part *part;

    small_run_execute(&run, "INSERT INTO event (process, channel, operation, subject) VALUES"
                            " (1, 'filesystem', 'read', '/opt/x'),"
                            " (2, 'filesystem', 'read', '/opt/x'),"
                            " (3, 'filesystem', 'read', '/opt/x')");
    small_run_judge(&run, NULL);
    cr_assert_eq(ask_from("/opt/x", "/", 1), 0);
    part = &explanation.parts[0];
    cr_assert_eq(part->process_total, 3);
    cr_assert_eq(part->process_count, 1);
    cr_assert_eq(part->finding.count, 3);
}

Test(explain, what_a_process_wrote_afterwards_is_told_and_what_before_is_not)
{
    const struct explanation_part *part;

    small_run_event(&run, "write", "/home/ann/project/before.o", 0, 10);
    small_run_event(&run, "read", "/opt/x", 0, 20);
    for (int i = 0; i < 7; i++) {
        char path[64];

        snprintf(path, sizeof path, "/home/ann/project/after%d.o", i);
        small_run_event(&run, "write", path, 0, 30 + i);
    }
    small_run_event(&run, "write", "/dev/null", 0, 40);
    small_run_event(&run, "unlink", "/home/ann/project/old.o", 0, 41);
    small_run_judge(&run, NULL);
    part = ask("/opt/x");
    cr_assert_eq(part->processes[0].written_total, 7);
    cr_assert_eq(part->processes[0].written_count, 5);
    cr_assert_str_eq(part->processes[0].written[0].bytes, "/home/ann/project/after0.o");
}

Test(explain, kinds_of_use_and_verdicts_are_parts)
{
    small_run_event(&run, "read", "/home/ann/project/out/made", 0, 30);
    small_run_event(&run, "write", "/home/ann/project/out/made", RECORD_CREATE, 20);
    small_run_execute(&run,
                      "INSERT INTO event (process, channel, operation, subject, outcome, first)"
                      " VALUES (1, 'filesystem', 'stat', '/home/ann/project/out/made', 2, 10)");
    small_run_judge(&run, "version: 1\ninputs: [src/**]\n");
    ask("out/made");
    cr_assert_eq(explanation.part_count, 3);
    cr_assert_eq(explanation.parts[0].finding.class, FINDING_WRITE);
    cr_assert_not(explanation.parts[0].declared);
    cr_assert_eq(explanation.parts[1].finding.class, FINDING_PROBE);
    cr_assert_not(explanation.parts[1].declared);
    cr_assert_eq(explanation.parts[2].finding.class, FINDING_READ);
    cr_assert(explanation.parts[2].declared && explanation.parts[2].mine, "the build made it");
}

Test(explain, the_rule_that_decided_is_named_with_its_line)
{
    const struct explanation_part *part;

    small_run_event(&run, "read", "/opt/x/y", 0, 1);
    small_run_event(&run, "read", "/opt/z", 0, 1);
    small_run_judge(&run, "version: 1\ninputs:\n  - /opt/x\nwaivers:\n"
                          "  - {channel: filesystem, subject: /opt/z, reason: r, owner: o}\n");
    part = ask("/opt/x/y");
    cr_assert(part->declared);
    cr_assert_str_eq(part->rule.bytes, "inputs: /opt/x");
    cr_assert_eq(part->rule_line, 3);
    part = ask("/opt/z");
    cr_assert_eq(part->finding.verdict, VERDICT_WAIVED);
    cr_assert_eq(part->rule_line, 5);
}

Test(explain, what_the_witness_confirms_is_a_mark_and_no_use)
{
    const struct explanation_part *part;

    small_run_execute(
        &run,
        "INSERT INTO event (process, channel, operation, subject, source, first) VALUES"
        " (3, 'filesystem', 'read', '/opt/x', 0, 1), (3, 'filesystem', 'read', '/opt/x', 1, 2),"
        " (3, 'filesystem', 'stat', '/opt/x', 1, 3), (2, 'filesystem', 'read', '/opt/x', 1, 4)");
    small_run_judge(&run, NULL);
    part = ask("/opt/x");
    cr_assert_eq(explanation.part_count, 1);
    cr_assert_eq(part->finding.count, 2);
    cr_assert_eq(part->processes[0].use_count, 1);
    cr_assert(part->processes[0].uses[0].shim && part->processes[0].uses[0].witness);
    cr_assert(!part->processes[1].uses[0].shim && part->processes[1].uses[0].witness);
}

Test(explain, variables_that_could_be_seen_are_uses)
{
    const struct explanation_part *part;

    small_run_execute(&run, "INSERT INTO subject (id, channel, name) SELECT 900, id, 'SECRET'"
                            " FROM channel WHERE name = 'environment'");
    small_run_execute(&run, "INSERT INTO environment_variable (run, block, subject)"
                            " VALUES (1, 77, 900)");
    small_run_execute(&run, "UPDATE process SET environment = 77 WHERE id IN (2, 3)");
    small_run_judge(&run, NULL);
    part = ask("SECRET");
    cr_assert_eq(part->process_total, 2);
    cr_assert_str_eq(part->finding.operation, "visible");
    cr_assert_str_eq(part->finding.category->name, "environment-visible");
}

static enum nearest_why nearest_of(const char *subject, const char *text)
{
    struct buffer errors = BUFFER_INIT;
    struct manifest *manifest =
        manifest_parse("m.yaml", text, strlen(text), "/home/ann/project", &errors);
    struct explain_question question = {.subject = subject, .most = 1, .manifest = manifest};

    cr_assert_not_null(manifest, "%s", errors.data);
    explanation_fini(&explanation);
    cr_assert_eq(explain(&explanation, run.db, 1, &question, &why), 0, "%s", why.data);
    manifest_free(manifest);
    cr_assert(explanation.parts[0].searched);
    return explanation.parts[0].nearest.why;
}

Test(explain, the_nearest_rule_is_sought_by_the_name_that_the_kernel_knows)
{
    small_run_execute(&run, "INSERT INTO resolves VALUES ('/lib/x.so', '/usr/lib/x.so')");
    small_run_event(&run, "read", "/lib/x.so", 0, 1);
    small_run_judge(&run, "version: 1\n");
    cr_assert_eq(nearest_of("/lib/x.so", "version: 1\ninputs: [/usr/lib/y.so]\n"), NEAREST_PARTS);
    cr_assert_eq(explanation.parts[0].nearest.common, strlen("/usr/lib"));
}

Test(explain, parents_that_run_in_a_circle_end_a_chain)
{
    const struct explanation_part *part;

    small_run_event(&run, "read", "/opt/x", 0, 1);
    small_run_execute(&run, "UPDATE process SET parent = 3 WHERE id = 1");
    small_run_judge(&run, NULL);
    part = ask("/opt/x");
    cr_assert_eq(part->process_count, 1);
    cr_assert_eq(explanation.analysis->process_count, 3);
}

Test(explain, a_run_that_is_not_there_is_an_error_in_words)
{
    struct explain_question question = {.subject = "x", .most = 1};

    cr_assert_lt(explain(&explanation, run.db, 9, &question, &why), 0);
    cr_assert_str_eq(why.data, "there is no run 9");
}
