/* SPDX-License-Identifier: MIT
 *
 * What --baseline and --write-baseline name: the text of baseline.h, or (to read) a database with
 * an earlier run.
 */
#ifndef CLI_BASELINE_FILE_H
#define CLI_BASELINE_FILE_H

#include "baseline.h"
#include "judged_run.h"

struct baseline_file {
    const char *path;          /* NULL: there is no baseline */
    long run;                  /* of the database, 0 the newest that is not the one to compare */
    struct baseline *baseline; /* NULL: the file is a database */
};

/* Reads the file where it is a text; 0, or an exit status after the reason was said on stderr.
 * `path` may be NULL. baseline_file_fini in any case. */
int baseline_file_open(struct baseline_file *file, const char *path, long run);
void baseline_file_fini(struct baseline_file *file);

#define cleanup_baseline_file __attribute__((cleanup(baseline_file_fini)))

/* Marks what is known among the findings of `judged`, which was opened with `database` and
 * `manifest`. 0 or an exit status, as above. */
int baseline_file_apply(struct baseline_file *file, struct judged_run *judged, const char *database,
                        const char *manifest);

/* Writes the undeclared findings. Never over a file that is no baseline. 0 or an exit status, as
 * above. */
int baseline_file_write(const char *path, const struct analysis *analysis);

#endif
