/* SPDX-License-Identifier: MIT
 *
 * Text for XML 1.0, between tags or between double quotes. Characters that XML cannot hold, escaped
 * or not, come out as \xNN, as all bytes do that cannot be shown.
 */
#ifndef REPORTS_XML_H
#define REPORTS_XML_H

#include "analysis.h"

/* Any bytes, in one line. */
void xml_add_text(struct buffer *out, struct text text);
/* What is printable UTF-8 already, but for newlines, which are kept. */
void xml_add_plain(struct buffer *out, const struct buffer *text);
/* " NAME=\"TEXT\"" */
void xml_add_attribute(struct buffer *out, const char *name, const struct buffer *text);

#endif
