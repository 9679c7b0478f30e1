/* SPDX-License-Identifier: MIT */
#include "artifact.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "small_run.h"

/* Of "abc", as FIPS 180 has it. */
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static struct small_run run;
static char folder[64];

static void open_run(void)
{
    small_run_open(&run);
    strcpy(folder, "/tmp/test_artifact.XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void close_run(void)
{
    cleanup_free char *command = xprintf("rm -r %s", folder);

    small_run_close(&run);
    cr_assert_eq(system(command), 0);
}

TestSuite(artifact, .init = open_run, .fini = close_run);

/* Its path, good until the next call. */
static const char *path_of(const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");

    cr_assert_not_null(file, "%s", name);
    fputs(text, file);
    fclose(file);
}

static void record(void)
{
    cr_assert_eq(artifacts_record(run.db, 1, NULL), 0, "%s", sqlite3_errmsg(run.db));
}

/* What the condition says of the file's row; -98 when it has none. */
static long row_of(const char *name, const char *condition)
{
    char *sql = sqlite3_mprintf("SELECT %s FROM artifact a JOIN subject s ON s.id = a.subject"
                                " WHERE a.run = 1 AND s.name = %Q",
                                condition, path_of(name));
    long number = small_run_number(&run, sql);

    sqlite3_free(sql);
    return number;
}

Test(artifact, an_undeclared_file_has_its_digest_and_size)
{
    write_file("a.h", "abc");
    small_run_event(&run, "read", path_of("a.h"), 0, 1);
    small_run_judge(&run, NULL);
    record();
    cr_assert_eq(row_of("a.h", "digest = '" ABC "' AND size = 3 AND reason IS NULL"), 1);
}

Test(artifact, a_report_shows_the_digest_of_a_member)
{
    struct analysis *analysis;

    write_file("a.h", "abc");
    small_run_execute(&run, "UPDATE run SET started = (unixepoch() + 60) * 1000000000");
    small_run_event(&run, "read", path_of("a.h"), 0, 1);
    small_run_judge(&run, NULL);
    record();
    analysis = small_run_load(&run);
    cr_assert_eq(analysis->finding_count, 1);
    cr_assert_str_eq(analysis->findings[0].members[0].digest.bytes, ABC);
    analysis_free(analysis);
}

Test(artifact, a_declared_file_is_noted_only_when_it_changed_since_the_start)
{
    cleanup_free char *manifest = xprintf("version: 1\ninputs: [%s]\n", folder);

    write_file("a.h", "abc");
    small_run_event(&run, "read", path_of("a.h"), 0, 1);
    small_run_judge(&run, manifest);
    record();
    cr_assert_eq(row_of("a.h", "digest IS NULL AND reason = 'declared' AND modified <= changed"),
                 1);
    small_run_execute(&run, "DELETE FROM artifact;"
                            "UPDATE run SET started = (unixepoch() + 60) * 1000000000");
    record();
    cr_assert_eq(row_of("a.h", "1"), -98);
}

Test(artifact, what_the_build_made_is_no_input)
{
    write_file("made.h", "abc");
    write_file("before.h", "abc");
    small_run_event(&run, "write", path_of("made.h"), 5, 1);
    small_run_event(&run, "read", path_of("made.h"), 0, 2);
    small_run_event(&run, "read", path_of("before.h"), 0, 1);
    small_run_event(&run, "write", path_of("before.h"), 5, 2);
    small_run_judge(&run, "version: 1\ninputs: [src]\n");
    record();
    cr_assert_eq(row_of("made.h", "1"), -98);
    cr_assert_eq(row_of("before.h", "1"), 1);
}

Test(artifact, what_was_only_looked_at_or_not_found_is_no_input)
{
    write_file("seen.h", "abc");
    small_run_event(&run, "stat", path_of("seen.h"), 0, 1);
    small_run_event(&run, "read", path_of("gone.h"), 0, 1);
    small_run_judge(&run, NULL);
    record();
    cr_assert_eq(small_run_number(&run, "SELECT count(*) FROM artifact"), 0);
}

Test(artifact, what_is_no_file_on_a_disk_is_left_alone)
{
    cr_assert_eq(mkfifo(path_of("pipe"), 0644), 0);
    small_run_event(&run, "read", path_of("pipe"), 0, 1);
    small_run_event(&run, "read", folder, 0, 1);
    small_run_event(&run, "read", "/dev/zero", 0, 1);
    small_run_event(&run, "read", "/proc/kmsg", 0, 1);
    small_run_event(&run, "read", "/proc/version", 0, 1);
    small_run_judge(&run, NULL);
    record();
    cr_assert_eq(small_run_number(&run, "SELECT count(*) FROM artifact"), 0);
}

Test(artifact, a_file_of_more_than_a_gibibyte_has_no_digest_and_that_is_said)
{
    write_file("large", "");
    cr_assert_eq(truncate(path_of("large"), FILE_DIGEST_MAX + 1), 0);
    small_run_event(&run, "read", path_of("large"), 0, 1);
    small_run_judge(&run, NULL);
    record();
    cr_assert_eq(row_of("large", "digest IS NULL AND reason = 'large' AND size > 1 << 30"), 1);
}

Test(artifact, names_of_one_file_all_have_its_digest)
{
    cleanup_free char *first = xprintf("%s/first", folder);

    write_file("first", "abc");
    cr_assert_eq(link(first, path_of("second")), 0);
    cr_assert_eq(symlink("first", path_of("link")), 0);
    small_run_event(&run, "read", first, 0, 1);
    small_run_event(&run, "execute", path_of("second"), 0, 1);
    small_run_judge(&run, NULL);
    record();
    cr_assert_eq(small_run_number(&run, "SELECT count(*) FROM artifact WHERE digest = '" ABC "'"),
                 2);
}

Test(artifact, a_link_leads_to_what_was_read)
{
    cleanup_free char *resolves =
        xprintf("INSERT INTO resolves VALUES ('%s/link', '%s/target')", folder, folder);

    write_file("target", "abc");
    cr_assert_eq(symlink("target", path_of("link")), 0);
    small_run_execute(&run, resolves);
    small_run_event(&run, "read", path_of("link"), 0, 1);
    small_run_judge(&run, NULL);
    record();
    cr_assert_eq(row_of("target", "digest = '" ABC "'"), 1);
    cr_assert_eq(row_of("link", "1"), -98);
}

/* A run before, with the file as it is now but for the digest, which gives away who was asked. */
static void pretend_earlier_run(const char *seconds_after_now)
{
    cleanup_free char *sql = xprintf(
        "UPDATE run SET id = 2; UPDATE process SET run = 2; UPDATE access_summary SET run = 2;"
        "INSERT INTO run (id, uuid, tool, started, monotonic, ended, command, argv, cwd, root, "
        "mode,"
        " witness) SELECT 1, 'x', tool, started, monotonic, (unixepoch() + %s) * 1000000000,"
        " command, argv, cwd, root, mode, witness FROM run;"
        "UPDATE artifact SET digest = '%064d'",
        seconds_after_now, 7);

    small_run_execute(&run, sql);
    cr_assert_eq(artifacts_record(run.db, 2, NULL), 0, "%s", sqlite3_errmsg(run.db));
}

#define TAKEN_OVER "SELECT count(*) FROM artifact WHERE run = 2 AND digest GLOB '0*7'"

Test(artifact, a_file_that_the_run_before_saw_is_not_read_again)
{
    write_file("a.h", "abc");
    small_run_event(&run, "read", path_of("a.h"), 0, 1);
    small_run_judge(&run, NULL);
    record();
    pretend_earlier_run("60");
    cr_assert_eq(small_run_number(&run, TAKEN_OVER), 1);
}

Test(artifact, a_file_that_changed_just_before_that_is_read_again)
{
    write_file("a.h", "abc");
    small_run_event(&run, "read", path_of("a.h"), 0, 1);
    small_run_judge(&run, NULL);
    record();
    pretend_earlier_run("1");
    cr_assert_eq(small_run_number(&run, TAKEN_OVER), 0);
}

Test(artifact, a_file_that_is_another_one_now_is_read_again)
{
    write_file("a.h", "abc");
    small_run_event(&run, "read", path_of("a.h"), 0, 1);
    small_run_judge(&run, NULL);
    record();
    usleep(20000); /* the file system's clock ticks */
    write_file("a.h", "abc");
    pretend_earlier_run("60");
    cr_assert_eq(small_run_number(&run, TAKEN_OVER), 0);
}

Test(artifact, the_database_itself_is_no_input)
{
    cleanup_free char *name = realpath(run.path, NULL);

    small_run_event(&run, "read", name, 0, 1);
    small_run_judge(&run, NULL);
    record();
    cr_assert_eq(small_run_number(&run, "SELECT count(*) FROM artifact"), 0);
}

Test(artifact, a_database_from_before_there_were_digests_is_read_without)
{
    struct analysis *analysis;

    small_run_execute(&run, "DROP VIEW v_artifact; DROP TABLE artifact");
    write_file("a.h", "abc");
    small_run_event(&run, "read", path_of("a.h"), 0, 1);
    small_run_judge(&run, NULL);
    analysis = small_run_load(&run);
    cr_assert_eq(analysis->findings[0].members[0].digest.length, 0);
    analysis_free(analysis);
}

Test(artifact, hundreds_of_files_have_each_their_own_digest)
{
    for (int i = 0; i < 300; i++) {
        cleanup_free char *name = xprintf("f%d", i);

        write_file(name, name);
        small_run_event(&run, "read", path_of(name), 0, 1);
    }
    small_run_judge(&run, NULL);
    record();
    cr_assert_eq(small_run_number(&run, "SELECT count(DISTINCT digest) FROM artifact"), 300);
    cr_assert_eq(
        row_of("f7", "digest = '9327ca99aaea2b8f025e61e53b64fcdd38d7e5c0ad893c4ed271d3622ac14548'"),
        1);
}
