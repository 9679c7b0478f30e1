/* SPDX-License-Identifier: MIT */
#include "yaml_bytes.h"

#include <string.h>

/* Walks the source of a double-quoted scalar. */
struct source {
    const unsigned char *at, *end;
};

/* Where the next character from U+0080 to U+00FF in the value comes from: 1 a \x escape, 0 anything
 * else, -1 there is none. Their order is the same in source and value. */
static int next_origin(struct source *source)
{
    while (source->at + 1 < source->end) {
        const unsigned char *at = source->at;
        char digits[9] = "";
        size_t width;

        if (at[0] == 0xc2 || at[0] == 0xc3) {
            source->at += 2;
            if (at[0] == 0xc2 && at[1] == 0x85)
                continue; /* NEL is a line break, folded away */
            return 0;
        }
        source->at++;
        if (at[0] != '\\')
            continue;
        source->at++;
        if (at[1] == 'N' || at[1] == '_')
            return 0;
        width = at[1] == 'x' ? 2 : at[1] == 'u' ? 4 : at[1] == 'U' ? 8 : 0;
        if (!width || source->at + width > source->end)
            continue;
        memcpy(digits, source->at, width);
        source->at += width;
        if (strspn(digits, "0") + 2 < width || strspn(digits, "0") == width)
            continue;
        if (strchr("89abcdefABCDEF", digits[width - 2]))
            return width == 2;
    }
    return -1;
}

static void restore(struct source *source, yaml_node_t *node)
{
    unsigned char *from = node->data.scalar.value, *to = from;
    unsigned char *end = from + node->data.scalar.length;

    while (from < end) {
        if ((from[0] == 0xc2 || from[0] == 0xc3) && from + 1 < end) {
            if (next_origin(source) == 1) {
                *to++ = (unsigned char)(((from[0] & 3) << 6) | (from[1] & 0x3f));
            } else {
                *to++ = from[0];
                *to++ = from[1];
            }
            from += 2;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
    node->data.scalar.length = (size_t)(to - node->data.scalar.value);
}

void yaml_bytes_restore(struct reader *reader, yaml_document_t *document)
{
    yaml_node_t *node = document->nodes.start;
    size_t character = 0, offset = reader_offset(reader, 0);

    if (!memmem(reader->text, reader->length, "\\x", 2))
        return;
    for (; node < document->nodes.top; node++) {
        struct source source;

        if (node->type != YAML_SCALAR_NODE ||
            node->data.scalar.style != YAML_DOUBLE_QUOTED_SCALAR_STYLE)
            continue;
        /* Nodes come in the order of the text, but for collections, which are skipped. */
        if (node->start_mark.index < character) {
            character = 0;
            offset = reader_offset(reader, 0);
        }
        offset = reader_advance(reader, offset, node->start_mark.index - character);
        character = node->start_mark.index;
        source.at = (const unsigned char *)reader->text + offset;
        source.end = (const unsigned char *)reader->text +
                     reader_advance(reader, offset, node->end_mark.index - character);
        restore(&source, node);
    }
}
