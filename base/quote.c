/* SPDX-License-Identifier: MIT */
#include "quote.h"

#include <stdint.h>
#include <string.h>

/* Decodes one character. Returns its length, 0 when the bytes are not UTF-8. */
static size_t decode(const unsigned char *at, size_t left, uint32_t *character)
{
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    uint32_t value = length == 1 ? at[0] : at[0] & (0xffu >> (length + 1));

    if (length == 0 || at[0] > 0xf4 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3f);
    }
    if (value < lowest[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return 0;
    *character = value;
    return length;
}

size_t text_character(const char *bytes, size_t left)
{
    uint32_t character;

    return left ? decode((const unsigned char *)bytes, left, &character) : 0;
}

bool text_is_utf8(const char *bytes, size_t length)
{
    const unsigned char *at = (const unsigned char *)bytes;
    const unsigned char *end = at + length;

    while (at < end) {
        uint32_t character = 0;
        size_t step = decode(at, (size_t)(end - at), &character);

        if (step == 0 || character == 0)
            return false;
        at += step;
    }
    return true;
}

/* Controls, line and paragraph separators, marks that reverse or hide text, and the numbers that
 * Unicode says are no characters. */
static bool is_unsafe(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0xad ||
           (character >= 0x200b && character <= 0x200f) ||
           (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2060 && character <= 0x206f) || character == 0xfeff ||
           (character >= 0xfdd0 && character <= 0xfdef) || (character & 0xfffe) == 0xfffe;
}

/* Length of the next piece that can be shown as it is, 0 when the next byte cannot. */
static size_t printable(const char *bytes, size_t left)
{
    uint32_t character = 0;
    size_t step = decode((const unsigned char *)bytes, left, &character);

    return step && !is_unsafe(character) ? step : 0;
}

static bool is_plain(const char *bytes, size_t length)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./,:@%^";

    if (length == 0)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!bytes[i] || !strchr(plain, bytes[i]))
            return false;
    return true;
}

static void quote_bytes_in_octal(struct buffer *out, const char *bytes, size_t length)
{
    buffer_add_text(out, "\"$(printf '");
    for (size_t i = 0; i < length; i++)
        buffer_printf(out, "\\%03o", (unsigned char)bytes[i]);
    buffer_add_text(out, "')\"");
}

/* Adds the bytes from `*at` on that can stand between single quotes. */
static void quote_printable_run(struct buffer *out, const char *bytes, size_t length, size_t *at)
{
    size_t step;

    buffer_add_char(out, '\'');
    while (*at < length && bytes[*at] != '\'' && (step = printable(bytes + *at, length - *at))) {
        buffer_add(out, bytes + *at, step);
        *at += step;
    }
    buffer_add_char(out, '\'');
}

/* Adds the bytes from `*at` on that cannot be shown. "$(...)" drops newlines at its end: the
 * character after them goes in, too; those at the very end of a word can only stand between quotes.
 */
static void quote_unprintable_run(struct buffer *out, const char *bytes, size_t length, size_t *at)
{
    size_t start = *at;
    size_t end;

    while (*at < length && bytes[*at] != '\'' && !printable(bytes + *at, length - *at))
        (*at)++;
    if (*at < length && bytes[*at - 1] == '\n')
        *at += printable(bytes + *at, length - *at);
    end = *at;
    while (end > start && bytes[end - 1] == '\n')
        end--;
    if (end > start)
        quote_bytes_in_octal(out, bytes + start, end - start);
    if (end < *at) {
        buffer_add_char(out, '\'');
        buffer_add(out, bytes + end, *at - end);
        buffer_add_char(out, '\'');
    }
}

static void quote(struct buffer *out, const char *bytes, size_t length)
{
    size_t at = 0;

    if (length == 0)
        buffer_add_text(out, "''");
    while (at < length) {
        if (bytes[at] == '\'') {
            buffer_add_text(out, "\\'");
            at++;
        } else if (printable(bytes + at, length - at)) {
            quote_printable_run(out, bytes, length, &at);
        } else {
            quote_unprintable_run(out, bytes, length, &at);
        }
    }
}

void quote_word(struct buffer *out, const char *bytes, size_t length)
{
    if (is_plain(bytes, length))
        buffer_add(out, bytes, length);
    else
        quote(out, bytes, length);
}

/* As the first word of a command line these would be an assignment or a word of the shell's
 * grammar. */
static bool is_special_first(const char *bytes, size_t length)
{
    static const char *const words[] = {"case",   "coproc", "do",   "done",     "elif", "else",
                                        "esac",   "fi",     "for",  "function", "if",   "in",
                                        "select", "then",   "time", "until",    "while"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(words[i], bytes, length) == 0)
            return true;
    return memchr(bytes, '=', length) != NULL;
}

void quote_command(struct buffer *out, const char *argv, size_t length)
{
    size_t at = 0;

    while (at < length) {
        size_t size = strnlen(argv + at, length - at);

        if (at > 0)
            buffer_add_char(out, ' ');
        if (at == 0 && is_special_first(argv, size))
            quote(out, argv, size);
        else
            quote_word(out, argv + at, size);
        at += size + 1;
    }
}

void quote_display(struct buffer *out, const char *bytes, size_t length)
{
    size_t at = 0;

    while (at < length) {
        size_t step = printable(bytes + at, length - at);

        if (step) {
            buffer_add(out, bytes + at, step);
            at += step;
        } else {
            buffer_printf(out, "\\x%02x", (unsigned char)bytes[at]);
            at++;
        }
    }
}

size_t quote_width(const char *text, size_t length)
{
    size_t width = 0;

    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

void quote_shortened(struct buffer *out, const char *bytes, size_t length, size_t most)
{
    cleanup_buffer struct buffer full = BUFFER_INIT;
    size_t at = 0;

    quote_display(&full, bytes, length);
    if (quote_width(full.length ? full.data : "", full.length) <= most) {
        buffer_add(out, full.data, full.length);
        return;
    }
    for (size_t width = 0; width + 1 < most; width++)
        do
            at++;
        while (at < full.length && ((unsigned char)full.data[at] & 0xc0) == 0x80);
    buffer_add(out, full.data, at);
    buffer_add_text(out, "…");
}
