/* SPDX-License-Identifier: MIT
 *
 * The certificate for people: what the evidence of a run rests on, in a few lines.
 */
#include "text_parts.h"

#include <inttypes.h>
#include <string.h>

#include "cleanup.h"
#include "operation.h"
#include "quote.h"

#define MOST_NAMES 3

/* "44 processes: 42 with the shim, 2 static" */
static void add_shims(struct buffer *out, const struct analysis *analysis)
{
    const struct analysis_certificate *certificate = &analysis->certificate;

    buffer_printf(out, "%zu process%s", analysis->process_count,
                  analysis->process_count == 1 ? "" : "es");
    for (size_t i = 0; i < certificate->shim_count; i++) {
        const struct analysis_shim *shim = &certificate->shims[i];
        bool loaded = strcmp(shim->name, "loaded") == 0;

        if (loaded && certificate->shim_count == 1) {
            buffer_add_text(out, ", all with the shim");
            return;
        }
        buffer_printf(out, "%s%" PRId64 " ", i ? ", " : ": ", shim->processes);
        quote_display(out, loaded ? "with the shim" : shim->name,
                      strlen(loaded ? "with the shim" : shim->name));
    }
}

static void show_observers(struct page *page, const struct analysis *analysis)
{
    const struct analysis_certificate *certificate = &analysis->certificate;
    cleanup_buffer struct buffer line = BUFFER_INIT;

    buffer_add_text(&line, "  ");
    add_shims(&line, analysis);
    buffer_printf(&line, "; accesses: %" PRId64 " by the shim", certificate->shim);
    if (certificate->witness)
        buffer_printf(&line, ", %" PRId64 " by the kernel witness", certificate->witness);
    if (certificate->confirmed)
        buffer_printf(&line, ", %" PRId64 " of these by both", certificate->confirmed);
    page_paragraph(page, 4, line.data);
}

/* "98.7%", never rounded up: 100% is all of them. */
static void add_share(struct buffer *out, const struct analysis_recall *recall)
{
    int64_t tenths = recall->seen ? recall->recorded * 1000 / recall->seen : 1000;

    if (tenths == 1000)
        buffer_add_text(out, "100%");
    else
        buffer_printf(out, "%" PRId64 ".%" PRId64 "%%", tenths / 10, tenths % 10);
}

static void show_missed(struct page *page, const struct analysis *analysis)
{
    const struct analysis_certificate *certificate = &analysis->certificate;
    struct list list;

    if (!certificate->missed_count)
        return;
    list_start(&list, page, "missed by the shim:", LIST_LINES);
    for (size_t i = 0; i < certificate->missed_count; i++) {
        const struct analysis_missed *missed = &certificate->missed[i];
        cleanup_buffer struct buffer item = BUFFER_INIT;

        quote_shortened(&item, missed->subject.bytes, missed->subject.length, 40);
        buffer_printf(&item, " (%s, %" PRId64 " process%s)", operation_name(missed->operation),
                      missed->processes, missed->processes == 1 ? "" : "es");
        list_add(&list, item.data);
    }
    list_end(&list);
}

static void show_recall(struct page *page, const struct analysis *analysis)
{
    const struct analysis_certificate *certificate = &analysis->certificate;
    cleanup_buffer struct buffer line = BUFFER_INIT;

    if (!certificate->measured)
        return;
    buffer_add_text(&line, "  recall of the shim: ");
    add_share(&line, &certificate->recall);
    buffer_printf(&line, " of %" PRId64 " accesses that the kernel saw in processes with it",
                  certificate->recall.seen);
    for (int i = 0, shown = 0; i < CHANNEL_COUNT; i++) {
        if (!certificate->channels[i].seen)
            continue;
        buffer_printf(&line, "%s%s ", shown++ ? ", " : ": ", channel_name((enum channel)i));
        add_share(&line, &certificate->channels[i]);
    }
    page_paragraph(page, 4, line.data);
    show_missed(page, analysis);
}

/* The programs in which a blind spot was met, or its details. */
static void add_where(struct buffer *out, const struct analysis *analysis,
                      const struct analysis_blind_class *class)
{
    size_t count;
    cleanup_free struct text *names =
        analysis_blind_names(analysis, class, BLIND_NAME_EITHER, &count);

    for (size_t i = 0; i < count && i < MOST_NAMES; i++) {
        buffer_add_text(out, i ? ", " : " (");
        quote_shortened(out, names[i].bytes, names[i].length, 60);
    }
    if (count > MOST_NAMES)
        buffer_printf(out, " and %zu more", count - MOST_NAMES);
    if (count)
        buffer_add_char(out, ')');
}

static void show_blind_class(struct page *page, const struct analysis *analysis,
                             const struct analysis_blind_class *class)
{
    cleanup_buffer struct buffer line = BUFFER_INIT;

    buffer_add_text(&line, "  ");
    quote_display(&line, class->name, strlen(class->name));
    buffer_add_text(&line, class->accepted ? ", accepted: " : ": ");
    quote_display(&line, class->text, strlen(class->text));
    if (class->count > 1)
        buffer_printf(&line, ", %" PRId64 " times", class->count);
    add_where(&line, analysis, class);
    page_paragraph(page, 4, line.data);
    if (class->accepted || !*class->remedy)
        return;
    buffer_clear(&line);
    buffer_printf(&line, "    what to do: %s", class->remedy);
    page_paragraph(page, 6, line.data);
}

void show_certificate(struct page *page, const struct analysis *analysis)
{
    show_observers(page, analysis);
    show_recall(page, analysis);
    if (!analysis->ended)
        page_paragraph(page, 4, "  the run never ended: its records may stop anywhere");
    for (size_t i = 0; i < analysis->blind_class_count; i++)
        show_blind_class(page, analysis, &analysis->blind_classes[i]);
}

void show_evidence(struct page *page, const struct analysis *analysis)
{
    const char *note = "incomplete, there may be more than is shown here";

    if (analysis->complete)
        note = "complete, every process was observed";
    else if (analysis_suffices(analysis))
        note = "incomplete, which is accepted";
    page_heading(page, "Evidence", note);
    show_certificate(page, analysis);
}
