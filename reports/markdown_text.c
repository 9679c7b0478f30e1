/* SPDX-License-Identifier: MIT */
#include "markdown_text.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static size_t longest_run(const struct buffer *text)
{
    size_t longest = 0;

    for (size_t i = 0, run = 0; i < text->length; i++) {
        run = text->data[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void add_ticks(struct buffer *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buffer_add_char(out, '`');
}

/* A code span ends at a run of as many backticks as it began with. One space at each end is taken
 * away again, so that a backtick or a space can be the first and the last character. */
void markdown_add_code(struct buffer *out, const struct buffer *text)
{
    size_t ticks = longest_run(text) + 1;
    bool padded =
        text->length && (strchr("` ", text->data[0]) || strchr("` ", text->data[text->length - 1]));

    if (!text->length)
        return;
    add_ticks(out, ticks);
    buffer_add_text(out, padded ? " " : "");
    buffer_add(out, text->data, text->length);
    buffer_add_text(out, padded ? " " : "");
    add_ticks(out, ticks);
}

/* Has a meaning within a line? An address becomes a link by "://" or "www." in it. */
static bool is_special(const char *text, size_t at)
{
    char character = text[at];

    if (character == ':')
        return text[at + 1] == '/';
    if (character == '.')
        return at >= 3 && strncasecmp(text + at - 3, "www", 3) == 0;
    return character && strchr("\\`*_[]<>#|~&$", character);
}

void markdown_add_text(struct buffer *out, const struct buffer *text)
{
    for (size_t i = 0; i < text->length; i++) {
        /* A comment keeps a name behind it from being a person who is told of it. */
        if (text->data[i] == '@') {
            buffer_add_text(out, "@<!-- -->");
            continue;
        }
        if (is_special(text->data, i))
            buffer_add_char(out, '\\');
        buffer_add_char(out, text->data[i]);
    }
}

static void add_indent(struct buffer *out, int indent)
{
    for (int i = 0; i < indent; i++)
        buffer_add_char(out, ' ');
}

void markdown_add_block(struct buffer *out, const struct buffer *text, const char *language,
                        int indent)
{
    size_t ticks = longest_run(text) + 1;
    const char *end = text->data + text->length;

    ticks = ticks < 3 ? 3 : ticks;
    add_indent(out, indent);
    add_ticks(out, ticks);
    buffer_printf(out, "%s\n", language);
    for (const char *at = text->data; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = newline ? (size_t)(newline - at) : (size_t)(end - at);

        add_indent(out, indent);
        buffer_add(out, at, length);
        buffer_add_char(out, '\n');
        at += length + (newline != NULL);
    }
    add_indent(out, indent);
    add_ticks(out, ticks);
    buffer_add_char(out, '\n');
}
