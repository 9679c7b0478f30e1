/* SPDX-License-Identifier: MIT */
#include "changed_inputs.h"

#include <criterion/criterion.h>
#include <string.h>

#include "small_run.h"
#include "tallyman/record.h"

#define HEADER    "/home/ann/project/src/a.h"
#define TRUNCATED (RECORD_CREATE | RECORD_TRUNCATE)

static struct small_run run;
static struct analysis *analysis;

static void open_run(void)
{
    small_run_open(&run);
    analysis = NULL;
}

static void close_run(void)
{
    analysis_free(analysis);
    small_run_close(&run);
}

TestSuite(changed_inputs, .init = open_run, .fini = close_run);

/* The processes of small_run.sql. */
enum { MAKE = 1, SH = 2, CC1 = 3 };

static void event(int process, const char *operation, const char *path, int flags, int time)
{
    char *sql = sqlite3_mprintf("INSERT INTO event (process, channel, operation, subject, flags,"
                                " first) VALUES (%d, 'filesystem', %Q, %Q, %d, %d)",
                                process, operation, path, flags, time);

    small_run_execute(&run, sql);
    sqlite3_free(sql);
}

/* Findings about changed inputs among those of the run, judged by the manifest; the last one. */
static const struct analysis_finding *find(const char *manifest, size_t count)
{
    const struct analysis_finding *found = NULL;
    size_t seen = 0;

    small_run_judge(&run, manifest);
    analysis_free(analysis);
    analysis = small_run_load(&run);
    for (size_t i = 0; i < analysis->finding_count; i++)
        if (analysis->findings[i].category->id == CATEGORY_INPUT_CHANGED) {
            found = &analysis->findings[i];
            seen++;
        }
    cr_assert_eq(seen, count, "%zu findings, not %zu", seen, count);
    return found;
}

/* What the file was like in the end; times in ns since the run's start. */
static void artifact(const char *path, int changed, int modified, int born)
{
    char *sql = sqlite3_mprintf(
        "INSERT INTO artifact SELECT 1, s.id, 1, NULL, 'declared', r.started + %d, r.started + %d,"
        " r.started + %d FROM subject s, run r WHERE s.name = %Q",
        changed, modified, born, path);

    small_run_execute(&run, sql);
    sqlite3_free(sql);
}

Test(changed_inputs, a_declared_file_that_is_rewritten_after_it_was_read_is_told)
{
    const struct analysis_finding *finding;

    event(CC1, "read", HEADER, 0, 10);
    event(SH, "write", HEADER, TRUNCATED, 20);
    finding = find(NULL, 1);
    cr_assert_eq(finding->severity, SEVERITY_ERROR);
    cr_assert_eq(finding->channel, CHANNEL_FILESYSTEM);
    cr_assert_eq(finding->verdict, VERDICT_UNDECLARED);
    cr_assert_eq(finding->process_count, 2);
    cr_assert_eq(finding->subjects, 1);
    cr_assert_eq(finding->member_count, 2);
    cr_assert_str_eq(finding->subject.bytes, HEADER);
    cr_assert_str_eq(finding->group, "file");
    cr_assert_eq(finding->location.path.length, strlen("src/a.h"));
    cr_assert_not_null(
        strstr(finding->remedy.bytes, "src/a.h was read by cc1 and after that written by sh."),
        "%s", finding->remedy.bytes);
    cr_assert_eq(analysis->channels[CHANNEL_FILESYSTEM].findings, analysis->finding_count);
}

Test(changed_inputs, what_is_renamed_over_an_input_changes_it)
{
    event(CC1, "read", HEADER, 0, 10);
    event(SH, "rename-to", HEADER, 0, 20);
    find(NULL, 1);
}

Test(changed_inputs, a_write_before_the_read_is_the_order_that_is_wanted)
{
    event(SH, "write", HEADER, TRUNCATED, 10);
    event(CC1, "read", HEADER, 0, 20);
    find(NULL, 0);
}

Test(changed_inputs, a_file_of_the_builds_own_may_change)
{
    event(MAKE, "write", HEADER, TRUNCATED, 5);
    event(CC1, "read", HEADER, 0, 10);
    event(SH, "write", HEADER, TRUNCATED, 20);
    find(NULL, 0);
}

Test(changed_inputs, a_program_may_rewrite_what_it_read_itself)
{
    event(CC1, "read", HEADER, 0, 10);
    event(CC1, "write", HEADER, TRUNCATED, 20);
    find(NULL, 0);
}

Test(changed_inputs, a_forked_child_is_the_same_program)
{
    small_run_execute(&run, "INSERT INTO process (id, run, serial, parent, how, pid, parent_pid,"
                            " exe, started, shim) VALUES (4, 1, 4, 3, 'fork', 104, 102, 3, 4,"
                            " 'loaded')");
    event(CC1, "read", HEADER, 0, 10);
    event(4, "write", HEADER, TRUNCATED, 20);
    find(NULL, 0);
}

