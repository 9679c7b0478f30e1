/* SPDX-License-Identifier: MIT
 *
 * Bytes made safe to show.
 */
#ifndef BASE_QUOTE_H
#define BASE_QUOTE_H

#include <stdbool.h>
#include "buffer.h"

/* True when the bytes are valid UTF-8 (RFC 3629: no surrogates, no overlong form, no NUL). */
bool text_is_utf8(const char *bytes, size_t length);

/* Length of the UTF-8 character at `bytes`, 0 when there is none. */
size_t text_character(const char *bytes, size_t left);

/* One word for a POSIX shell that reads back as exactly these bytes: plain where it can be, in
 * single quotes otherwise. Control characters and bytes that are not UTF-8 cannot be shown safely
 * inside quotes that sh and bash both understand; they come out as "$(printf '\ooo')". The result
 * is printable UTF-8, but for newlines at the very end of a word, which no such form keeps. */
void quote_word(struct buffer *out, const char *bytes, size_t length);

/* A whole command line: `argv` is `length` bytes, arguments with a NUL after each. */
void quote_command(struct buffer *out, const char *argv, size_t length);

/* For people: printable UTF-8 as it is; control characters, bytes that are not UTF-8 and characters
 * that change the direction of text as \xNN; a backslash as it is. Not reversible. */
void quote_display(struct buffer *out, const char *bytes, size_t length);

/* The same, cut to `most` characters with "…" for the rest. */
void quote_shortened(struct buffer *out, const char *bytes, size_t length, size_t most);

/* Number of characters in UTF-8 text, which is its width for most of what is displayed. */
size_t quote_width(const char *text, size_t length);

#endif
