/* SPDX-License-Identifier: MIT */
#include "survivor.h"

#include <criterion/criterion.h>
#include <string.h>

#include "small_run.h"

static struct small_run run;

static void open_run(void)
{
    small_run_open(&run);
}

static void close_run(void)
{
    small_run_close(&run);
}

TestSuite(survivor, .init = open_run, .fini = close_run);

static void survivor(const char *process, const char *detail)
{
    char *sql = sqlite3_mprintf("INSERT INTO blind_spot (run, process, class, detail)"
                                " VALUES (1, %s, 'survivor', %Q)",
                                process, detail);

    small_run_execute(&run, sql);
    sqlite3_free(sql);
}

static struct analysis *load(void)
{
    small_run_execute(&run, "UPDATE run SET evidence = 'incomplete'");
    return small_run_load(&run);
}

Test(survivor, a_process_that_was_left_running_is_a_finding)
{
    struct analysis *analysis;
    const struct analysis_finding *finding;

    survivor("3", "pid 102: /usr/lib/gcc/cc1 a.c");
    analysis = load();
    finding = small_run_finding(analysis, "cc1");
    cr_assert_eq(finding->category->id, CATEGORY_SURVIVOR);
    cr_assert_eq(finding->severity, SEVERITY_WARNING);
    cr_assert_eq(finding->verdict, VERDICT_UNDECLARED);
    cr_assert_eq(finding->process_count, 1);
    cr_assert_eq(analysis->processes[finding->processes[0]].id, 3);
    cr_assert_eq(finding->members[0].subject.length, strlen("/usr/lib/gcc/cc1 a.c"));
    cr_assert_eq(analysis->channels[CHANNEL_RESOURCES].findings, 1);
    analysis_free(analysis);
}

Test(survivor, those_of_one_program_are_one_finding_whatever_their_numbers_are)
{
    struct analysis *analysis;
    const struct analysis_finding *finding;
    char alone[17];

    survivor("NULL", "pid 7: /opt/gradle/java -Xmx1g");
    analysis = load();
    strcpy(alone, small_run_finding(analysis, "java")->fingerprint);
    analysis_free(analysis);
    survivor("NULL", "pid 12345: java");
    survivor("1", "pid 101: make");
    analysis = load();
    finding = small_run_finding(analysis, "java");
    cr_assert_str_eq(finding->fingerprint, alone);
    cr_assert_eq(finding->member_count, 2);
    cr_assert_eq(finding->count, 2);
    cr_assert_eq(finding->process_count, 1, "the command stands for what nobody saw start");
    cr_assert_eq(analysis->finding_count, 2);
    analysis_free(analysis);
}

Test(survivor, that_there_may_be_more_is_a_blind_spot_alone)
{
    struct analysis *analysis;

    survivor("NULL", NULL);
    analysis = load();
    cr_assert_eq(analysis->finding_count, 0);
    cr_assert_eq(analysis->blind_spot_count, 1);
    analysis_free(analysis);
}

Test(survivor, accepting_the_blind_spot_waives_the_finding)
{
    struct analysis *analysis;

    survivor("3", "pid 102: cc1");
    analysis = load();
    cr_assert_eq(analysis_undeclared(analysis), 1);
    analysis_accept(analysis, "survivor");
    cr_assert_eq(analysis_undeclared(analysis), 0);
    cr_assert_eq(small_run_finding(analysis, "cc1")->verdict, VERDICT_WAIVED);
    cr_assert_eq(analysis->channels[CHANNEL_RESOURCES].waived_findings, 1);
    analysis_accept(analysis, "survivor");
    cr_assert_eq(analysis->channels[CHANNEL_RESOURCES].waived_findings, 1);
    analysis_free(analysis);
}
