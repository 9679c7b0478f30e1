/* SPDX-License-Identifier: MIT
 *
 * The report for people: one screen for a usual build. What does not fit is counted, never left out
 * of a total.
 */
#include "render.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "endpoint.h"
#include "operation.h"
#include "quote.h"
#include "style.h"
#include "text_parts.h"

#define MOST_ROWS 5 /* of endpoints */

static void add_duration(struct buffer *out, const struct analysis *analysis)
{
    int64_t ms = (analysis->ended - analysis->started) / 1000000;

    if (!analysis->ended || ms < 0)
        return;
    if (ms < 60000)
        buffer_printf(out, ", took %" PRId64 ".%" PRId64 " s", ms / 1000, ms % 1000 / 100);
    else
        buffer_printf(out, ", took %" PRId64 " min %" PRId64 " s", ms / 60000, ms / 1000 % 60);
}

static void add_started(struct buffer *out, const struct analysis *analysis)
{
    char text[32] = "";
    time_t seconds = (time_t)(analysis->started / 1000000000);
    struct tm parts;

    if (localtime_r(&seconds, &parts))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
    buffer_printf(out, "run %" PRId64 " of %s", analysis->run, text);
}

static void add_end(struct buffer *out, const struct analysis *analysis)
{
    if (!analysis->ended)
        buffer_add_text(out, "never ended");
    else if (analysis->signal)
        buffer_printf(out, "ended by signal %" PRId64 " (%s)", analysis->signal,
                      signal_name(analysis->signal));
    else
        buffer_printf(out, "exit status %" PRId64, analysis->exit_status);
    if (analysis->interrupted)
        buffer_printf(out, ", interrupted by %s", signal_name(analysis->interrupted));
}

static void show_header(struct page *page, const struct analysis *analysis)
{
    cleanup_buffer struct buffer line = BUFFER_INIT;
    cleanup_buffer struct buffer command = BUFFER_INIT;

    quote_shortened(&command, analysis->command.bytes, analysis->command.length, page->width * 2);
    add_title(page, command.data ? command.data : "");
    add_started(&line, analysis);
    add_duration(&line, analysis);
    buffer_add_text(&line, "; ");
    add_end(&line, analysis);
    buffer_printf(&line, "; %zu process%s; mode %s, witness %s", analysis->process_count,
                  analysis->process_count == 1 ? "" : "es", analysis->mode.bytes,
                  analysis->witness.bytes);
    page_paragraph(page, 2, line.data);
    buffer_clear(&line);
    if (analysis->manifest.bytes) {
        buffer_add_text(&line, "Judged by ");
        add_place(&line, analysis, analysis->manifest);
    } else {
        buffer_add_text(&line, "No manifest: declared is what lies below ");
        quote_display(&line, analysis->root.bytes, analysis->root.length);
    }
    page_paragraph(page, 2, line.data);
    show_failed(page, analysis);
}

/* Variables are many and short: their names in lists, with who read them where somebody did. */
static void show_variables(struct page *page, const struct analysis *analysis, struct span span,
                           const char *operation, const char *head, size_t lines)
{
    cleanup_buffer struct buffer title = BUFFER_INIT;
    struct list list;
    size_t count = 0;

    for (size_t i = span.start; i < span.end; i++)
        count += !operation || strcmp(analysis->findings[i].operation, operation) == 0;
    if (count == 0)
        return;
    buffer_printf(&title, "%s, %zu:", head, count);
    list_start(&list, page, title.data, lines);
    for (size_t i = span.start; i < span.end; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];
        cleanup_buffer struct buffer item = BUFFER_INIT;

        if (operation && strcmp(finding->operation, operation) != 0)
            continue;
        quote_shortened(&item, finding->subject.bytes, finding->subject.length, 40);
        if (operation && strcmp(operation, "read") == 0) {
            buffer_add_text(&item, " (");
            add_program_names(&item, analysis, finding, 1);
            buffer_add_char(&item, ')');
        }
        list_add(&list, item.data ? item.data : "");
    }
    list_end(&list);
}

