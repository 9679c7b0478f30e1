/* SPDX-License-Identifier: MIT
 *
 * The same as on the screen, for a comment or the summary of a CI job. What came from the builds is
 * shown as code, in as many backticks as it takes.
 */
#include <inttypes.h>
#include <string.h>

#include "difference_words.h"

#define MOST_ROWS    25
#define MOST_MEMBERS 8

static const char *text_of(const struct buffer *buffer)
{
    return buffer->data ? buffer->data : "";
}

/* A cell of a table: a bar would end it, even in code, unless a backslash is before it. */
static void add_code(struct buffer *out, const struct buffer *text)
{
    size_t longest = 0;

    if (!text->length)
        return;
    for (size_t i = 0, run = 0; i < text->length; i++) {
        run = text->data[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (size_t i = 0; i <= longest; i++)
        buffer_add_char(out, '`');
    buffer_add_text(out, longest ? " " : "");
    for (size_t i = 0; i < text->length; i++) {
        if (text->data[i] == '|')
            buffer_add_char(out, '\\');
        buffer_add_char(out, text->data[i]);
    }
    buffer_add_text(out, longest ? " " : "");
    for (size_t i = 0; i <= longest; i++)
        buffer_add_char(out, '`');
}

static void add_runs(const struct comparison *comparison,
                     const struct difference_settings *settings, struct buffer *out)
{
    buffer_add_text(out, "| | run | evidence |\n|---|---|---|\n");
    for (int side = 0; side < SIDE_COUNT; side++) {
        cleanup_buffer struct buffer text = BUFFER_INIT;

        difference_add_run(comparison, settings, side, &text);
        buffer_printf(out, "| %c | ", difference_letters[side]);
        add_code(out, &text);
        buffer_add_text(out, " | ");
        buffer_clear(&text);
        difference_add_evidence(comparison, side, &text);
        add_code(out, &text);
        buffer_add_text(out, " |\n");
    }
    for (int i = 0; i < DIFFERENCE_CAUTIONS; i++) {
        cleanup_buffer struct buffer text = BUFFER_INIT;

        difference_add_caution(comparison, i, &text);
        if (text.length)
            buffer_printf(out, "\n%s\n", text.data);
    }
}

static void add_end(const struct comparison *comparison, const char *title,
                    const struct comparison_end *end, struct buffer *out)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;

    if (!difference_end_is(end))
        return;
    difference_add_ends(comparison, end, &text);
    buffer_printf(out, "\n### %s\n\n%s:\n\n", title, text.data);
    buffer_clear(&text);
    difference_add_process(comparison, end, 400, &text);
    add_code(out, &text);
    buffer_add_text(out, "\n\n");
    buffer_clear(&text);
    difference_add_chain(comparison, end, 6, &text);
    add_code(out, &text);
    buffer_add_char(out, '\n');
}

static void add_cell(struct buffer *out, struct buffer *text)
{
    add_code(out, text);
    buffer_add_text(out, " | ");
    buffer_clear(text);
}

static void add_difference(const struct comparison *comparison, const struct difference *difference,
                           bool all, struct buffer *out)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;

    difference_add_title(difference, &text);
    buffer_printf(out, "| %s%s | ", text_of(&text),
                  !difference->counts ? " (not counted)"
                  : difference->later ? " (after the failure)"
                                      : "");
    buffer_clear(&text);
    difference_add_subject(difference, &text);
    add_cell(out, &text);
    if (difference->subject.length)
        difference_add_members(difference, all ? SIZE_MAX : MOST_MEMBERS, &text);
    add_cell(out, &text);
    difference_add_users(comparison, difference, &text);
    add_code(out, &text);
    buffer_add_text(out, " |\n");
}

void difference_render_markdown(const struct comparison *comparison,
                                const struct difference_settings *settings, struct buffer *out)
{
    size_t count = comparison->difference_count;
    size_t shown = settings->page.all || count < MOST_ROWS ? count : MOST_ROWS;

    buffer_printf(out, "## %s\n\n",
                  comparison_differs(comparison) ? "Two runs that differ"
                                                 : "Two runs without a difference");
    add_runs(comparison, settings, out);
    add_end(comparison, "The first process that ended differently", &comparison->first, out);
    add_end(comparison, "What the run failed by", &comparison->fatal, out);
    if (count)
        buffer_add_text(out, "\n### Differences, the nearest first\n\n| | what | names | by |\n"
                             "|---|---|---|---|\n");
    for (size_t i = 0; i < shown; i++)
        add_difference(comparison, &comparison->differences[i], settings->page.all, out);
    if (shown < count)
        buffer_printf(out, "\nand %zu more: `tallyman diff --all`\n", count - shown);
}
