/* SPDX-License-Identifier: MIT
 *
 * Names as a manifest spells them (docs/manifest.md): quoted for YAML, and where a pattern is
 * expected with the characters that mean something in patterns quoted as well.
 */
#ifndef ANALYZER_MANIFEST_TEXT_H
#define ANALYZER_MANIFEST_TEXT_H

#include "buffer.h"
#include "group.h"

/* A scalar that reads back as exactly these bytes. */
void manifest_add_scalar(struct buffer *out, const char *bytes, size_t length);
/* A pattern that matches exactly this name. */
void manifest_add_name(struct buffer *out, struct text name);
/* A pattern for a path: below the project's root relative to it, below the caller's home with "~",
 * otherwise absolute. `below`: all below it as well, "/usr/include" followed by a slash and two
 * stars. */
void manifest_add_path(struct buffer *out, const struct places *places, struct text path,
                       bool below);
/* What lies in that folder and matches a pattern, which is taken as it is. */
void manifest_add_pattern(struct buffer *out, const struct places *places, struct text folder,
                          const char *pattern);
/* Bytes as a part of a pattern: none of them means anything there. */
void manifest_quote(struct buffer *out, struct text text);

#endif
