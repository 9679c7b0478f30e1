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

#define NAME_COLUMN   36
#define MOST_PLACES   6 /* rows of files that no package owns */
#define MOST_PACKAGES 8
#define MOST_ROWS     5 /* of the other channels */
#define LIST_LINES    2

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
}

/* The findings of a channel and a class, as a range: they are sorted that way. */
static struct span span_of(const struct analysis *analysis, enum channel channel,
                           enum finding_class class)
{
    struct span span = {0, 0};

    for (size_t i = 0; i < analysis->finding_count; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];

        if (finding->channel != channel || finding->class != class ||
            finding->verdict != VERDICT_UNDECLARED)
            continue;
        if (span.start == span.end)
            span.start = i;
        span.end = i + 1;
    }
    return span;
}

/* How a finding of files is shown: what was only looked at or listed says the least. */
enum row_kind { ROW_PLACE, ROW_PACKAGE, ROW_GLANCE };

static enum row_kind row_kind(const struct analysis_finding *finding)
{
    const uint32_t glances = 1u << ACCESS_LOOK | 1u << ACCESS_LIST;

    if (finding->package.length)
        return ROW_PACKAGE;
    return finding->class == FINDING_READ && !(finding->kinds & ~glances) ? ROW_GLANCE : ROW_PLACE;
}

static void show_place(struct page *page, const struct analysis *analysis,
                       const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer name = BUFFER_INIT;
    cleanup_buffer struct buffer rest = BUFFER_INIT;

    add_place(&name, analysis, finding->subject);
    add_amount(&rest, finding);
    add_users(&rest, analysis, finding, 3);
    page_row(page, NAME_COLUMN, name.data, rest.data);
    buffer_clear(&rest);
    add_examples(&rest, finding, 3);
    buffer_add_text(&rest, ": ");
    analysis_chain(analysis, finding->processes[0], 4, 28, &rest);
    page_detail(page, rest.data);
}

static void show_package(struct page *page, const struct analysis *analysis,
                         const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer name = BUFFER_INIT;
    cleanup_buffer struct buffer rest = BUFFER_INIT;

    quote_display(&name, finding->package.bytes, finding->package.length);
    add_amount(&rest, finding);
    add_users(&rest, analysis, finding, 3);
    page_row(page, NAME_COLUMN, name.data, rest.data);
}

static void add_place_and_number(struct buffer *out, const struct analysis *analysis,
                                 const struct analysis_finding *finding)
{
    add_place(out, analysis, finding->subject);
    buffer_printf(out, " (%" PRIu32 ")", finding->subjects);
}

/* Rows for up to `most` findings of a kind, the names of the others in a list. */
static void show_files(struct page *page, const struct analysis *analysis, struct span span,
                       enum row_kind kind, size_t most)
{
    static const char *const heads[] = {
        [ROW_PLACE] = "also:",
        [ROW_PACKAGE] = "other packages:",
        [ROW_GLANCE] = "only listed or looked at:",
    };
    struct list list;
    size_t seen = 0;

    for (size_t i = span.start; i < span.end; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];
        cleanup_buffer struct buffer name = BUFFER_INIT;

        if (row_kind(finding) != kind)
            continue;
        if (seen++ < most) {
            if (kind == ROW_PACKAGE)
                show_package(page, analysis, finding);
            else
                show_place(page, analysis, finding);
            continue;
        }
        if (seen == most + 1)
            list_start(&list, page, heads[kind], LIST_LINES);
        add_place_and_number(&name, analysis, finding);
        list_add(&list, name.data);
    }
    if (seen > most)
        list_end(&list);
}

/* "looked for and not found, 312 names: /usr/local/include (35), ..." */
static void show_probes(struct page *page, const struct analysis *analysis, struct span span)
{
    cleanup_buffer struct buffer head = BUFFER_INIT;
    size_t names = 0;
    struct list list;

    if (span.start == span.end)
        return;
    for (size_t i = span.start; i < span.end; i++)
        names += analysis->findings[i].subjects;
    buffer_printf(&head, "looked for and not found, %zu name%s:", names, names == 1 ? "" : "s");
    list_start(&list, page, head.data, LIST_LINES);
    for (size_t i = span.start; i < span.end; i++) {
        cleanup_buffer struct buffer name = BUFFER_INIT;

        add_place_and_number(&name, analysis, &analysis->findings[i]);
        list_add(&list, name.data);
    }
    list_end(&list);
}

