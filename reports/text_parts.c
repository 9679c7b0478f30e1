/* SPDX-License-Identifier: MIT */
#include "text_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "endpoint.h"
#include "finding_text.h"
#include "group.h"
#include "operation.h"
#include "quote.h"

struct page page_for(const struct report_settings *settings, struct buffer *out)
{
    return (struct page){out, settings->colour, settings->width > 0 ? (size_t)settings->width : 80};
}

void add_title(struct page *page, const char *text)
{
    buffer_printf(page->out, "%s%s%s\n", page->colour ? "\033[1m" : "", text,
                  page->colour ? "\033[0m" : "");
}

const char *signal_name(int64_t signal)
{
    const char *name = signal > 0 && signal < 65 ? sigabbrev_np((int)signal) : NULL;

    return name ? name : "unknown";
}

void add_place(struct buffer *out, const struct analysis *analysis, struct text path)
{
    static const char *const signs[] = {
        [PLACE_ROOT] = ".",
        [PLACE_BESIDE] = "..",
        [PLACE_HOME] = "~",
        [PLACE_ELSEWHERE] = "",
    };
    struct places places = {analysis->root, analysis->home, analysis->user, analysis->host};
    struct text rest;

    buffer_add_text(out, signs[places_find(&places, path, &rest)]);
    quote_display(out, rest.bytes, rest.length);
}

void add_amount(struct buffer *out, const struct analysis_finding *finding)
{
    static const struct {
        enum access_class class;
        const char *word;
    } words[] = {
        {ACCESS_READ, "read"},     {ACCESS_EXECUTE, "run"},    {ACCESS_LIST, "listed"},
        {ACCESS_WRITE, "written"}, {ACCESS_LOOK, "looked at"},
    };
    size_t shown = 0;

    buffer_printf(out, "%" PRIu32 " %s", finding->subjects,
                  finding->subjects == 1 ? "name" : "names");
    for (size_t i = 0; i < sizeof words / sizeof *words && shown < 2; i++)
        if (finding->kinds & (1u << words[i].class))
            buffer_printf(out, "%s%s", shown++ ? ", " : " ", words[i].word);
}

static void add_program_list(struct buffer *out, const struct analysis_users *users, size_t count,
                             size_t most, bool numbers)
{
    for (size_t i = 0; i < count && i < most; i++) {
        buffer_add_text(out, i ? ", " : "");
        quote_shortened(out, users[i].program.bytes, users[i].program.length, 24);
        if (numbers && users[i].processes > 1)
            buffer_printf(out, " ×%zu", users[i].processes);
    }
    if (count > most)
        buffer_printf(out, " and %zu more", count - most);
}

static void add_programs(struct buffer *out, const struct analysis *analysis,
                         const struct analysis_finding *finding, size_t most, bool numbers)
{
    size_t count;
    cleanup_free struct analysis_users *users = analysis_programs(analysis, finding, &count);

    add_program_list(out, users, count, most, numbers);
}

void show_failed(struct page *page, const struct analysis *analysis)
{
    size_t count, processes = 0;
    cleanup_free struct analysis_users *users = analysis_failed(analysis, &count);
    cleanup_buffer struct buffer line = BUFFER_INIT;

    for (size_t i = 0; i < count; i++)
        processes += users[i].processes;
    if (!processes)
        return;
    buffer_printf(&line, "%zu process%s failed: ", processes, processes == 1 ? "" : "es");
    add_program_list(&line, users, count, 5, true);
    page_paragraph(page, 2, line.data);
}

void add_users(struct buffer *out, const struct analysis *analysis,
               const struct analysis_finding *finding, size_t most)
{
    buffer_add_text(out, " by ");
    add_programs(out, analysis, finding, most, true);
}

void add_program_counts(struct buffer *out, const struct analysis *analysis,
                        const struct analysis_finding *finding, size_t most)
{
    add_programs(out, analysis, finding, most, true);
}

void add_program_names(struct buffer *out, const struct analysis *analysis,
                       const struct analysis_finding *finding, size_t most)
{
    add_programs(out, analysis, finding, most, false);
}

/* Where a link leads, when it is the name itself that is one. */
static void add_target(struct buffer *out, const struct analysis_member *member)
{
    if (!member->resolved.length || path_same_last_name(member->subject, member->resolved))
        return;
    buffer_add_text(out, " -> ");
    quote_shortened(out, member->resolved.bytes, member->resolved.length, 40);
}

