/* SPDX-License-Identifier: MIT
 *
 * What sarif.c, the log as a whole, and sarif_result.c, one result of it, share.
 */
#ifndef REPORTS_SARIF_PARTS_H
#define REPORTS_SARIF_PARTS_H

#include "json_writer.h"

/* The name of originalUriBaseIds that stands for the project's root. */
#define SARIF_ROOT "SRCROOT"

/* {"text": ...}; the buffer's text, or our own words. */
void sarif_message(struct json_writer *writer, const char *key, const struct buffer *text);
void sarif_words(struct json_writer *writer, const char *key, const char *words);

/* One result: an entry of runs[].results[]. */
void sarif_result(struct json_writer *writer, const struct analysis *analysis,
                  const struct analysis_finding *finding);

#endif
