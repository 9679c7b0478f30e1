/* SPDX-License-Identifier: MIT
 *
 * Compact JSON for the page's script: no white space, and a string stands once, in a table, and is
 * a number everywhere else. Number 0 is the empty string.
 *
 * Strings come out as a person may see them (quote_display), and without "<", so that no markup can
 * begin inside the script element.
 */
#ifndef REPORTS_HTML_VALUES_H
#define REPORTS_HTML_VALUES_H

#include "analysis.h"
#include "buffer.h"
#include "map.h"

struct html_values {
    struct buffer *out;
    struct buffer table;
    struct names known;
    struct memory *memory;
};

void html_values_init(struct html_values *values, struct buffer *out);
void html_values_fini(struct html_values *values);

/* Each writes one value; `key` is NULL in an array. */
void html_open(struct html_values *values, const char *key, char bracket);
void html_close(struct html_values *values, char bracket);
void html_number(struct html_values *values, const char *key, int64_t number);
void html_string(struct html_values *values, const char *key, struct text text);
void html_word(struct html_values *values, const char *key, const char *word);
/* Where a newline is a newline. */
void html_lines(struct html_values *values, const char *key, struct text text);
/* A whole value that is JSON already. */
void html_raw(struct html_values *values, const char *key, const struct buffer *json);
/* An array of words, quoted for sh. */
void html_arguments(struct html_values *values, struct text argv);
/* The table as an array, once everything else is written. */
void html_table(struct html_values *values, const char *key);

#endif
