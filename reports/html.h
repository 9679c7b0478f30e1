/* SPDX-License-Identifier: MIT
 *
 * The parts of the HTML page. Everything that came from the build is shown with quote_display
 * first, so neither the markup nor the script ever meets a byte that is not printable.
 */
#ifndef REPORTS_HTML_H
#define REPORTS_HTML_H

#include "render.h"

/* The bytes as a person may see them, with the characters escaped that HTML knows. */
void html_add_text(struct buffer *out, struct text text);

/* The same line by line: for what the analyzer wrote, where a newline is a newline. */
void html_add_lines(struct buffer *out, struct text text);

/* The findings for browsers without a script. */
void html_add_list(struct buffer *out, const struct analysis *analysis);

/* One JSON value for the script; the order of the columns stands in html_data.c and is read by
 * page/data.js. 0 or TALLY_ERR_DATABASE. */
int html_add_data(struct buffer *out, const struct analysis *analysis, sqlite3 *db);

/* What each process used, by the number of the member, as arrays of the JSON value. */
struct html_uses {
    struct buffer processes; /* [[member, µs since the process started, ...], ...] */
    struct buffer blocks;    /* [[member, ...], ...], environments that processes share */
    uint32_t *block;         /* by process: number of its environment, ANALYSIS_NONE none */
};
/* 0 or TALLY_ERR_DATABASE. html_uses_fini in any case. */
int html_uses_load(struct html_uses *uses, const struct analysis *analysis, sqlite3 *db);
void html_uses_fini(struct html_uses *uses);

#endif
