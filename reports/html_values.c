/* SPDX-License-Identifier: MIT */
#include "html_values.h"

#include <inttypes.h>
#include <string.h>

#include "cleanup.h"
#include "memory.h"
#include "quote.h"

#define LONGEST_ARGUMENT 2000 /* characters */

/* For text that is printable but for newlines. */
static void add_json(struct buffer *out, const char *text, size_t length)
{
    buffer_add_char(out, '"');
    for (size_t i = 0; i < length; i++)
        switch (text[i]) {
        case '"':
        case '\\':
            buffer_add_char(out, '\\');
            buffer_add_char(out, text[i]);
            break;
        case '<':
            buffer_add_text(out, "\\u003c");
            break;
        case '\n':
            buffer_add_text(out, "\\n");
            break;
        default:
            buffer_add_char(out, text[i]);
        }
    buffer_add_char(out, '"');
}

/* The number of text that is safe to show; the table gets what is new. */
static uint32_t intern(struct html_values *values, const struct buffer *shown)
{
    const char *bytes = shown->length ? shown->data : "";
    uint32_t number = names_find(&values->known, bytes, shown->length);

    if (number != MAP_NONE)
        return number;
    if (values->table.length)
        buffer_add_char(&values->table, ',');
    add_json(&values->table, bytes, shown->length);
    return names_add(&values->known, memory_copy(values->memory, bytes, shown->length),
                     shown->length);
}

void html_values_init(struct html_values *values, struct buffer *out)
{
    struct buffer empty = BUFFER_INIT;

    *values = (struct html_values){.out = out, .memory = memory_new()};
    intern(values, &empty);
}

void html_values_fini(struct html_values *values)
{
    buffer_fini(&values->table);
    names_fini(&values->known);
    memory_free(values->memory);
}

/* The comma, where something stands before, and the key. */
static void next(struct html_values *values, const char *key)
{
    struct buffer *out = values->out;

    if (out->length && !strchr("{[:>", out->data[out->length - 1]))
        buffer_add_char(out, ',');
    if (key)
        buffer_printf(out, "\"%s\":", key);
}

void html_open(struct html_values *values, const char *key, char bracket)
{
    next(values, key);
    buffer_add_char(values->out, bracket);
}

void html_close(struct html_values *values, char bracket)
{
    buffer_add_char(values->out, bracket);
}

void html_number(struct html_values *values, const char *key, int64_t number)
{
    next(values, key);
    buffer_printf(values->out, "%" PRId64, number);
}

void html_string(struct html_values *values, const char *key, struct text text)
{
    cleanup_buffer struct buffer shown = BUFFER_INIT;

    if (text.bytes)
        quote_display(&shown, text.bytes, text.length);
    html_number(values, key, intern(values, &shown));
}

void html_word(struct html_values *values, const char *key, const char *word)
{
    html_string(values, key, (struct text){word, word ? strlen(word) : 0});
}

void html_lines(struct html_values *values, const char *key, struct text text)
{
    cleanup_buffer struct buffer shown = BUFFER_INIT;
    const char *at = text.bytes;
    const char *end = at + text.length;

    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;

        quote_display(&shown, at, (size_t)(stop - at));
        if (newline)
            buffer_add_char(&shown, '\n');
        at = newline ? newline + 1 : end;
    }
    html_number(values, key, intern(values, &shown));
}

void html_raw(struct html_values *values, const char *key, const struct buffer *json)
{
    next(values, key);
    buffer_add(values->out, json->data, json->length);
}

void html_arguments(struct html_values *values, struct text argv)
{
    html_open(values, NULL, '[');
    for (size_t at = 0; at < argv.length;) {
        cleanup_buffer struct buffer word = BUFFER_INIT;
        cleanup_buffer struct buffer shown = BUFFER_INIT;
        size_t length = strnlen(argv.bytes + at, argv.length - at);

        quote_word(&word, argv.bytes + at, length);
        quote_shortened(&shown, word.data, word.length, LONGEST_ARGUMENT);
        html_number(values, NULL, intern(values, &shown));
        at += length + 1;
    }
    html_close(values, ']');
}

void html_table(struct html_values *values, const char *key)
{
    html_open(values, key, '[');
    buffer_add(values->out, values->table.data, values->table.length);
    html_close(values, ']');
}
