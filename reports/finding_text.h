/* SPDX-License-Identifier: MIT
 *
 * What the formats for machines say to people about a finding, in one line. All text that comes out
 * is printable UTF-8; what a syntax needs beyond that is its own affair.
 */
#ifndef REPORTS_FINDING_TEXT_H
#define REPORTS_FINDING_TEXT_H

#include "reports.h"

/* The package, the service, or the place: "libc6-dev 2.36-9", "~/.gitconfig". */
void finding_add_name(struct buffer *out, const struct analysis *analysis,
                      const struct analysis_finding *finding);
/* "2 names read, looked at by cc1 ×36" */
void finding_add_facts(struct buffer *out, const struct analysis *analysis,
                       const struct analysis_finding *finding);
/* What to do about it, in sentences; one line. */
void finding_add_remedy(struct buffer *out, const struct analysis_finding *finding);
/* Lines of a manifest, with a newline between them; empty text adds nothing. */
void finding_add_lines(struct buffer *out, struct text lines);

/* Indexes of members with different names, most often used first, `most` of them or fewer; their
 * number comes back. */
size_t finding_distinct(const struct analysis_finding *finding, size_t *members, size_t most);

/* What stands against the run: undeclared, and not known from a baseline. */
bool finding_is_new(const struct analysis_finding *finding);

/* Findings with the gravest first: severity, then new before known before waived, then the number
 * of uses. The caller frees the array. */
const struct analysis_finding **findings_ranked(const struct analysis *analysis);

/* The file where a reviewer looks: the finding's own; the manifest; the file where most findings
 * are; where a manifest would be. Below the project's root; never empty. `line` is at least 1. */
struct analysis_location finding_place(const struct analysis *analysis,
                                       const struct analysis_finding *finding);

/* "static: a statically linked program: ..., 2 times (gen); what to do: ..." */
void blind_class_add(struct buffer *out, const struct analysis *analysis,
                     const struct analysis_blind_class *class);

#endif
