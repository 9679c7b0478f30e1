/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_MARKDOWN_REPORT_H
#define REPORTS_MARKDOWN_REPORT_H

#include "reports.h"

/* The report in Markdown with the gravest `most` findings; the rest is counted. */
void markdown_report(const struct analysis *analysis, size_t most, struct buffer *out);

#endif
