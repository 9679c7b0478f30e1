/* SPDX-License-Identifier: MIT
 *
 * What `report` and `check` start from: a run of a database, judged, with its analysis.
 */
#ifndef CLI_JUDGED_RUN_H
#define CLI_JUDGED_RUN_H

#include <sqlite3.h>

#include "analysis.h"
#include "buffer.h"
#include "option.h"

#define DEFAULT_DATABASE "tallyman.db"
#define DEFAULT_MANIFEST "tallyman.yaml"

struct judged_run {
    sqlite3 *db; /* open for reading; nothing in the file is ever changed */
    struct analysis *analysis;
};

/* Opens `database` (NULL: the default), finds `run` (0: the newest) and judges it by `manifest`;
 * with NULL the verdicts in the database stand, and where there are none the manifest that the run
 * had is used. 0, or an exit status after the reason was said on stderr. judged_run_fini in any
 * case. */
int judged_run_open(struct judged_run *judged, const char *database, int64_t run,
                    const char *manifest);
void judged_run_fini(struct judged_run *judged);

/* The same for a run to compare with: it is judged by the manifest by which `like` was judged
 * (`manifest` is the file that it was opened with, or NULL), put into that run's own tree. */
int judged_run_open_like(struct judged_run *judged, const char *database, int64_t run,
                         const struct judged_run *like, const char *manifest);

struct manifest;
/* For those who look at one thing alone: opened and judged as by judged_run_open, and nothing
 * loaded. `run` becomes the id of the run, *manifest that by which it was judged (the caller's);
 * where its text cannot be read again here it is NULL, with the reasons in `why`. */
int judged_run_open_bare(struct judged_run *judged, const char *database, int64_t *run,
                         const char *file, struct manifest **manifest, struct buffer *why);

#define cleanup_judged_run __attribute__((cleanup(judged_run_fini)))

/* The policy of the manifest that the run had; NULL with lines in `why`. The caller frees. */
struct policy *judged_run_policy(sqlite3 *db, int64_t run, struct buffer *why);

/* Why a function of the analyzer returned `result`, TALLY_ERR_*; as short-lived as sqlite3_errmsg.
 */
const char *judged_run_reason(sqlite3 *db, int result);

/* Blind spots of these classes (names of blind_spots.def) are accepted: they stay listed, and do
 * not stand in the way of a clean status. */
void judged_run_accept(struct judged_run *judged, const struct option_list *classes);

/* The exit status of `check` and of `run --check`; what the baseline knows is no finding. `strict`:
 * a waiver that matched nothing is one, and what only the baseline has. */
int judged_run_status(const struct analysis *analysis, bool strict);

/* For an option that takes one of them: "static|foreign_libc|...". */
#define BLIND_SPOT_CHOICES (&blind_spot_choices[1])
extern const char blind_spot_choices[];

#endif