static void show_filesystem(struct page *page, const struct analysis *analysis)
{
    struct span read = span_of(analysis, CHANNEL_FILESYSTEM, FINDING_READ);
    struct span write = span_of(analysis, CHANNEL_FILESYSTEM, FINDING_WRITE);

    show_files(page, analysis, write, ROW_PLACE, MOST_PLACES);
    show_files(page, analysis, read, ROW_PLACE, MOST_PLACES);
    show_files(page, analysis, read, ROW_GLANCE, 0);
    show_files(page, analysis, read, ROW_PACKAGE, MOST_PACKAGES);
    show_probes(page, analysis, span_of(analysis, CHANNEL_FILESYSTEM, FINDING_PROBE));
}

/* Variables are many and short: their names in lists, with who read them where somebody did. */
static void show_variables(struct page *page, const struct analysis *analysis, struct span span,
                           const char *operation, const char *head)
{
    cleanup_buffer struct buffer title = BUFFER_INIT;
    struct list list;
    size_t count = 0;

    for (size_t i = span.start; i < span.end; i++)
        count += !operation || strcmp(analysis->findings[i].operation, operation) == 0;
    if (count == 0)
        return;
    buffer_printf(&title, "%s, %zu:", head, count);
    list_start(&list, page, title.data, LIST_LINES);
    for (size_t i = span.start; i < span.end; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];
        cleanup_buffer struct buffer item = BUFFER_INIT;

        if (operation && strcmp(finding->operation, operation) != 0)
            continue;
        quote_shortened(&item, finding->subject.bytes, finding->subject.length, 40);
        if (operation && strcmp(operation, "read") == 0) {
            buffer_add_text(&item, " (");
            add_program_names(&item, analysis, finding, 2);
            buffer_add_char(&item, ')');
        }
        list_add(&list, item.data ? item.data : "");
    }
    list_end(&list);
}

static void show_environment(struct page *page, const struct analysis *analysis)
{
    struct span span = span_of(analysis, CHANNEL_ENVIRONMENT, FINDING_READ);

    show_variables(page, analysis, span, "read", "read");
    show_variables(page, analysis, span, "locale", "locale");
    show_variables(page, analysis, span, "visible", "visible to programs");
    show_variables(page, analysis, span_of(analysis, CHANNEL_ENVIRONMENT, FINDING_PROBE), NULL,
                   "looked for and not set");
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
        buffer_printf(&rest, " %s: ", finding->service->text);
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

static void show_value(struct page *page, const struct analysis *analysis,
                       const struct analysis_finding *finding, bool chain)
{
    cleanup_buffer struct buffer name = BUFFER_INIT;
    cleanup_buffer struct buffer rest = BUFFER_INIT;

    quote_display(&name, finding->subject.bytes, finding->subject.length);
    buffer_printf(&rest, "%s, %" PRId64 " time%s", finding->operation, finding->count,
                  finding->count == 1 ? "" : "s");
    if (finding->class == FINDING_PROBE)
        buffer_add_text(&rest, ", not found");
    add_users(&rest, analysis, finding, 3);
    page_row(page, NAME_COLUMN, name.data ? name.data : "", rest.data);
    if (!chain || analysis->processes[finding->processes[0]].parent == ANALYSIS_NONE)
        return;
    buffer_clear(&rest);
    analysis_chain(analysis, finding->processes[0], 4, 32, &rest);
    page_detail(page, rest.data);
}

static void show_values(struct page *page, const struct analysis *analysis, enum channel channel)
{
    struct list list;
    size_t seen = 0;

    for (size_t i = 0; i < analysis->finding_count; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];
        cleanup_buffer struct buffer name = BUFFER_INIT;

        if (finding->channel != channel || finding->verdict != VERDICT_UNDECLARED ||
            finding->class == FINDING_SERVICE)
            continue;
        if (seen++ < MOST_ROWS) {
            show_value(page, analysis, finding, seen == 1 || channel == CHANNEL_NETWORK);
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

static void show_channel(struct page *page, const struct analysis *analysis, enum channel channel)
{
    cleanup_buffer struct buffer note = BUFFER_INIT;

    add_channel_note(&note, analysis, channel);
    page_heading(page, channel_title(channel), note.data);
    if (channel == CHANNEL_FILESYSTEM)
        show_filesystem(page, analysis);
    else if (channel == CHANNEL_ENVIRONMENT)
        show_environment(page, analysis);
    if (channel == CHANNEL_NETWORK)
        show_services(page, analysis);
    if (channel != CHANNEL_FILESYSTEM && channel != CHANNEL_ENVIRONMENT)
        show_values(page, analysis, channel);
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
    show_evidence(&page, analysis);
    if (settings->all)
        result = each_access(db, analysis->run, list_access, &listing);
    else
        show_next_steps(&page, analysis, settings);
    return result;
}
