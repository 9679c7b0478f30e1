/* SPDX-License-Identifier: MIT */
#include "manifest_text.h"

#include <stdbool.h>
#include <string.h>

#include "pattern.h"
#include "quote.h"

/* Plain scalars of YAML 1.1 that are text in every position where a manifest has one. */
static bool is_plain(const char *bytes, size_t length)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "/._-+@";
    static const char *const words[] = {"true", "false", "yes", "no", "on",
                                        "off",  "null",  "y",   "n"};

    if (length == 0 || strspn(bytes, safe) < length || strchr("-+.0123456789@", bytes[0]))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (length == strlen(words[i]) && strncasecmp(bytes, words[i], length) == 0)
            return false;
    return true;
}

/* Line breaks of YAML, and what its readers refuse: written by number, which stands for the
 * character and not, as \x would, for a byte. 0: as it is. */
static unsigned escaped_character(const char *bytes, size_t length)
{
    const unsigned char *byte = (const unsigned char *)bytes;

    if (length == 2 && byte[0] == 0xc2 && byte[1] < 0xa0)
        return byte[1];
    if (length == 3 && byte[0] == 0xe2 && byte[1] == 0x80 && (byte[2] == 0xa8 || byte[2] == 0xa9))
        return 0x2000u + byte[2] - 0x80u;
    if (length == 3 && byte[0] == 0xef && byte[1] == 0xbb && byte[2] == 0xbf)
        return 0xfeff;
    if (length == 3 && byte[0] == 0xef && byte[1] == 0xbf && byte[2] >= 0xbe)
        return 0xff00u + byte[2] + 0x40u;
    return 0;
}

void manifest_add_scalar(struct buffer *out, const char *bytes, size_t length)
{
    if (is_plain(bytes, length)) {
        buffer_add(out, bytes, length);
        return;
    }
    buffer_add_char(out, '"');
    for (size_t i = 0; i < length;) {
        size_t character = text_character(bytes + i, length - i);
        unsigned char byte = (unsigned char)bytes[i];

        if (byte == '"' || byte == '\\') {
            buffer_printf(out, "\\%c", byte);
        } else if (byte < 0x20 || byte == 0x7f || character == 0) {
            buffer_printf(out, "\\x%02x", byte);
        } else {
            unsigned number = escaped_character(bytes + i, character);

            if (number)
                buffer_printf(out, "\\u%04x", number);
            else
                buffer_add(out, bytes + i, character);
            i += character;
            continue;
        }
        i++;
    }
    buffer_add_char(out, '"');
}

/* `$` stands for itself only where no brace follows. */
static void add_quoted(struct buffer *out, struct text text)
{
    const char *end = text.bytes + text.length;

    for (const char *at = text.bytes; at < end; at++) {
        if (*at == '$' && at + 1 < end && at[1] == '{')
            buffer_add_char(out, '\\');
        pattern_quote(out, at, 1);
    }
}

static void add_scalar_of(struct buffer *out, const struct buffer *text)
{
    manifest_add_scalar(out, text->data ? text->data : "", text->length);
}

void manifest_add_name(struct buffer *out, struct text name)
{
    cleanup_buffer struct buffer pattern = BUFFER_INIT;

    add_quoted(&pattern, name);
    add_scalar_of(out, &pattern);
}

/* The beginning of a pattern for the path: "src", "../x", "~/x", "/x"; "." for the root itself. */
static void add_place(struct buffer *pattern, const struct places *places, struct text path)
{
    static const char *const starts[] = {
        [PLACE_ROOT] = ".",
        [PLACE_BESIDE] = "..",
        [PLACE_HOME] = "~",
        [PLACE_ELSEWHERE] = "",
    };
    struct text rest;
    enum place place = places_find(places, path, &rest);

    /* "src", not "./src", but for names that would mean something else there. */
    if (place == PLACE_ROOT && rest.length > 1 && !strchr("~!", rest.bytes[1]))
        rest = (struct text){rest.bytes + 1, rest.length - 1};
    else
        buffer_add_text(pattern, starts[place]);
    add_quoted(pattern, rest);
}

void manifest_add_path(struct buffer *out, const struct places *places, struct text path,
                       bool below)
{
    cleanup_buffer struct buffer pattern = BUFFER_INIT;

    add_place(&pattern, places, path);
    if (below)
        buffer_add_text(&pattern, path.length == 1 ? "**" : "/**");
    add_scalar_of(out, &pattern);
}

void manifest_add_pattern(struct buffer *out, const struct places *places, struct text folder,
                          const char *pattern)
{
    cleanup_buffer struct buffer whole = BUFFER_INIT;

    add_place(&whole, places, folder);
    if (folder.length > 1)
        buffer_add_char(&whole, '/');
    /* Relative patterns need no dot. */
    if (whole.length == 2 && memcmp(whole.data, "./", 2) == 0 && !strchr("~!", pattern[0]))
        buffer_clear(&whole);
    buffer_add_text(&whole, pattern);
    add_scalar_of(out, &whole);
}

void manifest_quote(struct buffer *out, struct text text)
{
    add_quoted(out, text);
}
