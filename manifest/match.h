/* SPDX-License-Identifier: MIT
 *
 * Patterns against bytes. Freestanding: no libc, no allocation; may run in a signal handler. Time
 * is at most the product of both lengths, whatever the pattern.
 *
 *   *  any bytes      ?  one byte      [a-z] [!a-z]  one byte of a class      \x  the byte x itself
 *
 * A class that is never closed and a backslash at the end stand for themselves; the parser refuses
 * both, so only a damaged policy block has them.
 */
#ifndef MATCH_H
#define MATCH_H

#include <stdbool.h>
#include <stddef.h>

/* The whole of `text`, in which '/' is a byte like any other. */
bool match_text(const char *pattern, size_t pattern_length, const char *text, size_t text_length);

/* Component by component; `**` as a component spans any number. Neither starts with '/'. With
 * `covers` the pattern may also match a folder that the path lies in. */
bool match_path(const char *pattern, bool covers, const char *path, size_t path_length);

#endif
