/* SPDX-License-Identifier: MIT
 *
 * SHA-256 of a file or of a tree; docs/manifest.md defines the digest of a tree.
 */
#ifndef DIGEST_H
#define DIGEST_H

#include "buffer.h"

#define DIGEST_LENGTH 64 /* hexadecimal digits */

/* The digest of what `path` names, links followed. 0; or -1 with the reason in `why`. */
int digest_path(const char *path, char digest[DIGEST_LENGTH + 1], struct buffer *why);

#endif
