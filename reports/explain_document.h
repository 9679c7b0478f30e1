/* SPDX-License-Identifier: MIT
 *
 * An explanation (explain.h of the analyzer) as a document.
 */
#ifndef REPORTS_EXPLAIN_DOCUMENT_H
#define REPORTS_EXPLAIN_DOCUMENT_H

#include "explain.h"
#include "reports.h"

/* For people. `all`: nothing of what the explanation holds is left out. */
void explain_text(const struct explanation *explanation, const struct report_settings *settings,
                  struct buffer *out);

/* The document that docs/explain.schema.json describes. */
void explain_json(const struct explanation *explanation, struct buffer *out);

/* "It goes another way after /usr", a sentence about the rule that comes nearest. */
void explain_add_nearest(struct buffer *out, const struct explanation_part *part);

#endif
