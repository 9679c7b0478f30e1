/* SPDX-License-Identifier: MIT
 *
 * Pieces of sentences and lines that the report, the closing summary and `check` have in common.
 */
#ifndef REPORTS_TEXT_PARTS_H
#define REPORTS_TEXT_PARTS_H

#include "reports.h"
#include "style.h"

#define NAME_COLUMN 36
#define LIST_LINES  2

struct span {
    size_t start, end; /* indexes of findings */
};

/* The undeclared findings of a channel and a class: they are sorted that way. */
struct span span_of(const struct analysis *analysis, enum channel channel,
                    enum finding_class class);

struct page page_for(const struct report_settings *settings, struct buffer *out);
void add_title(struct page *page, const char *text);

const char *signal_name(int64_t signal);

/* A path for people: "./..." below the project's root, "../..." beside it, "~/..." below home. */
void add_place(struct buffer *out, const struct analysis *analysis, struct text path);
/* "97 files read, run" */
void add_amount(struct buffer *out, const struct analysis_finding *finding);
/* " by cc1 ×36, as and 3 more" */
void add_users(struct buffer *out, const struct analysis *analysis,
               const struct analysis_finding *finding, size_t most);
/* "cc1 ×36, as and 3 more"; "cc1, as and 3 more" */
void add_program_counts(struct buffer *out, const struct analysis *analysis,
                        const struct analysis_finding *finding, size_t most);
void add_program_names(struct buffer *out, const struct analysis *analysis,
                       const struct analysis_finding *finding, size_t most);
/* Names of the first members, without the folder of the group. */
void add_examples(struct buffer *out, const struct analysis_finding *finding, size_t most);
/* "sccache, 127.0.0.1:4226" */
void add_service_name(struct buffer *out, const struct analysis_finding *finding);
/* "1204 accesses, 38 findings" */
void add_channel_note(struct buffer *out, const struct analysis *analysis, enum channel channel);

/* What the section on files holds below its heading. */
void show_filesystem(struct page *page, const struct analysis *analysis);
/* "3 processes failed: sh ×2, grep"; nothing when none did. */
void show_failed(struct page *page, const struct analysis *analysis);
void show_unused_waivers(struct page *page, const struct analysis *analysis);
/* Who observed the run, how well, and what nobody did: the lines of the certificate. */
void show_certificate(struct page *page, const struct analysis *analysis);
void show_waived(struct page *page, const struct analysis *analysis);
/* How many findings the baseline knows, and which are new; nothing where there is none. */
void show_baseline(struct page *page, const struct analysis *analysis);
void show_evidence(struct page *page, const struct analysis *analysis);
/* What to do first, in a few paragraphs; nothing when there is nothing to do. */
void show_first_steps(struct page *page, const struct analysis *analysis);
void show_next_steps(struct page *page, const struct analysis *analysis,
                     const struct report_settings *settings);

#endif
