/* SPDX-License-Identifier: MIT
 *
 * What a baseline did to the findings, for people.
 */
#include <inttypes.h>
#include <string.h>

#include "quote.h"
#include "text_parts.h"

#define MOST_STALE 25

static void add_finding_name(struct buffer *out, const struct analysis *analysis,
                             const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer name = BUFFER_INIT;

    if (finding->service)
        add_service_name(&name, finding);
    else
        add_place(&name, analysis, finding->subject);
    quote_shortened(out, name.data ? name.data : "", name.length, 40);
}

static void list_findings(struct page *page, const struct analysis *analysis, bool known,
                          const char *head)
{
    struct list list;

    list_start(&list, page, head, LIST_LINES);
    for (size_t i = 0; i < analysis->finding_count; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];
        cleanup_buffer struct buffer name = BUFFER_INIT;

        if (finding->verdict != VERDICT_UNDECLARED || finding->known != known)
            continue;
        add_finding_name(&name, analysis, finding);
        list_add(&list, name.data ? name.data : "");
    }
    list_end(&list);
}

static void list_stale_lines(struct page *page, const struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->stale_count && i < MOST_STALE; i++) {
        const struct analysis_stale *stale = &analysis->stale[i];
        cleanup_buffer struct buffer line = BUFFER_INIT;

        buffer_add_text(&line, "  no longer found");
        if (stale->line)
            buffer_printf(&line, ", line %" PRId64, stale->line);
        buffer_printf(&line, ": %s ", stale->fingerprint);
        quote_shortened(&line, stale->words.bytes, stale->words.length, 200);
        page_paragraph(page, 4, line.data);
    }
    if (analysis->stale_count > MOST_STALE)
        buffer_printf(page->out, "  and %zu more\n", analysis->stale_count - MOST_STALE);
}

static void count_stale(struct page *page, const struct analysis *analysis)
{
    cleanup_buffer struct buffer line = BUFFER_INIT;

    buffer_printf(&line,
                  "  in the baseline and no longer found: %zu (--strict names them, "
                  "--write-baseline leaves them out)",
                  analysis->stale_count);
    page_paragraph(page, 4, line.data);
}

void report_baseline_shortly(const struct analysis *analysis,
                             const struct report_settings *settings, bool list_stale,
                             struct buffer *out)
{
    struct page page = page_for(settings, out);
    cleanup_buffer struct buffer head = BUFFER_INIT;

    if (analysis_known(analysis)) {
        buffer_printf(&head, "known from the baseline, %" PRIu32 ":", analysis_known(analysis));
        list_findings(&page, analysis, true, head.data);
    }
    if (list_stale)
        list_stale_lines(&page, analysis);
    else if (analysis->stale_count)
        count_stale(&page, analysis);
}

void show_baseline(struct page *page, const struct analysis *analysis)
{
    cleanup_buffer struct buffer line = BUFFER_INIT;
    uint32_t known = analysis_known(analysis);
    uint32_t new = analysis_undeclared(analysis) - known;

    if (!analysis->baseline)
        return;
    buffer_printf(&line,
                  "%" PRIu32 " finding%s known from it, %" PRIu32 " new, %zu of it no longer found",
                  known, known == 1 ? "" : "s", new, analysis->stale_count);
    page_heading(page, "Baseline", line.data);
    if (new)
        list_findings(page, analysis, false, "new:");
}