static void show_environment(struct page *page, const struct analysis *analysis)
{
    struct span span = span_of(analysis, CHANNEL_ENVIRONMENT, FINDING_READ);

    show_variables(page, analysis, span, "read", "read", LIST_LINES);
    show_variables(page, analysis, span, "locale", "locale", 1);
    show_variables(page, analysis, span, "visible", "visible to programs", 1);
    show_variables(page, analysis, span_of(analysis, CHANNEL_ENVIRONMENT, FINDING_PROBE), NULL,
                   "looked for and not set", 1);
}

/* Named by what people call it where that is known. */
static void show_service(struct page *page, const struct analysis *analysis,
                         const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer name = BUFFER_INIT;
    cleanup_buffer struct buffer rest = BUFFER_INIT;

    if (finding->service)
        buffer_add_text(&name, finding->service->name);
    else
        quote_display(&name, finding->subject.bytes, finding->subject.length);
    buffer_printf(&rest, "%s, %" PRId64 " time%s", finding->operation, finding->count,
                  finding->count == 1 ? "" : "s");
    add_users(&rest, analysis, finding, 3);
    page_row(page, NAME_COLUMN, name.data ? name.data : "", rest.data);
    buffer_clear(&rest);
    if (finding->service) {
        quote_display(&rest, finding->subject.bytes, finding->subject.length);
        buffer_printf(&rest, ", which %s: ", finding->service->text);
    }
    analysis_chain(analysis, finding->processes[0], 4, 32, &rest);
    page_detail(page, rest.data);
}

static void show_services(struct page *page, const struct analysis *analysis)
{
    struct span span = span_of(analysis, CHANNEL_NETWORK, FINDING_SERVICE);
    struct list list;

    if (span.start == span.end)
        return;
    page_paragraph(page, 4, "  ambient services, bound by nobody in this run:");
    for (size_t i = span.start; i < span.end && i < span.start + MOST_ROWS; i++)
        show_service(page, analysis, &analysis->findings[i]);
    if (span.end - span.start <= MOST_ROWS)
        return;
    list_start(&list, page, "other services:", LIST_LINES);
    for (size_t i = span.start + MOST_ROWS; i < span.end; i++) {
        cleanup_buffer struct buffer name = BUFFER_INIT;

        add_service_name(&name, &analysis->findings[i]);
        list_add(&list, name.data ? name.data : "");
    }
    list_end(&list);
}

/* How it came to the first use, other than by the command itself. */
static void show_cause(struct page *page, const struct analysis *analysis,
                       const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer chain = BUFFER_INIT;

    for (size_t i = 0; i < finding->process_count; i++) {
        if (analysis->processes[finding->processes[i]].parent == ANALYSIS_NONE)
            continue;
        analysis_chain(analysis, finding->processes[i], 4, 32, &chain);
        page_detail(page, chain.data);
        return;
    }
}

static void show_endpoint(struct page *page, const struct analysis *analysis,
                          const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer name = BUFFER_INIT;
    cleanup_buffer struct buffer rest = BUFFER_INIT;

    quote_display(&name, finding->subject.bytes, finding->subject.length);
    buffer_printf(&rest, "%s, %" PRId64 " time%s", finding->operation, finding->count,
                  finding->count == 1 ? "" : "s");
    add_users(&rest, analysis, finding, 3);
    if (finding->members[0].outcome) {
        buffer_add_text(&rest, ", ");
        add_outcome(&rest, finding->members[0].outcome);
    }
    page_row(page, NAME_COLUMN, name.data ? name.data : "", rest.data);
    show_cause(page, analysis, finding);
}

static void show_endpoints(struct page *page, const struct analysis *analysis)
{
    struct list list;
    size_t seen = 0;

    for (size_t i = 0; i < analysis->finding_count; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];
        cleanup_buffer struct buffer name = BUFFER_INIT;

        if (finding->channel != CHANNEL_NETWORK || finding->verdict != VERDICT_UNDECLARED ||
            finding->class == FINDING_SERVICE)
            continue;
        if (seen++ < MOST_ROWS) {
            show_endpoint(page, analysis, finding);
            continue;
        }
        if (seen == MOST_ROWS + 1)
            list_start(&list, page, "also:", LIST_LINES);
        quote_shortened(&name, finding->subject.bytes, finding->subject.length, 40);
        list_add(&list, name.data ? name.data : "");
    }
    if (seen > MOST_ROWS)
        list_end(&list);
}

/* "realtime (cc1 ×36, date), ...", and the cause of the first of them where it makes other bytes in
 * the result likely: nearly every program asks for its user and its limits. */
