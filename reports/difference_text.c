/* SPDX-License-Identifier: MIT
 *
 * Two runs side by side for people: the process that ended differently, then the differences, the
 * nearest first, and no more than a screen of them.
 */
#include <inttypes.h>
#include <string.h>

#include "difference_words.h"
#include "quote.h"
#include "style.h"
#include "text_parts.h"

#define TITLE_COLUMN 30
#define MOST_ROWS    8
#define FULL_ROWS    3
#define MOST_MEMBERS 4

static const char *text_of(const struct buffer *buffer)
{
    return buffer->data ? buffer->data : "";
}

static void show_command(struct page *page, const struct comparison *comparison)
{
    cleanup_buffer struct buffer line = BUFFER_INIT;
    struct text command = comparison->runs[SIDE_A]->command;

    quote_shortened(&line, command.bytes, command.length, page->width * 2);
    if (comparison->command_differs) {
        command = comparison->runs[SIDE_B]->command;
        buffer_add_text(&line, "  and  ");
        quote_shortened(&line, command.bytes, command.length, page->width * 2);
    }
    add_title(page, text_of(&line));
}

static void show_runs(struct page *page, const struct comparison *comparison,
                      const struct difference_settings *settings)
{
    cleanup_buffer struct buffer line = BUFFER_INIT;

    show_command(page, comparison);
    for (int side = 0; side < SIDE_COUNT; side++) {
        buffer_clear(&line);
        buffer_printf(&line, "  %c  ", difference_letters[side]);
        difference_add_run(comparison, settings, side, &line);
        buffer_add_text(&line, "; evidence ");
        difference_add_evidence(comparison, side, &line);
        page_paragraph(page, 5, line.data);
    }
    buffer_clear(&line);
    buffer_printf(&line,
                  "  %" PRIu32 " program%s ran in both, %" PRIu32 " in A alone, %" PRIu32
                  " in B alone",
                  comparison->paired, comparison->paired == 1 ? "" : "s", comparison->alone[SIDE_A],
                  comparison->alone[SIDE_B]);
    page_paragraph(page, 2, line.data);
    for (int i = 0; i < DIFFERENCE_CAUTIONS; i++) {
        buffer_clear(&line);
        buffer_add_text(&line, "  ");
        difference_add_caution(comparison, i, &line);
        if (line.length > 2)
            page_paragraph(page, 2, line.data);
    }
}

static void show_end(struct page *page, const struct comparison *comparison, const char *title,
                     const struct comparison_end *end)
{
    cleanup_buffer struct buffer line = BUFFER_INIT;

    if (!difference_end_is(end))
        return;
    page_gap(page);
    difference_add_ends(comparison, end, &line);
    page_heading(page, title, line.data);
    buffer_clear(&line);
    buffer_add_text(&line, "  ");
    difference_add_process(comparison, end, page->width * 2, &line);
    page_paragraph(page, 4, line.data);
    buffer_clear(&line);
    buffer_add_text(&line, "    ");
    difference_add_chain(comparison, end, 6, &line);
    page_paragraph(page, 6, line.data);
}

static void show_member(struct page *page, const struct difference_member *member)
{
    cleanup_buffer struct buffer line = BUFFER_INIT;

    quote_display(&line, member->subject.bytes, member->subject.length);
    for (int side = 0; side < SIDE_COUNT; side++) {
        struct text actual = member->actual[side];

        if (!actual.length || (actual.length == member->subject.length &&
                               memcmp(actual.bytes, member->subject.bytes, actual.length) == 0))
            continue;
        buffer_printf(&line, "  %c: ", difference_letters[side]);
        quote_display(&line, actual.bytes, actual.length);
    }
    buffer_printf(page->out, "      %s\n", text_of(&line));
}

