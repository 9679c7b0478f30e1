/* SPDX-License-Identifier: MIT
 *
 * Turns an analysis into a document. An output format is a vtable and a row in formats.def.
 */
#ifndef REPORTS_REPORTS_H
#define REPORTS_REPORTS_H

#include <sqlite3.h>
#include <stdbool.h>

#include "analysis.h"
#include "buffer.h"

struct report_settings {
    bool all;             /* every access, not only the groups */
    bool colour;          /* text: escape sequences */
    int width;            /* text: columns; 0 is 80 */
    const char *database; /* its path, for the next steps */
};

struct report_format {
    const char *name;
    const char *text; /* one line of help */
    /* Adds the whole document. 0 or TALLY_ERR_*. */
    int (*render)(const struct analysis *analysis, sqlite3 *db,
                  const struct report_settings *settings, struct buffer *out);
};

/* NULL when there is none of that name. */
const struct report_format *report_format_find(const char *name);
/* "text|json|...", for a table of options. */
#define REPORT_FORMAT_CHOICES (&report_format_choices[1])
extern const char report_format_choices[];

/* The few lines at the end of `tallyman run`. */
void report_summary(const struct analysis *analysis, const struct report_settings *settings,
                    struct buffer *out);
/* Undeclared findings that no baseline knows, one line each and at most `most` of them, for
 * `tallyman check`. */
void report_findings_shortly(const struct analysis *analysis,
                             const struct report_settings *settings, size_t most,
                             struct buffer *out);

/* What the baseline did: the findings that it knows and, each by name with `list_stale`, its lines
 * that accept nothing any more. Nothing where there is no baseline. */
void report_baseline_shortly(const struct analysis *analysis,
                             const struct report_settings *settings, bool list_stale,
                             struct buffer *out);

/* The certificate: what the evidence rests on, and what makes it incomplete. */
void report_evidence_shortly(const struct analysis *analysis,
                             const struct report_settings *settings, struct buffer *out);
/* The waivers that matched nothing; nothing where there is none. */
void report_waivers_shortly(const struct analysis *analysis, const struct report_settings *settings,
                            struct buffer *out);

/* The summary of a step of GitHub Actions, in Markdown and within GitHub's limit. */
void report_step_summary(const struct analysis *analysis, struct buffer *out);

/* Columns and colour as the stream wants them: a terminal's width, colour only on a terminal and
 * without NO_COLOR. */
void report_settings_for(int descriptor, struct report_settings *settings);

/* Writes the document to `path` under a temporary name, syncs it and renames it into place; "-" or
 * NULL is standard output. 0 or TALLY_ERR_SYSTEM with errno. */
int report_write(const char *path, const struct buffer *document);
/* Adds the document to the end of a file that others write to as well. The same. */
int report_append(const char *path, const struct buffer *document);

#endif
