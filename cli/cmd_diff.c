/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <unistd.h>

#include "buffer.h"
#include "command.h"
#include "database.h"
#include "difference_report.h"
#include "judged_run.h"
#include "quote.h"
#include "report_output.h"
#include "tallyman/status.h"

static long run_a, run_b;
static const char *format = "text";
static const char *output;
static bool all;

const struct option cmd_diff_options[] = {
    {0, "run-a", OPTION_NUMBER, &run_a, "ID", NULL,
     "the run of DB-A; without it the newest, or with one database the one before it"},
    {0, "run-b", OPTION_NUMBER, &run_b, "ID", NULL, "the run of DB-B; without it the newest"},
    {'f', "format", OPTION_CHOICE, &format, "FORMAT", DIFFERENCE_FORMAT_CHOICES,
     "the output format"},
    {'o', "output", OPTION_TEXT, &output, "FILE", NULL,
     "write there, under a temporary name until all is written, instead of to standard output"},
    {'a', "all", OPTION_FLAG, &all, NULL, NULL, "show every difference, with all its names"},
    {0, NULL, OPTION_FLAG, NULL, NULL, NULL, NULL}};

/* diff(1) says that something differs by 1; a run that is not there is wrong usage. */
enum { DIFF_SAME = 0, DIFF_DIFFERENT = 1 };

static int open_run(const char *path, int64_t wanted, sqlite3 **db, int64_t *run)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;
    int result = database_open(path, DATABASE_READ, db, &why);
    int status = TALLY_EXIT_FAILURE;

    if (result == 0) {
        *run = analysis_find_run(*db, wanted, &why);
        result = *run < 0 ? (int)*run : 0;
        if (wanted && result == TALLY_ERR_NOT_FOUND)
            status = TALLY_EXIT_USAGE;
    }
    if (result == 0)
        return 0;
    warn("%s", why.data);
    return status;
}

/* The run before the newest; 0: there is none. */
static int64_t run_before(sqlite3 *db, int64_t run)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT max(id) FROM run WHERE id < ?1");

    if (!row)
        return 0;
    sqlite3_bind_int64(row, 1, run);
    return sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_int64(row, 0) : 0;
}

static int write_document(const struct comparison *comparison, struct difference_settings *settings)
{
    cleanup_buffer struct buffer document = BUFFER_INIT;

    settings->page.all = all;
    if (report_output_is_standard(output))
        report_settings_for(STDOUT_FILENO, &settings->page);
    difference_renderer_find(format)(comparison, settings, &document);
    if (report_write(output, &document) == 0)
        return comparison_differs(comparison) ? DIFF_DIFFERENT : DIFF_SAME;
    if (report_output_is_standard(output))
        warn_errno("cannot write to standard output");
    else
        warn_errno("cannot write %s", output);
    return TALLY_EXIT_FAILURE;
}

static int compare(struct difference_settings *settings, sqlite3 *const databases[SIDE_COUNT],
                   const int64_t runs[SIDE_COUNT])
{
    cleanup_buffer struct buffer why = BUFFER_INIT;
    struct comparison *comparison =
        comparison_make(databases[SIDE_A], runs[SIDE_A], databases[SIDE_B], runs[SIDE_B], &why);
    int status;

    if (!comparison) {
        warn("%s", why.data);
        return TALLY_EXIT_FAILURE;
    }
    status = write_document(comparison, settings);
    comparison_free(comparison);
    return status;
}

int cmd_diff(int argc, char **argv)
{
    int word = option_parse(cmd_diff_options, argc, argv, false);
    struct difference_settings settings = {.databases = {argv[word], argv[argc - 1]}};
    cleanup_database sqlite3 *a = NULL;
    cleanup_database sqlite3 *b = NULL;
    int64_t runs[SIDE_COUNT] = {0, 0};
    int status;

    if (argc - word < 1 || argc - word > 2)
        usage("diff takes two databases, or one with two runs, not %d", argc - word);
    status = open_run(settings.databases[SIDE_B], run_b, &b, &runs[SIDE_B]);
    if (status == 0 && argc - word == 1 && !run_a) {
        run_a = run_before(b, runs[SIDE_B]);
        if (!run_a)
            usage("the database holds one run alone; name another database to compare it with");
    }
    if (status == 0)
        status = open_run(settings.databases[SIDE_A], run_a, &a, &runs[SIDE_A]);
    if (status)
        return status;
    return compare(&settings, (sqlite3 *const[]){a, b}, runs);
}
