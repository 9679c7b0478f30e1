/* SPDX-License-Identifier: MIT */
#include "small_run.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer.h"
#include "database.h"
#include "manifest.h"

__asm__(".pushsection .rodata\n"
        "small_run_sql:\n"
        ".incbin \"" SMALL_RUN_SQL_FILE "\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char small_run_sql[] __attribute__((visibility("hidden")));

#define ROOT "/home/ann/project"

void small_run_open(struct small_run *run)
{
    struct buffer why = BUFFER_INIT;

    strcpy(run->folder, "/tmp/small_run.XXXXXX");
    cr_assert_not_null(mkdtemp(run->folder));
    snprintf(run->path, sizeof run->path, "%s/run.db", run->folder);
    cr_assert_eq(database_open(run->path, DATABASE_WRITE, &run->db, &why), 0, "%s", why.data);
    small_run_execute(run, small_run_sql);
}

void small_run_close(struct small_run *run)
{
    database_close(run->db);
    unlink(run->path);
    rmdir(run->folder);
}

void small_run_execute(struct small_run *run, const char *sql)
{
    char *message = NULL;

    cr_assert_eq(sqlite3_exec(run->db, sql, NULL, NULL, &message), SQLITE_OK, "%s: %s", message,
                 sql);
}

void small_run_event(struct small_run *run, const char *operation, const char *path, int flags,
                     int time)
{
    char *sql = sqlite3_mprintf("INSERT INTO event (process, channel, operation, subject, flags,"
                                " first) VALUES (3, 'filesystem', %Q, %Q, %d, %d)",
                                operation, path, flags, time);

    small_run_execute(run, sql);
    sqlite3_free(sql);
}

void small_run_judge(struct small_run *run, const char *text)
{
    struct buffer errors = BUFFER_INIT;
    struct manifest *manifest =
        text ? manifest_parse("tallyman.yaml", text, strlen(text), ROOT, &errors)
             : manifest_ambient(ROOT);
    struct policy *policy;
    size_t size;

    cr_assert_not_null(manifest, "%s", errors.data);
    policy = policy_compile(manifest, &size, &errors);
    cr_assert_not_null(policy, "%s", errors.data);
    cr_assert_eq(analyzer_summarise(run->db, 1), 0, "%s", sqlite3_errmsg(run->db));
    cr_assert_eq(analyzer_judge(run->db, 1, policy), 0, "%s", sqlite3_errmsg(run->db));
    free(policy);
    manifest_free(manifest);
    buffer_fini(&errors);
}

long small_run_number(struct small_run *run, const char *sql)
{
    sqlite3_stmt *row = database_prepare(run->db, sql);
    long number = -98;

    cr_assert_not_null(row, "%s: %s", sqlite3_errmsg(run->db), sql);
    if (sqlite3_step(row) == SQLITE_ROW)
        number =
            sqlite3_column_type(row, 0) == SQLITE_NULL ? -99 : (long)sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return number;
}

long small_run_verdict(struct small_run *run, const char *operation, const char *subject)
{
    char *sql =
        sqlite3_mprintf("SELECT a.verdict FROM judged_access a JOIN subject s ON s.id = a.subject"
                        " JOIN operation o ON o.id = a.operation"
                        " WHERE o.name = %Q AND s.name = %Q",
                        operation, subject);
    long verdict = small_run_number(run, sql);

    sqlite3_free(sql);
    return verdict;
}

struct analysis *small_run_load(struct small_run *run)
{
    struct buffer why = BUFFER_INIT;
    struct analysis *analysis = analysis_load(run->db, 1, &why);

    cr_assert_not_null(analysis, "%s", why.data);
    return analysis;
}

const struct analysis_finding *small_run_finding(const struct analysis *analysis,
                                                 const char *subject)
{
    for (size_t i = 0; i < analysis->finding_count; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];

        if (finding->subject.length == strlen(subject) &&
            memcmp(finding->subject.bytes, subject, finding->subject.length) == 0)
            return finding;
    }
    cr_assert_fail("no finding %s among %zu", subject, analysis->finding_count);
    return NULL;
}
