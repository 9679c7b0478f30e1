/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "explain_document.h"
#include "operation.h"
#include "quote.h"
#include "render.h"
#include "text_parts.h"

#define MOST_MEMBERS 8

/* A line of its own that is never cut: a name, or what is to be copied. */
static void add_line(struct page *page, size_t indent, const char *text)
{
    buffer_printf(page->out, "%*s%s\n", (int)indent, "", text);
}

static void paragraph(struct page *page, const char *head, const char *text)
{
    cleanup_buffer struct buffer line = BUFFER_INIT;

    buffer_printf(&line, "  %s: %s", head, text);
    page_paragraph(page, 4, line.data);
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* --- what and why --------------------------------------------------------------------------- */

static const char *verdict_of(const struct explanation_part *part)
{
    if (part->confirmed)
        return "Confirmed";
    if (part->declared)
        return "Declared";
    return part->finding.verdict == VERDICT_WAIVED ? "Waived" : "Undeclared";
}

static void add_rule(struct buffer *out, struct text rule, int64_t line)
{
    quote_display(out, rule.bytes, rule.length);
    if (line)
        buffer_printf(out, " (line %" PRId64 ")", line);
}

static void add_reason(struct buffer *out, const struct explanation_part *part)
{
    if (part->confirmed) {
        buffer_add_text(out, "the kernel witness saw what follows from other accesses of the same "
                             "process, which the shim recorded");
        return;
    }
    if (part->rule.bytes) {
        if (part->finding.verdict == VERDICT_UNDECLARED && !part->declared)
            buffer_add_text(out, "refused by ");
        add_rule(out, part->rule, part->rule_line);
        return;
    }
    if (part->declared) {
        buffer_add_text(out, part->finding.channel == CHANNEL_FILESYSTEM ||
                                     part->finding.channel == CHANNEL_NETWORK
                                 ? "the build made it itself in this run"
                                 : "it needs no declaration");
        return;
    }
    buffer_add_text(out, "no rule declares it");
    if (part->searched) {
        buffer_add_text(out, "; ");
        explain_add_nearest(out, part);
    }
}

static void show_verdict(struct page *page, const struct explanation_part *part)
{
    cleanup_buffer struct buffer reason = BUFFER_INIT;
    cleanup_buffer struct buffer head = BUFFER_INIT;
    const char *channel = channel_name(part->finding.channel);
    const char *use = part->finding.class == FINDING_PROBE ? "not found" : part->finding.operation;

    add_reason(&reason, part);
    page_gap(page);
    buffer_printf(&head, "%s: %s", verdict_of(part), channel);
    if (strcmp(use, channel) != 0)
        buffer_printf(&head, ", %s", use);
    page_heading(page, head.data, "");
    paragraph(page, "why", reason.data);
}

static void show_category(struct page *page, const struct explanation_part *part)
{
    const struct category *category = part->finding.category;
    cleanup_buffer struct buffer text = BUFFER_INIT;

    buffer_printf(&text, "%s. %s", category->title, category->why);
    paragraph(page, category->name, text.data);
}

static void show_owner(struct page *page, const struct explanation_part *part)
{
    const struct analysis_member *member = &part->finding.members[0];
    cleanup_buffer struct buffer text = BUFFER_INIT;

    if (part->finding.channel != CHANNEL_FILESYSTEM || part->finding.class == FINDING_PROBE ||
        part->finding.subjects != 1)
        return;
    if (member->resolved.length) {
        quote_display(&text, member->resolved.bytes, member->resolved.length);
        paragraph(page, "leads to", text.data);
        buffer_clear(&text);
    }
    if (member->package.length)
        quote_display(&text, member->package.bytes, member->package.length);
    else
        buffer_add_text(&text, "no package");
    if (member->digest.length)
        buffer_printf(&text, ", SHA-256 %s", member->digest.bytes);
    paragraph(page, "owner", text.data);
}

/* --- what happened -------------------------------------------------------------------------- */

static void add_use(struct buffer *out, const struct analysis_member *member, int64_t count)
{
    buffer_printf(out, "%s ", operation_name(member->operation));
    add_outcome(out, member->outcome);
    if (count > 1)
        buffer_printf(out, " ×%" PRId64, count);
}

static void show_members(struct page *page, const struct analysis *analysis,
                         const struct explanation_part *part, bool all)
{
    const struct analysis_finding *finding = &part->finding;
    cleanup_buffer struct buffer line = BUFFER_INIT;

    if (finding->subjects < 2)
        return;
    buffer_printf(&line, "  %" PRIu32 " names:", finding->subjects);
    page_paragraph(page, 4, line.data);
    for (size_t i = 0; i < finding->member_count && (all || i < MOST_MEMBERS); i++) {
        buffer_clear(&line);
        add_place(&line, analysis, finding->members[i].subject);
        buffer_add_text(&line, ": ");
        add_use(&line, &finding->members[i], finding->members[i].count);
        page_detail(page, line.data);
    }
    if (!all && finding->member_count > MOST_MEMBERS)
        buffer_printf(page->out, "      and %zu more uses\n", finding->member_count - MOST_MEMBERS);
}

static void show_users(struct page *page, const struct analysis *analysis,
                       const struct explanation_part *part)
{
    const struct analysis_finding *finding = &part->finding;
    cleanup_buffer struct buffer text = BUFFER_INIT;

    buffer_printf(&text, "%" PRId64 " time%s by %zu process%s: ", finding->count,
                  plural(finding->count), part->process_total,
                  part->process_total == 1 ? "" : "es");
    add_program_counts(&text, analysis, finding, 5);
    if (part->process_total > finding->process_count)
        buffer_printf(&text, " among the first %zu", finding->process_count);
    paragraph(page, "used", text.data);
}

static void add_time(struct buffer *out, int64_t time)
{
    int64_t ms = time / 1000000;

    buffer_printf(out, "%" PRId64 ".%03d s", ms / 1000, (int)(ms < 0 ? -ms % 1000 : ms % 1000));
}

static void show_uses(struct page *page, const struct explanation_part *part,
                      const struct explanation_process *process, const char *who, bool all)
{
    size_t most = all ? process->use_count : 3;

    for (size_t i = 0; i < process->use_count && i < most; i++) {
        const struct explanation_use *use = &process->uses[i];
        const struct analysis_member *member = &part->finding.members[use->member];
        cleanup_buffer struct buffer line = BUFFER_INIT;

        buffer_add_text(&line, "    ");
        add_time(&line, use->first);
        buffer_add_text(&line, "  ");
        add_use(&line, member, use->count);
        if (part->finding.subjects > 1) {
            buffer_add_char(&line, ' ');
            quote_shortened(&line, member->subject.bytes, member->subject.length, 60);
        }
        buffer_printf(&line, ", seen by %s%s",
                      use->shim && use->witness ? "shim and witness"
                      : use->shim               ? "the shim"
                                                : "the witness",
                      i == 0 ? who : "");
        page_paragraph(page, 8, line.data);
    }
    if (process->use_count > most)
        buffer_printf(page->out, "    and %zu more uses\n", process->use_count - most);
}

static void show_written(struct page *page, const struct analysis *analysis,
                         const struct explanation_process *process)
{
    cleanup_buffer struct buffer line = BUFFER_INIT;

    if (!process->written_total)
        return;
    buffer_add_text(&line, "then wrote ");
    for (size_t i = 0; i < process->written_count; i++) {
        buffer_add_text(&line, i ? ", " : "");
        add_place(&line, analysis, process->written[i]);
    }
    if (process->written_total > (int64_t)process->written_count)
        buffer_printf(&line, " and %" PRId64 " more",
                      process->written_total - (int64_t)process->written_count);
    page_detail(page, line.data);
}

static void show_process(struct page *page, const struct analysis *analysis,
                         const struct explanation_part *part,
                         const struct explanation_process *process, bool all)
{
    const struct analysis_process *row = &analysis->processes[process->process];
    cleanup_buffer struct buffer who = BUFFER_INIT;
    cleanup_buffer struct buffer chain = BUFFER_INIT;

    buffer_printf(&who, ", pid %" PRId64, row->pid);
    if (row->cwd.length && (row->cwd.length != analysis->root.length ||
                            memcmp(row->cwd.bytes, analysis->root.bytes, row->cwd.length) != 0)) {
        buffer_add_text(&who, " in ");
        add_place(&who, analysis, row->cwd);
    }
    show_uses(page, part, process, who.data, all);
    analysis_chain(analysis, process->process, all ? SIZE_MAX : 5, all ? 4000 : 48, &chain);
    if (all) {
        buffer_printf(page->out, "      %s\n", chain.data);
    } else {
        page_detail(page, chain.data);
    }
    show_written(page, analysis, process);
}

static void show_processes(struct page *page, const struct analysis *analysis,
                           const struct explanation_part *part, bool all)
{
    for (size_t i = 0; i < part->process_count; i++)
        show_process(page, analysis, part, &part->processes[i], all);
    if (part->process_total > part->process_count)
        buffer_printf(page->out, "    and %zu more process%s (--all shows them)\n",
                      part->process_total - part->process_count,
                      part->process_total - part->process_count == 1 ? "" : "es");
}

/* --- what to do ----------------------------------------------------------------------------- */

static void show_lines(struct page *page, const char *head, struct text lines)
{
    const char *at = lines.bytes;

    if (!lines.length)
        return;
    add_line(page, 2, head);
    while (*at) {
        size_t length = strcspn(at, "\n");

        buffer_add_text(page->out, "    ");
        quote_display(page->out, at, length);
        buffer_add_char(page->out, '\n');
        at += length;
        at += *at == '\n';
    }
}

static void show_advice(struct page *page, const struct explanation_part *part)
{
    const struct analysis_finding *finding = &part->finding;

    if (part->declared || part->confirmed)
        return;
    paragraph(page, "finding", finding->fingerprint);
    if (finding->verdict == VERDICT_WAIVED)
        return;
    paragraph(page, "what to do",
              finding->remedy.length ? finding->remedy.bytes : finding->category->remedy);
    show_lines(page, "to declare it:", finding->declaration);
    show_lines(page, "or to accept it for now, below \"waivers:\":", finding->waiver);
}

/* --- findings that are about no single use ------------------------------------------------ */

static void show_told(struct page *page, const struct analysis *whole,
                      const struct analysis_finding *finding, bool all)
{
    size_t most = all ? SIZE_MAX : 5;

    page_gap(page);
    page_heading(page, finding->verdict == VERDICT_WAIVED ? "Waived" : "Undeclared",
                 finding->category->title);
    paragraph(page, finding->category->name, finding->category->why);
    for (size_t i = 0; i < finding->member_count && i < most; i++) {
        cleanup_buffer struct buffer name = BUFFER_INIT;

        add_place(&name, whole, finding->members[i].subject);
        buffer_printf(&name, ": %s", operation_name(finding->members[i].operation));
        page_detail(page, name.data);
    }
    if (finding->member_count > most)
        buffer_printf(page->out, "      and %zu more\n", finding->member_count - most);
    for (size_t i = 0; i < finding->process_count && i < most; i++) {
        cleanup_buffer struct buffer chain = BUFFER_INIT;

        analysis_chain(whole, finding->processes[i], most, all ? 4000 : 48, &chain);
        buffer_printf(page->out, "    %s\n", chain.data);
    }
    if (finding->process_count > most)
        buffer_printf(page->out, "    and %zu more processes\n", finding->process_count - most);
    paragraph(page, "finding", finding->fingerprint);
    paragraph(page, "what to do",
              finding->remedy.length ? finding->remedy.bytes : finding->category->remedy);
    show_lines(page, "to declare it:", finding->declaration);
    show_lines(page, "to accept it for now, below \"waivers:\":", finding->waiver);
}

/* --- all of it ------------------------------------------------------------------------------ */

static void show_title(struct page *page, const struct explanation *explanation)
{
    cleanup_buffer struct buffer title = BUFFER_INIT;

    if (explanation->subject_count == 1 || explanation->whole)
        quote_display(&title, explanation->subject.bytes, explanation->subject.length);
    else {
        buffer_printf(&title, "%s ", explanation->found_by);
        quote_display(&title, explanation->subject.bytes, explanation->subject.length);
        buffer_printf(&title, ": %zu names", explanation->subject_count);
    }
    add_title(page, title.data);
}

void explain_text(const struct explanation *explanation, const struct report_settings *settings,
                  struct buffer *out)
{
    struct page page = page_for(settings, out);

    show_title(&page, explanation);
    for (size_t i = 0; i < explanation->told_count; i++)
        show_told(&page, explanation->whole, explanation->told[i], settings->all);
    for (size_t i = 0; i < explanation->part_count; i++) {
        const struct explanation_part *part = &explanation->parts[i];

        show_verdict(&page, part);
        if (!part->declared && !part->confirmed)
            show_category(&page, part);
        show_owner(&page, part);
        show_members(&page, explanation->analysis, part, settings->all);
        show_users(&page, explanation->analysis, part);
        show_processes(&page, explanation->analysis, part, settings->all);
        show_advice(&page, part);
    }
}
