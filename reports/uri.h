/* SPDX-License-Identifier: MIT
 *
 * Paths as URIs (RFC 3986): everything but unreserved characters and the slash is written %XX, byte
 * by byte, so that any name comes out as ASCII and back.
 */
#ifndef REPORTS_URI_H
#define REPORTS_URI_H

#include "analysis.h"

void uri_add_path(struct buffer *out, struct text path);
/* "file:///home/ann/project/": a folder, by its absolute path. */
void uri_add_folder(struct buffer *out, struct text path);

#endif
