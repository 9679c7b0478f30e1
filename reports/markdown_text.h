/* SPDX-License-Identifier: MIT
 *
 * Text for Markdown as GitHub and GitLab read it (CommonMark). What comes from a build stands in a
 * code span, where nothing has a meaning but backticks; sentences are escaped. Neither is safe in a
 * cell of a table.
 */
#ifndef REPORTS_MARKDOWN_TEXT_H
#define REPORTS_MARKDOWN_TEXT_H

#include "buffer.h"

/* For text that is printable UTF-8 already, in one line and not at its start; an empty one adds
 * nothing. */
void markdown_add_code(struct buffer *out, const struct buffer *text);
void markdown_add_text(struct buffer *out, const struct buffer *text);
/* Lines as a block of code, each `indent` spaces in. */
void markdown_add_block(struct buffer *out, const struct buffer *text, const char *language,
                        int indent);

#endif