Test(changed_inputs, opening_for_writing_alone_changes_nothing)
{
    event(CC1, "read", HEADER, 0, 10);
    event(SH, "write", HEADER, 0, 20);
    find(NULL, 0);
    artifact(HEADER, 5, 5, -100);
    find(NULL, 0);
    small_run_execute(&run, "DELETE FROM artifact");
    artifact(HEADER, 30, 30, -100);
    find(NULL, 1);
}

Test(changed_inputs, a_log_that_is_appended_to_is_no_changed_input)
{
    event(CC1, "read", "/home/ann/project/build.log", 0, 10);
    event(SH, "write", "/home/ann/project/build.log", RECORD_CREATE | RECORD_APPEND, 20);
    artifact("/home/ann/project/build.log", 30, 30, -100);
    find(NULL, 0);
}

Test(changed_inputs, who_reads_only_to_decide_makes_it_a_note)
{
    const struct analysis_finding *finding;

    event(MAKE, "read", "/home/ann/project/Makefile", 0, 10);
    event(SH, "write", "/home/ann/project/Makefile", TRUNCATED, 20);
    finding = find(NULL, 1);
    cr_assert_eq(finding->severity, SEVERITY_NOTE);
}

/* "ar" reads the old archive, writes the new one, and "ranlib" adds to that. */
Test(changed_inputs, what_the_reader_made_anew_itself_others_may_change)
{
    event(CC1, "read", "/home/ann/project/lib.a", 0, 10);
    event(CC1, "rename-to", "/home/ann/project/lib.a", 0, 20);
    event(SH, "write", "/home/ann/project/lib.a", TRUNCATED, 30);
    find(NULL, 0);
}

static void become(int process, const char *arguments)
{
    char *sql = sqlite3_mprintf("UPDATE process SET argv = CAST(%Q || char(0) AS BLOB)"
                                " WHERE id = %d",
                                arguments, process);

    small_run_execute(&run, sql);
    sqlite3_free(sql);
}

Test(changed_inputs, who_compares_the_old_with_the_new_makes_nothing_of_it)
{
    become(CC1, "/usr/bin/cmp");
    event(CC1, "read", HEADER, 0, 10);
    event(SH, "rename-to", HEADER, 0, 20);
    find(NULL, 0);
}

Test(changed_inputs, what_a_tool_keeps_for_itself_is_no_input)
{
    event(CC1, "read", "/home/ann/project/autom4te.cache/requests", 0, 10);
    event(SH, "write", "/home/ann/project/autom4te.cache/requests", TRUNCATED, 20);
    event(SH, "read", "/home/ann/project/config.status", 0, 10);
    event(CC1, "write", "/home/ann/project/config.status", TRUNCATED, 20);
    find(NULL, 0);
}

Test(changed_inputs, dependencies_that_make_read_may_be_written_for_the_next_time)
{
    event(MAKE, "read", "/home/ann/project/src/.deps/a.Po", 0, 10);
    event(SH, "rename-to", "/home/ann/project/src/.deps/a.Po", 0, 20);
    event(MAKE, "read", "/home/ann/project/src/a.d", 0, 10);
    event(CC1, "write", "/home/ann/project/src/a.d", TRUNCATED, 20);
    find(NULL, 0);
    event(SH, "read", "/home/ann/project/src/a.d", 0, 10);
    find(NULL, 1);
}

Test(changed_inputs, who_made_something_of_it_is_told_and_not_who_decided)
{
    const struct analysis_finding *finding;

    event(MAKE, "read", HEADER, 0, 10);
    event(CC1, "read", HEADER, 0, 11);
    event(SH, "write", HEADER, TRUNCATED, 20);
    finding = find(NULL, 1);
    cr_assert_eq(finding->severity, SEVERITY_ERROR);
    cr_assert_eq(finding->process_count, 2);
    cr_assert_eq(analysis->processes[finding->processes[0]].id, SH);
    cr_assert_eq(analysis->processes[finding->processes[1]].id, CC1);
}

/* cc1 is what sh became. */
Test(changed_inputs, a_program_that_starts_itself_again_and_reads_the_new_content_is_a_note)
{
    event(SH, "read", HEADER, 0, 10);
    event(MAKE, "write", HEADER, TRUNCATED, 20);
    cr_assert_eq(find(NULL, 1)->severity, SEVERITY_ERROR);
    event(CC1, "read", HEADER, 0, 30);
    cr_assert_eq(find(NULL, 1)->severity, SEVERITY_NOTE);
}

