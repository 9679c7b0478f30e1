/* SPDX-License-Identifier: MIT
 *
 * Lines of a text report. Everything given to these functions that came from the build is made safe
 * with quote_display here or before: no escape sequence but our own reaches the terminal.
 */
#ifndef REPORTS_STYLE_H
#define REPORTS_STYLE_H

#include <stdbool.h>
#include <stddef.h>

#include "buffer.h"

struct page {
    struct buffer *out;
    bool colour;
    size_t width;
};

/* A bold line; `note` follows in plain. */
void page_heading(struct page *page, const char *title, const char *note);

/* An empty line. */
void page_gap(struct page *page);

/* "  name      rest", the name coloured and padded to `column`, the line cut to the page's width.
 */
void page_row(struct page *page, size_t column, const char *name, const char *rest);

/* A dim line, indented, cut to the page's width. */
void page_detail(struct page *page, const char *text);

/* A plain line that is wrapped; the lines after the first are indented by `indent`. */
void page_paragraph(struct page *page, size_t indent, const char *text);

/* "  head: one, two, three and 7 more" in at most `lines` lines. `head` may be empty; then
 * list_add for each item; list_end says how many there are in all. */
struct list {
    struct page *page;
    size_t indent, lines, column, line, shown, total;
    bool full;
};
void list_start(struct list *list, struct page *page, const char *head, size_t lines);
void list_add(struct list *list, const char *item);
void list_end(struct list *list);

#endif
