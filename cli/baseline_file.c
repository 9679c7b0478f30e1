/* SPDX-License-Identifier: MIT */
#include "baseline_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "database.h"
#include "quote.h"
#include "reports.h"
#include "tallyman/status.h"

static bool is_database(const struct buffer *bytes)
{
    static const char magic[] = "SQLite format 3"; /* with the NUL */

    return bytes->length >= sizeof magic && memcmp(bytes->data, magic, sizeof magic) == 0;
}

/* A name as a message shows it. */
static void show(struct buffer *out, const char *path)
{
    quote_display(out, path, strlen(path));
    buffer_add_text(out, "");
}

/* Up to `most` bytes and a little more. TALLY_ERR_SYSTEM with errno. It may be a pipe. */
static int read_file(const char *path, size_t most, struct buffer *bytes)
{
    cleanup_stream FILE *file = fopen(path, "re");
    char block[65536];
    size_t got;

    if (!file)
        return TALLY_ERR_SYSTEM;
    while (bytes->length <= most && (got = fread(block, 1, sizeof block, file)) > 0) {
        buffer_add(bytes, block, got);
        if (is_database(bytes))
            return 0;
    }
    return ferror(file) ? TALLY_ERR_SYSTEM : 0;
}

int baseline_file_open(struct baseline_file *file, const char *path, long run)
{
    cleanup_buffer struct buffer bytes = BUFFER_INIT;
    cleanup_buffer struct buffer shown = BUFFER_INIT;
    cleanup_buffer struct buffer why = BUFFER_INIT;

    *file = (struct baseline_file){path, run, NULL};
    if (!path)
        return 0;
    show(&shown, path);
    if (read_file(path, BASELINE_SIZE_MAX, &bytes) != 0) {
        warn("%s: cannot read the baseline: %s", shown.data, strerror(errno));
        return TALLY_EXIT_USAGE;
    }
    if (is_database(&bytes))
        return 0;
    if (bytes.length > BASELINE_SIZE_MAX) {
        warn("%s: too large for a baseline, which has at most %u MiB", shown.data,
             BASELINE_SIZE_MAX >> 20);
        return TALLY_EXIT_USAGE;
    }
    file->baseline = baseline_parse(path, bytes.data, bytes.length, &why);
    if (file->baseline)
        return 0;
    warn("%s", why.data);
    return TALLY_EXIT_USAGE;
}

void baseline_file_fini(struct baseline_file *file)
{
    baseline_free(file->baseline);
    file->baseline = NULL;
}

static bool is_same_file(const char *one, const char *other)
{
    struct stat a, b;

    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* The run before the one that is checked, where both lie in one database; 0 when there is none. */
static int64_t run_before(const struct judged_run *judged)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(judged->db, "SELECT max(id) FROM run WHERE id < ?1");

    if (!row || sqlite3_bind_int64(row, 1, judged->analysis->run) != SQLITE_OK ||
        sqlite3_step(row) != SQLITE_ROW)
        return 0;
    return sqlite3_column_int64(row, 0);
}

/* The run to compare with: never the one that is checked, which would always be clean. */
static int choose_run(const struct baseline_file *file, const struct judged_run *judged,
                      const char *database, int64_t *run)
{
    cleanup_buffer struct buffer shown = BUFFER_INIT;

    *run = file->run;
    if (!is_same_file(file->path, database))
        return 0;
    if (*run == 0)
        *run = run_before(judged);
    if (*run && *run != judged->analysis->run)
        return 0;
    show(&shown, file->path);
    if (*run)
        warn("%s: run %lld is the one that is checked and cannot be its own baseline", shown.data,
             (long long)*run);
    else
        warn("%s: holds no run before run %lld that could be its baseline", shown.data,
             (long long)judged->analysis->run);
    return TALLY_EXIT_USAGE;
}

static int apply_database(struct baseline_file *file, struct judged_run *judged,
                          const char *database, const char *manifest)
{
    cleanup_judged_run struct judged_run other = {NULL, NULL};
    int64_t run;
    int status = choose_run(file, judged, database, &run);

    if (status == 0)
        status = judged_run_open_like(&other, file->path, run, judged, manifest);
    if (status)
        return status;
    file->baseline = baseline_of(other.analysis);
    analysis_apply_baseline(judged->analysis, file->baseline);
    return 0;
}

int baseline_file_apply(struct baseline_file *file, struct judged_run *judged, const char *database,
                        const char *manifest)
{
    if (!file->path)
        return 0;
    if (!file->baseline)
        return apply_database(file, judged, database, manifest);
    analysis_apply_baseline(judged->analysis, file->baseline);
    return 0;
}

/* Empty, a baseline or not there. */
static bool may_overwrite(const char *path)
{
    cleanup_buffer struct buffer bytes = BUFFER_INIT;
    cleanup_buffer struct buffer shown = BUFFER_INIT;
    struct stat status;

    show(&shown, path);
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return true;
    if (read_file(path, 1, &bytes) != 0) {
        warn("%s: not overwritten, for it cannot be read: %s", shown.data, strerror(errno));
        return false;
    }
    if (bytes.length == 0 || baseline_is_text(bytes.data, bytes.length))
        return true;
    warn("%s: not overwritten, for it is no baseline", shown.data);
    return false;
}

int baseline_file_write(const char *path, const struct analysis *analysis)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;
    cleanup_buffer struct buffer shown = BUFFER_INIT;
    cleanup_free char *target = NULL;

    if (!may_overwrite(path))
        return TALLY_EXIT_USAGE;
    /* Behind a link the file is replaced and not the link. */
    target = strcmp(path, "-") == 0 ? NULL : realpath(path, NULL);
    show(&shown, path);
    baseline_write(analysis, &text);
    if (report_write(target ? target : path, &text) == 0)
        return 0;
    warn("cannot write the baseline to %s: %s", shown.data, strerror(errno));
    return TALLY_EXIT_FAILURE;
}
