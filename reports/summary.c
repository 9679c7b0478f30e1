/* SPDX-License-Identifier: MIT
 *
 * The short forms: the end of `tallyman run`, the list of `tallyman check`.
 */
#include "reports.h"

#include <inttypes.h>
#include <string.h>

#include "endpoint.h"
#include "operation.h"
#include "quote.h"
#include "text_parts.h"

/* "files 38 (libc6-dev, gcc-12, ~/.gitconfig, ...)", the most telling of each channel. */
static void add_channel(struct buffer *out, const struct analysis *analysis, enum channel channel)
{
    size_t shown = 0;
    uint32_t count = analysis->channels[channel].findings;

    buffer_printf(out, "%s %" PRIu32 " (", channel_name(channel), count);
    for (size_t i = 0; i < analysis->finding_count && shown < 3; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];
        cleanup_buffer struct buffer name = BUFFER_INIT;

        if (finding->channel != channel || finding->verdict != VERDICT_UNDECLARED)
            continue;
        if (finding->service)
            add_service_name(&name, finding);
        else
            add_place(&name, analysis, finding->subject);
        buffer_add_text(out, shown++ ? ", " : "");
        quote_shortened(out, name.data ? name.data : "", name.length, 32);
    }
    buffer_add_text(out, count > shown ? ", …)" : ")");
}

/* "the command exited 2; ", nothing when it did what it was to do. */
static void add_failure(struct buffer *out, const struct analysis *analysis)
{
    if (analysis->signal)
        buffer_printf(out, "the command was ended by SIG%s; ", signal_name(analysis->signal));
    else if (analysis->exit_status > 0)
        buffer_printf(out, "the command exited %" PRId64 "; ", analysis->exit_status);
}

void report_summary(const struct analysis *analysis, const struct report_settings *settings,
                    struct buffer *out)
{
    struct page page = page_for(settings, out);
    cleanup_buffer struct buffer line = BUFFER_INIT;
    uint32_t findings = analysis_undeclared(analysis);

    buffer_add_text(&line, "tallyman: ");
    add_failure(&line, analysis);
    buffer_printf(&line, "%zu process%s, %" PRIu32 " undeclared finding%s", analysis->process_count,
                  analysis->process_count == 1 ? "" : "es", findings, findings == 1 ? "" : "s");
    if (analysis->baseline)
        buffer_printf(&line, ", %" PRIu32 " of them known from the baseline",
                      analysis_known(analysis));
    for (int i = 0, shown = 0; i < CHANNEL_COUNT; i++) {
        if (!analysis->channels[i].findings)
            continue;
        buffer_add_text(&line, shown++ ? ", " : ": ");
        add_channel(&line, analysis, (enum channel)i);
    }
    buffer_printf(&line, "; evidence %s", analysis->complete ? "complete" : "incomplete");
    page_paragraph(&page, 2, line.data);
    show_certificate(&page, analysis);
    /* A line of its own: a command that is to be typed must not be wrapped. */
    buffer_add_text(out, "  see: tallyman report");
    if (settings->database && strcmp(settings->database, "tallyman.db") != 0) {
        buffer_add_char(out, ' ');
        quote_word(out, settings->database, strlen(settings->database));
    }
    buffer_add_char(out, '\n');
}

static void show_finding(struct page *page, const struct analysis *analysis,
                         const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer name = BUFFER_INIT;
    cleanup_buffer struct buffer rest = BUFFER_INIT;

    if (finding->package.length)
        quote_display(&name, finding->package.bytes, finding->package.length);
    else if (finding->service)
        add_service_name(&name, finding);
    else
        add_place(&name, analysis, finding->subject);
    buffer_printf(&rest, "%s, ", channel_name(finding->channel));
    if (finding->channel == CHANNEL_FILESYSTEM)
        add_amount(&rest, finding);
    else
        buffer_printf(&rest, "%s%s", finding->operation,
                      finding->class == FINDING_SERVICE ? " (ambient service)" : "");
    if (finding->class == FINDING_PROBE)
        buffer_add_text(&rest, ", not found");
    add_users(&rest, analysis, finding, 2);
    page_row(page, 36, name.data ? name.data : "", rest.data);
}

static uint32_t new_findings(const struct analysis *analysis, enum channel channel)
{
    return analysis->channels[channel].findings - analysis->channels[channel].known;
}

/* Shares the rows out among the channels, so that one with many findings hides no other. */
static void share_rows(const struct analysis *analysis, size_t most, size_t rows[CHANNEL_COUNT])
{
    bool given = true;

    while (most && given) {
        given = false;
        for (int i = 0; i < CHANNEL_COUNT && most; i++) {
            if (rows[i] >= new_findings(analysis, (enum channel)i))
                continue;
            rows[i]++;
            most--;
            given = true;
        }
    }
}

void report_findings_shortly(const struct analysis *analysis,
                             const struct report_settings *settings, size_t most,
                             struct buffer *out)
{
    struct page page = page_for(settings, out);
    size_t rows[CHANNEL_COUNT] = {0};

    share_rows(analysis, most, rows);
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        size_t shown = 0;

        for (size_t j = 0; j < analysis->finding_count && shown < rows[i]; j++) {
            const struct analysis_finding *finding = &analysis->findings[j];

            if (finding->channel != (enum channel)i || finding->verdict != VERDICT_UNDECLARED ||
                finding->known)
                continue;
            show_finding(&page, analysis, finding);
            shown++;
        }
        if (new_findings(analysis, (enum channel)i) > shown)
            buffer_printf(out, "  and %zu more: %s\n",
                          new_findings(analysis, (enum channel)i) - shown,
                          channel_name((enum channel)i));
    }
}

void report_evidence_shortly(const struct analysis *analysis,
                             const struct report_settings *settings, struct buffer *out)
{
    struct page page = page_for(settings, out);

    show_certificate(&page, analysis);
}

void report_waivers_shortly(const struct analysis *analysis, const struct report_settings *settings,
                            struct buffer *out)
{
    struct page page = page_for(settings, out);

    show_unused_waivers(&page, analysis);
}
