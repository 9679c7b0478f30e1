/* SPDX-License-Identifier: MIT
 *
 * The parts of the HTML page. Everything that came from the build is shown with quote_display
 * first, so neither the markup nor the script ever meets a byte that is not printable.
 */
#ifndef REPORTS_HTML_H
#define REPORTS_HTML_H

#include "render.h"

/* Text for HTML as xml.h makes it, but line by line: for what the analyzer wrote, where a newline
 * is a newline. */
void html_add_lines(struct buffer *out, struct text text);

/* The findings for browsers without a script. */
void html_add_list(struct buffer *out, const struct analysis *analysis);

/* One JSON value for the script; the order of the columns stands in html_data.c and is read by
 * page/data.js. 0 or TALLY_ERR_DATABASE. */
int html_add_data(struct buffer *out, const struct analysis *analysis, sqlite3 *db);

/* At most so many members of a finding are on the page, the first: all of them, but for runs that
 * use hundreds of thousands of names. */
size_t html_most_members(const struct analysis *analysis);

/* What each process used, by the number of the member, as arrays of the JSON value. Members are
 * numbered through those of all findings that are on the page. */
struct html_uses {
    struct buffer processes; /* [[member, µs since the process started, ...], ...] */
    struct buffer blocks;    /* [[member, ...], ...], environments that processes share */
    uint32_t *block;         /* by process: number of its environment, ANALYSIS_NONE none */
    bool cut;                /* there were more than a page can hold */
};
/* 0 or TALLY_ERR_DATABASE. html_uses_fini in any case. */
int html_uses_load(struct html_uses *uses, const struct analysis *analysis, sqlite3 *db);
void html_uses_fini(struct html_uses *uses);

#endif
