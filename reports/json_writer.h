/* SPDX-License-Identifier: MIT
 *
 * Writing JSON: values one after the other, with the commas and the indentation.
 *
 * Names are bytes, JSON strings are not: a byte that is not part of valid UTF-8 is written \xNN and
 * a backslash is doubled, so that a reader who undoes both has the name back, byte for byte.
 */
#ifndef REPORTS_JSON_WRITER_H
#define REPORTS_JSON_WRITER_H

#include <stdbool.h>

#include "analysis.h"
#include "buffer.h"

/* `depth` counts open brackets. Start with {buffer, 0, true}. */
struct json_writer {
    struct buffer *out;
    int depth;
    bool first; /* nothing in the innermost bracket yet */
};

/* Each writes one value; `key` is NULL in an array. */
void json_open(struct json_writer *writer, const char *key, char bracket);
void json_close(struct json_writer *writer, char bracket);
void json_text(struct json_writer *writer, const char *key,
               struct text text); /* NULL bytes: null */
void json_word(struct json_writer *writer, const char *key, const char *word);
/* Text that is printable UTF-8 already, but for newlines. */
void json_plain(struct json_writer *writer, const char *key, const struct buffer *text);
/* The same for lines of a manifest, which are to be pasted as they are; empty: null. */
void json_lines(struct json_writer *writer, const char *key, struct text lines);
void json_number(struct json_writer *writer, const char *key, int64_t number);
/* `number`, or null when it is the one that stands for "not known". */
void json_known(struct json_writer *writer, const char *key, int64_t number, int64_t unknown);
void json_bool(struct json_writer *writer, const char *key, bool value);
/* Unix time in nanoseconds as RFC 3339; 0 is null. */
void json_time(struct json_writer *writer, const char *key, int64_t time);
/* Arguments with a NUL after each, as an array; null when they are not known. */
void json_arguments(struct json_writer *writer, const char *key, struct text argv);

/* For values in one line: the comma and the key, then a string or whatever is added to `out`. */
void json_next(struct json_writer *writer);
void json_key(struct json_writer *writer, const char *key);
void json_string(struct buffer *out, struct text text);

#endif
