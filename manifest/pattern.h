/* SPDX-License-Identifier: MIT
 *
 * Patterns as they are written made absolute and checked.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>
#include "reader.h"

/* A pattern of paths: `~` and ${VAR} filled in, relative ones put below `base` (already absolute),
 * "//", "." and ".." taken out. NULL after an error, which names why it can never match. The caller
 * frees. */
char *pattern_path(struct reader *reader, const yaml_node_t *node, const char *text,
                   const char *base);

/* A path that is not a pattern, in the same way. */
char *pattern_folder(struct reader *reader, const yaml_node_t *node, const char *text,
                     const char *base);

/* A pattern of text in which '/' is a byte like any other: a copy, or NULL after an error. */
char *pattern_text(struct reader *reader, const yaml_node_t *node, const char *text);

/* `$${` is "${" and ${VAR} is the variable's value. NULL after an error. */
char *pattern_value(struct reader *reader, const yaml_node_t *node, const char *text);

/* True when the component has a wildcard that is not quoted. */
bool pattern_has_wildcard(const char *component, size_t length);

/* Takes the backslashes out, in place; returns the new length. */
size_t pattern_unquote(char *text, size_t length);

/* Adds the bytes so that none of them is a wildcard. */
void pattern_quote(struct buffer *out, const char *bytes, size_t length);

#endif