Test(changed_inputs, outputs_of_the_last_build_may_be_made_anew_unless_somebody_used_the_old_ones)
{
    static const char manifest[] = "version: 1\ninputs: [\"**\"]\noutputs: [build/**]\n";

    event(MAKE, "read", "/home/ann/project/build/a.d", 0, 10);
    event(CC1, "write", "/home/ann/project/build/a.d", TRUNCATED, 20);
    find(manifest, 0);
    event(CC1, "read", "/home/ann/project/build/gen.h", 0, 10);
    event(SH, "write", "/home/ann/project/build/gen.h", TRUNCATED, 20);
    cr_assert_eq(find(manifest, 1)->severity, SEVERITY_ERROR);
}

Test(changed_inputs, a_link_leads_to_the_file_that_changed)
{
    small_run_execute(&run,
                      "INSERT INTO resolves VALUES ('/home/ann/project/link.h', '" HEADER "')");
    event(CC1, "read", "/home/ann/project/link.h", 0, 10);
    event(SH, "write", HEADER, TRUNCATED, 20);
    cr_assert_str_eq(find(NULL, 1)->subject.bytes, HEADER);
}

Test(changed_inputs, caches_are_allowed_to_change)
{
    event(CC1, "read", "/home/ann/.cache/ccache/1/stats", 0, 10);
    event(SH, "write", "/home/ann/.cache/ccache/1/stats", TRUNCATED, 20);
    find(NULL, 0);
}

Test(changed_inputs, files_of_one_folder_are_one_finding_with_the_fingerprint_of_one_alone)
{
    const struct analysis_finding *finding;
    char alone[17];

    event(CC1, "read", HEADER, 0, 10);
    event(SH, "write", HEADER, TRUNCATED, 20);
    strcpy(alone, find(NULL, 1)->fingerprint);
    event(CC1, "read", "/home/ann/project/src/b.h", 0, 10);
    event(SH, "write", "/home/ann/project/src/b.h", TRUNCATED, 20);
    finding = find(NULL, 1);
    cr_assert_eq(finding->subjects, 2);
    cr_assert_eq(finding->subject.length, strlen("/home/ann/project/src"));
    cr_assert_str_eq(finding->fingerprint, alone);
    cr_assert_not_null(strstr(finding->remedy.bytes, "The same holds for 1 more."));
}

Test(changed_inputs, a_file_that_somebody_else_wrote_after_the_read_is_told)
{
    const struct analysis_finding *finding;

    event(CC1, "read", HEADER, 0, 10);
    artifact(HEADER, 20, 20, -100);
    finding = find(NULL, 1);
    cr_assert_eq(finding->class, FINDING_READ);
    cr_assert_eq(finding->severity, SEVERITY_ERROR);
    cr_assert_eq(finding->process_count, 1);
    cr_assert_not_null(strstr(finding->remedy.bytes, "changed by somebody who is not of the run"));
}

Test(changed_inputs, a_new_file_with_an_old_time_is_another_one)
{
    event(CC1, "read", HEADER, 0, 10);
    artifact(HEADER, 20, -100, 20);
    find(NULL, 1);
}

Test(changed_inputs, a_new_mode_or_a_time_in_the_future_is_no_new_content)
{
    event(CC1, "read", HEADER, 0, 10);
    artifact(HEADER, 20, -100, -100);
    event(CC1, "read", "/home/ann/project/src/future.h", 0, 10);
    artifact("/home/ann/project/src/future.h", -100, 100000, -200);
    find(NULL, 0);
}

Test(changed_inputs, a_file_that_changed_before_its_first_reader_came_is_the_one_that_was_read)
{
    event(CC1, "read", HEADER, 0, 30);
    artifact(HEADER, 20, 20, -100);
    find(NULL, 0);
}

Test(changed_inputs, what_the_run_did_to_a_file_is_not_somebody_elses)
{
    event(CC1, "read", HEADER, 0, 10);
    event(SH, "chmod", HEADER, 0, 20);
    artifact(HEADER, 20, 20, -100);
    find(NULL, 0);
}

Test(changed_inputs, after_a_run_that_was_recovered_nobody_can_tell_when_a_file_changed)
{
    event(CC1, "read", HEADER, 0, 10);
    artifact(HEADER, 20, 20, -100);
    small_run_execute(&run, "UPDATE run SET exit_status = NULL");
    find(NULL, 0);
}

Test(changed_inputs, other_runs_in_the_database_are_others)
{
    event(CC1, "read", HEADER, 0, 10);
    small_run_execute(
        &run, "INSERT INTO run (id, uuid, tool, started, monotonic, command, argv, cwd, root, mode,"
              " witness) SELECT 2, 'x', tool, started, monotonic, command, argv, cwd, root, mode,"
              " witness FROM run; INSERT INTO process (id, run, serial, how, pid, parent_pid,"
              " started, shim) VALUES (9, 2, 1, 'first', 9, 1, 1, 'loaded')");
    event(9, "write", HEADER, TRUNCATED, 20);
    find(NULL, 0);
}
