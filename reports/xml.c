/* SPDX-License-Identifier: MIT */
#include "xml.h"

#include <string.h>

#include "quote.h"

/* U+FFFE and U+FFFF are UTF-8, but no characters of XML. */
static bool is_no_character(const char *at, size_t left)
{
    return left >= 3 && (memcmp(at, "\xef\xbf\xbe", 3) == 0 || memcmp(at, "\xef\xbf\xbf", 3) == 0);
}

static void add_escaped(struct buffer *out, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (is_no_character(bytes + i, length - i)) {
            buffer_printf(out, "\\xef\\xbf\\x%02x", (unsigned char)bytes[i + 2]);
            i += 2;
            continue;
        }
        switch (bytes[i]) {
        case '&':
            buffer_add_text(out, "&amp;");
            break;
        case '<':
            buffer_add_text(out, "&lt;");
            break;
        case '>':
            buffer_add_text(out, "&gt;");
            break;
        case '"':
            buffer_add_text(out, "&quot;");
            break;
        default:
            buffer_add_char(out, bytes[i]);
        }
    }
}

void xml_add_text(struct buffer *out, struct text text)
{
    cleanup_buffer struct buffer shown = BUFFER_INIT;

    if (text.bytes)
        quote_display(&shown, text.bytes, text.length);
    xml_add_plain(out, &shown);
}

void xml_add_plain(struct buffer *out, const struct buffer *text)
{
    add_escaped(out, text->data, text->length);
}

void xml_add_attribute(struct buffer *out, const char *name, const struct buffer *text)
{
    buffer_printf(out, " %s=\"", name);
    xml_add_plain(out, text);
    buffer_add_char(out, '"');
}