static void show_values(struct page *page, const struct analysis *analysis, enum channel channel)
{
    size_t programs = analysis->channels[channel].findings > 2 ? 1 : 3;
    bool telling = channel == CHANNEL_CLOCK || channel == CHANNEL_RANDOMNESS;
    const struct analysis_finding *first = NULL;
    struct list list;

    list_start(&list, page, "", telling ? LIST_LINES : 1);
    for (size_t i = 0; i < analysis->finding_count; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];
        cleanup_buffer struct buffer item = BUFFER_INIT;

        if (finding->channel != channel || finding->verdict != VERDICT_UNDECLARED)
            continue;
        first = first ? first : finding;
        quote_shortened(&item, finding->subject.bytes, finding->subject.length, 40);
        buffer_add_text(&item, finding->class == FINDING_PROBE ? " not found (" : " (");
        add_program_counts(&item, analysis, finding, programs);
        buffer_add_char(&item, ')');
        list_add(&list, item.data);
    }
    list_end(&list);
    if (first && telling)
        show_cause(page, analysis, first);
}

static void show_channel(struct page *page, const struct analysis *analysis, enum channel channel)
{
    cleanup_buffer struct buffer note = BUFFER_INIT;

    add_channel_note(&note, analysis, channel);
    page_heading(page, channel_title(channel), note.data);
    switch (channel) {
    case CHANNEL_FILESYSTEM:
        show_filesystem(page, analysis);
        break;
    case CHANNEL_NETWORK:
        show_services(page, analysis);
        show_endpoints(page, analysis);
        break;
    case CHANNEL_ENVIRONMENT:
        show_environment(page, analysis);
        break;
    default:
        show_values(page, analysis, channel);
        break;
    }
}

static void show_clean_channels(struct page *page, const struct analysis *analysis)
{
    cleanup_buffer struct buffer line = BUFFER_INIT;

    for (int i = 0; i < CHANNEL_COUNT; i++)
        if (analysis->channels[i].findings == 0)
            buffer_printf(&line, "%s%s", line.length ? ", " : "", channel_name((enum channel)i));
    if (line.length)
        page_heading(page, "Nothing undeclared", line.data);
}

struct listing {
    struct page page;
    char channel[64]; /* of the row before */
};

static void list_access(const struct access_row *row, void *data)
{
    struct listing *listing = data;
    cleanup_buffer struct buffer line = BUFFER_INIT;

    if (strncmp(listing->channel, row->channel.bytes, sizeof listing->channel - 1) != 0) {
        cleanup_buffer struct buffer title = BUFFER_INIT;

        snprintf(listing->channel, sizeof listing->channel, "%s", row->channel.bytes);
        buffer_add_text(&title, "Every access: ");
        quote_display(&title, row->channel.bytes, row->channel.length);
        page_gap(&listing->page);
        page_heading(&listing->page, title.data, "");
    }
    buffer_printf(&line, "  %-10s %-9s %-8s ", row->verdict.bytes, row->operation.bytes,
                  row->source.bytes);
    add_outcome(&line, row->outcome);
    buffer_printf(&line, " %" PRId64 "x in %" PRId64 " process%s  ", row->count, row->processes,
                  row->processes == 1 ? "" : "es");
    quote_display(&line, row->subject.bytes, row->subject.length);
    buffer_add_char(&line, '\n');
    buffer_add(listing->page.out, line.data, line.length);
}

int render_text(const struct analysis *analysis, sqlite3 *db,
                const struct report_settings *settings, struct buffer *out)
{
    struct page page = page_for(settings, out);
    struct listing listing = {.page = page};
    int result = 0;

    show_header(&page, analysis);
    page_gap(&page);
    for (int i = 0; i < CHANNEL_COUNT; i++)
        if (analysis->channels[i].findings)
            show_channel(&page, analysis, (enum channel)i);
    show_clean_channels(&page, analysis);
    page_gap(&page);
    show_waived(&page, analysis);
    show_baseline(&page, analysis);
    show_first_steps(&page, analysis);
    show_evidence(&page, analysis);
    if (settings->all)
        result = each_access(db, analysis->run, list_access, &listing);
    else
        show_next_steps(&page, analysis, settings);
    return result;
}