/* Among how many names examples are looked for. */
#define MOST_LOOKED_AT 64

void add_examples(struct buffer *out, const struct analysis_finding *finding, size_t most)
{
    size_t members[MOST_LOOKED_AT];
    size_t count = finding_distinct(finding, members, MOST_LOOKED_AT);
    size_t shown = 0;

    for (size_t i = 0; i < count && shown < most; i++) {
        const struct analysis_member *member = &finding->members[members[i]];
        struct text name = member->subject;

        if (member->passing && finding->passing < finding->subjects)
            continue;
        if (path_is_within(name, finding->subject) && name.length > finding->subject.length + 1 &&
            finding->subject.length > 1) {
            name.bytes += finding->subject.length + 1;
            name.length -= finding->subject.length + 1;
        }
        buffer_add_text(out, shown++ ? ", " : "");
        quote_shortened(out, name.bytes, name.length, 40);
        add_target(out, member);
    }
    if (finding->subjects > shown)
        buffer_add_text(out, ", …");
}

void add_service_name(struct buffer *out, const struct analysis_finding *finding)
{
    if (finding->service)
        buffer_printf(out, "%s, ", finding->service->name);
    quote_display(out, finding->subject.bytes, finding->subject.length);
}

void add_channel_note(struct buffer *out, const struct analysis *analysis, enum channel channel)
{
    const struct analysis_channel *counts = &analysis->channels[channel];

    buffer_printf(out, "%" PRIu32 " finding%s, %" PRId64 " use%s", counts->findings,
                  counts->findings == 1 ? "" : "s", counts->occurrences,
                  counts->occurrences == 1 ? "" : "s");
    if (counts->declared)
        buffer_printf(out, "; %" PRId64 " declared accesses", counts->declared);
}

void show_unused_waivers(struct page *page, const struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->unused_waiver_count; i++) {
        const struct analysis_waiver *waiver = &analysis->unused_waivers[i];
        cleanup_buffer struct buffer line = BUFFER_INIT;

        buffer_printf(&line, "  matched nothing, line %" PRId64 ": ", waiver->line);
        quote_display(&line, waiver->text.bytes, waiver->text.length);
        page_paragraph(page, 4, line.data);
    }
}

void show_waived(struct page *page, const struct analysis *analysis)
{
    cleanup_buffer struct buffer line = BUFFER_INIT;
    uint32_t findings = 0;

    for (int i = 0; i < CHANNEL_COUNT; i++)
        findings += analysis->channels[i].waived_findings;
    if (!findings && !analysis->unused_waiver_count)
        return;
    if (!findings)
        buffer_add_text(&line, "nothing");
    else
        buffer_printf(&line, "%" PRIu32 " finding%s accepted by the manifest for now", findings,
                      findings == 1 ? "" : "s");
    page_heading(page, "Waived", line.data);
    show_unused_waivers(page, analysis);
}

void show_next_steps(struct page *page, const struct analysis *analysis,
                     const struct report_settings *settings)
{
    cleanup_buffer struct buffer database = BUFFER_INIT;
    cleanup_buffer struct buffer line = BUFFER_INIT;

    if (settings->database && strcmp(settings->database, "tallyman.db") != 0) {
        buffer_add_char(&database, ' ');
        quote_word(&database, settings->database, strlen(settings->database));
    }
    page_heading(page, "Next", "");
    buffer_printf(&line, "  every access: tallyman report%s --all",
                  database.length ? database.data : "");
    page_paragraph(page, 4, line.data);
    if (!analysis_undeclared(analysis))
        return;
    buffer_clear(&line);
    if (analysis->manifest.bytes) {
        buffer_add_text(&line, "  declare what the build may use in the manifest");
    } else {
        buffer_printf(
            &line,
            "  write a manifest of what it used: tallyman manifest suggest%s > tallyman.yaml",
            database.length ? database.data : "");
        page_paragraph(page, 4, line.data);
        buffer_clear(&line);
        buffer_add_text(&line, "  take out of it what the build should not use");
    }
    buffer_printf(&line, ", then: tallyman check%s", database.length ? database.data : "");
    page_paragraph(page, 4, line.data);
}

struct span span_of(const struct analysis *analysis, enum channel channel, enum finding_class class)
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
