/* SPDX-License-Identifier: MIT
 *
 * What the documents for people say of a difference. All that came from the builds is made safe by
 * quote_display.
 */
#ifndef REPORTS_DIFFERENCE_WORDS_H
#define REPORTS_DIFFERENCE_WORDS_H

#include "difference_report.h"

extern const char difference_letters[SIDE_COUNT + 1]; /* "AB" */

/* "ci.db, run 3 of 2026-12-01 04:42, by ci on runner-7 (Linux 6.1), in /builds/x: exit status 2" */
void difference_add_run(const struct comparison *comparison,
                        const struct difference_settings *settings, int side, struct buffer *out);
/* "complete", "incomplete (static ×2, lost-records)" */
void difference_add_evidence(const struct comparison *comparison, int side, struct buffer *out);
/* What has to be known to read the rest, a sentence each; nothing is added where all is well. */
#define DIFFERENCE_CAUTIONS 3
void difference_add_caution(const struct comparison *comparison, int number, struct buffer *out);

/* "zlib1g-dev 1:1.2.13", "PATH", "gcc: /usr/bin/gcc → /opt/bin/gcc" */
void difference_add_subject(const struct difference *difference, struct buffer *out);
/* "/usr/include/zlib.h, zconf.h and 3 more"; nothing where the subject has said it. */
void difference_add_members(const struct difference *difference, size_t most, struct buffer *out);
/* "cc1 and 3 more processes: make → gcc → cc1", without what was said of the one that failed. */
void difference_add_users(const struct comparison *comparison, const struct difference *difference,
                          struct buffer *out);
/* "cc1 -quiet a.c", cut; then "exit status 0 in A, exit status 1 in B". */
void difference_add_process(const struct comparison *comparison, const struct comparison_end *end,
                            size_t most, struct buffer *out);
void difference_add_ends(const struct comparison *comparison, const struct comparison_end *end,
                         struct buffer *out);
/* Its callers, from the run that failed. */
void difference_add_chain(const struct comparison *comparison, const struct comparison_end *end,
                          size_t most, struct buffer *out);

bool difference_end_is(const struct comparison_end *end);

#endif