/* The first ones in three lines, the others in two. */
static void show_difference(struct page *page, const struct comparison *comparison,
                            const struct difference *difference, bool all, bool first)
{
    cleanup_buffer struct buffer title = BUFFER_INIT;
    cleanup_buffer struct buffer line = BUFFER_INIT;
    bool named = false;

    difference_add_title(difference, &title);
    difference_add_subject(difference, &line);
    page_row(page, TITLE_COLUMN, title.data, text_of(&line));
    for (size_t i = 0; all && i < difference->member_count; i++)
        show_member(page, &difference->members[i]);
    buffer_clear(&line);
    if (!all && difference->subject.length)
        difference_add_members(difference, MOST_MEMBERS, &line);
    if (line.length) {
        page_detail(page, line.data);
        named = true;
    }
    buffer_clear(&line);
    buffer_add_text(&line, "by ");
    difference_add_users(comparison, difference, &line);
    if (line.length > 3 && (first || all || !named))
        page_detail(page, line.data);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* What the list of differences falls into: causes, what follows from them as a rule, what a run
 * came to after the failure, and what does not count. */
enum part { PART_CAUSES, PART_EFFECTS, PART_LATER, PART_NOT_COUNTED };

static enum part part_of(const struct difference *difference)
{
    if (!difference->counts)
        return PART_NOT_COUNTED;
    if (difference->later)
        return PART_LATER;
    return difference_follows(difference->kind) ? PART_EFFECTS : PART_CAUSES;
}

static size_t end_of_part(const struct comparison *comparison, size_t start)
{
    size_t end = start;

    while (end < comparison->difference_count &&
           part_of(&comparison->differences[end]) == part_of(&comparison->differences[start]))
        end++;
    return end;
}

/* One list for each way in which they differ, with the way as its head. */
static void show_list(struct page *page, const struct comparison *comparison, size_t start,
                      size_t end, enum difference_kind kind, int side)
{
    cleanup_buffer struct buffer head = BUFFER_INIT;
    struct list list;
    bool any = false;

    for (size_t i = start; i < end; i++) {
        const struct difference *difference = &comparison->differences[i];
        cleanup_buffer struct buffer item = BUFFER_INIT;

        if (difference->kind != kind || difference->side != side)
            continue;
        if (!any) {
            difference_add_title(difference, &head);
            buffer_add_char(&head, ':');
            list_start(&list, page, head.data, 1);
            any = true;
        }
        difference_add_subject(difference, &item);
        list_add(&list, text_of(&item));
    }
    if (any)
        list_end(&list);
}

static void show_shortly(struct page *page, const struct comparison *comparison, size_t start,
                         size_t end)
{
    for (int kind = 0; kind < DIFFERENCE_KIND_COUNT; kind++)
        for (int side = SIDE_A; side <= SIDE_COUNT; side++)
            show_list(page, comparison, start, end, (enum difference_kind)kind, side);
}

static const char *title_of_part(const struct comparison *comparison, enum part part)
{
    static const char *const titles[] = {
        [PART_CAUSES] = "Differences",
        [PART_EFFECTS] = "Follows from others, as a rule",
        [PART_LATER] = "After the failure",
        [PART_NOT_COUNTED] = "Not counted, for it is another in any two sessions or places",
    };

    if (part == PART_CAUSES && difference_end_is(&comparison->first))
        return "Differences, the nearest to it first";
    return titles[part];
}

/* Effects alone are all there is to go by, where no cause was seen. */
static void show_part(struct page *page, const struct comparison *comparison, size_t start,
                      size_t end, bool all)
{
    enum part part = part_of(&comparison->differences[start]);
    bool full = all || part == PART_CAUSES || (part == PART_EFFECTS && start == 0);
    cleanup_buffer struct buffer note = BUFFER_INIT;
    size_t shown = all || end - start <= MOST_ROWS ? end : start + MOST_ROWS;

    page_gap(page);
    buffer_printf(&note, "%zu", end - start);
    page_heading(page, title_of_part(comparison, part), note.data);
    if (!full)
        shown = start;
    for (size_t i = start; i < shown; i++)
        show_difference(page, comparison, &comparison->differences[i], all, i < FULL_ROWS);
    if (shown < end)
        show_shortly(page, comparison, shown, end);
}

void difference_render_text(const struct comparison *comparison,
                            const struct difference_settings *settings, struct buffer *out)
{
    struct page page = page_for(&settings->page, out);
    cleanup_buffer struct buffer line = BUFFER_INIT;
    size_t end;

    show_runs(&page, comparison, settings);
    show_end(&page, comparison, "The first process that ended differently", &comparison->first);
    show_end(&page, comparison, "What the run failed by", &comparison->fatal);
    if (!comparison_differs(comparison)) {
        page_gap(&page);
        page_heading(&page, "No difference", "");
    }
    for (size_t start = 0; start < comparison->difference_count; start = end) {
        end = end_of_part(comparison, start);
        show_part(&page, comparison, start, end, settings->page.all);
    }
    if (comparison->difference_count && !settings->page.all) {
        page_gap(&page);
        buffer_printf(&line, "%zu difference%s; --all lists them with every name",
                      comparison->difference_count, plural(comparison->difference_count));
        page_paragraph(&page, 2, line.data);
    }
}
