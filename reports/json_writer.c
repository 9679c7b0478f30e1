/* SPDX-License-Identifier: MIT */
#include "json_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "quote.h"

void json_next(struct json_writer *writer)
{
    if (!writer->first)
        buffer_add_char(writer->out, ',');
    if (writer->depth)
        buffer_printf(writer->out, "\n%*s", writer->depth, "");
    writer->first = false;
}

void json_key(struct json_writer *writer, const char *key)
{
    json_next(writer);
    if (!key)
        return;
    json_string(writer->out, (struct text){key, strlen(key)});
    buffer_add_text(writer->out, ": ");
}

void json_open(struct json_writer *writer, const char *key, char bracket)
{
    json_key(writer, key);
    buffer_add_char(writer->out, bracket);
    writer->depth++;
    writer->first = true;
}

void json_close(struct json_writer *writer, char bracket)
{
    writer->depth--;
    if (!writer->first)
        buffer_printf(writer->out, "\n%*s", writer->depth, "");
    buffer_add_char(writer->out, bracket);
    writer->first = false;
}

static void add_character(struct buffer *out, const char *bytes, size_t length)
{
    unsigned char byte = (unsigned char)bytes[0];

    if (byte == '\\')
        buffer_add_text(out, "\\\\\\\\");
    else if (byte == '"')
        buffer_add_text(out, "\\\"");
    else if (byte < 0x20 || byte == 0x7f)
        buffer_printf(out, "\\u%04x", byte);
    else
        buffer_add(out, bytes, length);
}

void json_string(struct buffer *out, struct text text)
{
    size_t at = 0;

    buffer_add_char(out, '"');
    while (at < text.length) {
        size_t step = text_character(text.bytes + at, text.length - at);

        if (step == 0)
            buffer_printf(out, "\\\\x%02x", (unsigned char)text.bytes[at]);
        else
            add_character(out, text.bytes + at, step);
        at += step ? step : 1;
    }
    buffer_add_char(out, '"');
}

void json_text(struct json_writer *writer, const char *key, struct text text)
{
    json_key(writer, key);
    if (text.bytes)
        json_string(writer->out, text);
    else
        buffer_add_text(writer->out, "null");
}

void json_word(struct json_writer *writer, const char *key, const char *word)
{
    json_text(writer, key, (struct text){word, word ? strlen(word) : 0});
}

void json_plain(struct json_writer *writer, const char *key, const struct buffer *text)
{
    json_key(writer, key);
    buffer_add_char(writer->out, '"');
    for (size_t i = 0; i < text->length; i++) {
        if (text->data[i] == '\n') {
            buffer_add_text(writer->out, "\\n");
            continue;
        }
        if (text->data[i] == '"' || text->data[i] == '\\')
            buffer_add_char(writer->out, '\\');
        buffer_add_char(writer->out, text->data[i]);
    }
    buffer_add_char(writer->out, '"');
}

void json_lines(struct json_writer *writer, const char *key, struct text lines)
{
    struct buffer text = {(char *)lines.bytes, lines.length, 0};

    if (lines.length)
        json_plain(writer, key, &text);
    else
        json_text(writer, key, (struct text){NULL, 0});
}

void json_number(struct json_writer *writer, const char *key, int64_t number)
{
    json_key(writer, key);
    buffer_printf(writer->out, "%" PRId64, number);
}

void json_known(struct json_writer *writer, const char *key, int64_t number, int64_t unknown)
{
    if (number == unknown)
        json_text(writer, key, (struct text){NULL, 0});
    else
        json_number(writer, key, number);
}

void json_bool(struct json_writer *writer, const char *key, bool value)
{
    json_key(writer, key);
    buffer_add_text(writer->out, value ? "true" : "false");
}

void json_time(struct json_writer *writer, const char *key, int64_t time)
{
    char text[64];
    time_t seconds = (time_t)(time / 1000000000);
    struct tm parts;
    size_t length;

    if (!time || !gmtime_r(&seconds, &parts)) {
        json_text(writer, key, (struct text){NULL, 0});
        return;
    }
    length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + length, sizeof text - length, ".%03dZ", (int)(time / 1000000 % 1000));
    json_word(writer, key, text);
}

void json_arguments(struct json_writer *writer, const char *key, struct text argv)
{
    if (!argv.bytes) {
        json_text(writer, key, argv);
        return;
    }
    json_key(writer, key);
    buffer_add_char(writer->out, '[');
    for (size_t at = 0; at < argv.length;) {
        size_t length = strnlen(argv.bytes + at, argv.length - at);

        if (at)
            buffer_add_text(writer->out, ", ");
        json_string(writer->out, (struct text){argv.bytes + at, length});
        at += length + 1;
    }
    buffer_add_char(writer->out, ']');
}
