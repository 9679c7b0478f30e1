/* SPDX-License-Identifier: MIT
 *
 * What the files that the build took as inputs were like when it had ended: the table `artifact`.
 * An input is a file that was read, run or loaded at a time when the build had not made it itself.
 */
#ifndef ANALYZER_ARTIFACT_H
#define ANALYZER_ARTIFACT_H

#include <sqlite3.h>
#include <stdint.h>

#include "file_digest.h"
#include "subjects.h"

/* Looks at the inputs of a run that is judged and writes its rows of `artifact`: the digest of each
 * one that is not declared, and the times of each that was changed since the run's start. A file
 * that is as the run before it found it, by size and all times, is not read again. Takes the right
 * to write only when all are looked at. 0 or TALLY_ERR_*. */
int artifacts_record(sqlite3 *db, int64_t run, file_digest_progress progress);

struct artifact {
    uint32_t subject; /* number */
    int64_t size;
    int64_t changed;    /* Unix time in ns: content or attributes */
    int64_t modified;   /* the same: content, as the file says */
    int64_t born;       /* the file itself; 0 unknown */
    struct text digest; /* hex; empty: there is none */
};

/* By number of the subject that a path resolves to. */
struct artifacts {
    struct map numbers; /* of subjects -> row */
    struct artifact *rows;
    uint32_t count;
};

/* None for a run, or a database, without such rows. 0 or TALLY_ERR_DATABASE; artifacts_fini in any
 * case. */
int artifacts_load(struct artifacts *artifacts, sqlite3 *db, int64_t run,
                   const struct subjects *subjects, struct memory *memory);
void artifacts_fini(struct artifacts *artifacts);

/* Of what the subject leads to; NULL: not looked at. */
const struct artifact *artifacts_find(const struct artifacts *artifacts,
                                      const struct subjects *subjects, uint32_t subject);

/* Gives the members of all findings their digests. */
void artifacts_show(const struct artifacts *artifacts, const struct subjects *subjects,
                    struct analysis *analysis);

#endif
