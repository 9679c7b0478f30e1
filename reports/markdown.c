/* SPDX-License-Identifier: MIT
 *
 * The report in Markdown: for the summary of a CI job, a comment, or a wiki. Names stand in lists
 * and never in a table, where a bar would end a cell even in code.
 */
#include "markdown_report.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "cleanup.h"
#include "finding_text.h"
#include "markdown_text.h"
#include "operation.h"
#include "quote.h"
#include "render.h"
#include "text_parts.h"

#define MOST_NAMES    8
#define MOST_COMMANDS 6
#define LONGEST_STEP  120 /* characters */
#define LONGEST_TITLE 200

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void add_head(struct buffer *out, const struct analysis *analysis)
{
    cleanup_buffer struct buffer command = BUFFER_INIT;
    uint32_t known = analysis_known(analysis), all = analysis_undeclared(analysis);

    quote_shortened(&command, analysis->command.bytes, analysis->command.length, LONGEST_TITLE);
    buffer_printf(out, "## tallyman: %" PRIu32 " undeclared finding%s\n\n", all - known,
                  plural(all - known));
    markdown_add_code(out, &command);
    if (!analysis->ended)
        buffer_add_text(out, " never ended");
    else if (analysis->signal)
        buffer_printf(out, " was ended by SIG%s", signal_name(analysis->signal));
    else
        buffer_printf(out, " exited %" PRId64, analysis->exit_status);
    buffer_printf(out, "; %zu process%s; evidence **%s**%s.", analysis->process_count,
                  analysis->process_count == 1 ? "" : "es",
                  analysis->complete ? "complete" : "incomplete",
                  !analysis->complete && analysis_suffices(analysis) ? ", which is accepted" : "");
    if (analysis->baseline)
        buffer_printf(out, " %" PRIu32 " more finding%s known from the baseline.", known,
                      known == 1 ? " is" : "s are");
    buffer_add_text(out, "\n\n");
}

static void add_channels(struct buffer *out, const struct analysis *analysis)
{
    buffer_add_text(out, "| Channel | Findings | Known | Waived | Undeclared uses |\n"
                         "|---|---:|---:|---:|---:|\n");
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        const struct analysis_channel *channel = &analysis->channels[i];

        if (channel->findings || channel->waived_findings)
            buffer_printf(out, "| %s | %" PRIu32 " | %" PRIu32 " | %" PRIu32 " | %" PRId64 " |\n",
                          channel_title((enum channel)i), channel->findings - channel->known,
                          channel->known, channel->waived_findings, channel->occurrences);
    }
}

static void add_names(struct buffer *out, const struct analysis_finding *finding)
{
    size_t members[MOST_NAMES];
    size_t count = finding_distinct(finding, members, MOST_NAMES);

    buffer_add_text(out, "  - names: ");
    for (size_t i = 0; i < count; i++) {
        struct text name = finding->members[members[i]].subject;
        cleanup_buffer struct buffer shown = BUFFER_INIT;

        quote_shortened(&shown, name.bytes, name.length, LONGEST_STEP);
        buffer_add_text(out, i ? ", " : "");
        markdown_add_code(out, &shown);
    }
    if (finding->subjects > count)
        buffer_printf(out, " and %zu more", finding->subjects - count);
    buffer_add_char(out, '\n');
}

static void add_details(struct buffer *out, const struct analysis *analysis,
                        const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer remedy = BUFFER_INIT;
    cleanup_buffer struct buffer chain = BUFFER_INIT;
    cleanup_buffer struct buffer lines = BUFFER_INIT;

    finding_add_remedy(&remedy, finding);
    buffer_add_text(out, "  - what to do: ");
    markdown_add_text(out, &remedy);
    buffer_add_char(out, '\n');
    if (finding->subjects > 1)
        add_names(out, finding);
    if (finding->process_count) {
        analysis_chain(analysis, finding->processes[0], MOST_COMMANDS, LONGEST_STEP, &chain);
        buffer_add_text(out, "  - first used by ");
        markdown_add_code(out, &chain);
        buffer_add_char(out, '\n');
    }
    finding_add_lines(&lines, finding->declaration);
    if (lines.length) {
        buffer_add_text(out, "  - declared by\n\n");
        markdown_add_block(out, &lines, "yaml", 4);
    }
}

static void add_finding(struct buffer *out, const struct analysis *analysis,
                        const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer name = BUFFER_INIT;
    cleanup_buffer struct buffer facts = BUFFER_INIT;

    finding_add_name(&name, analysis, finding);
    finding_add_facts(&facts, analysis, finding);
    buffer_printf(out, "- **%s** ", severity_name(finding->severity));
    markdown_add_code(out, &name);
    buffer_printf(out, " – %s: ", finding->category->title);
    markdown_add_code(out, &facts);
    buffer_add_char(out, '\n');
    add_details(out, analysis, finding);
}

static void add_findings(struct buffer *out, const struct analysis *analysis, size_t most)
{
    cleanup_free const struct analysis_finding **ranked = findings_ranked(analysis);
    size_t new = 0, shown = 0;

    for (size_t i = 0; i < analysis->finding_count; i++)
        new += finding_is_new(ranked[i]);
    if (!new)
        return;
    buffer_add_text(out, "\n### Findings\n\n");
    for (size_t i = 0; i < analysis->finding_count && shown < most; i++) {
        if (!finding_is_new(ranked[i]))
            continue;
        add_finding(out, analysis, ranked[i]);
        shown++;
    }
    if (new > shown)
        buffer_printf(out, "\nand %zu more\n", new - shown);
}

static void add_evidence(struct buffer *out, const struct analysis *analysis)
{
    if (!analysis->blind_class_count && analysis->ended)
        return;
    buffer_add_text(out, "\n### Not observed\n\n");
    if (!analysis->ended)
        buffer_add_text(out, "- the run never ended: its records may stop anywhere\n");
    for (size_t i = 0; i < analysis->blind_class_count; i++) {
        cleanup_buffer struct buffer line = BUFFER_INIT;

        blind_class_add(&line, analysis, &analysis->blind_classes[i]);
        buffer_add_text(out, "- ");
        buffer_add_text(out, analysis->blind_classes[i].accepted ? "accepted: " : "");
        markdown_add_text(out, &line);
        buffer_add_char(out, '\n');
    }
}

void markdown_report(const struct analysis *analysis, size_t most, struct buffer *out)
{
    add_head(out, analysis);
    add_channels(out, analysis);
    add_findings(out, analysis, most);
    add_evidence(out, analysis);
}

int render_markdown(const struct analysis *analysis, sqlite3 *db,
                    const struct report_settings *settings, struct buffer *out)
{
    (void)db, (void)settings;
    markdown_report(analysis, SIZE_MAX, out);
    return 0;
}
