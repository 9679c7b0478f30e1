/* SPDX-License-Identifier: MIT */
#include "random_ending.h"

#include <ctype.h>
#include <string.h>

#include "manifest_text.h"

#define LENGTH 6 /* of mkstemp */

size_t random_ending(struct text name)
{
    bool mixed = false;
    size_t length = 0;

    if (name.length > 8 && memcmp(name.bytes, "tmp", 3) == 0)
        return name.length - 3;
    while (length < LENGTH && length < name.length) {
        unsigned char byte = (unsigned char)name.bytes[name.length - 1 - length++];

        if (!isalnum(byte))
            return 0;
        mixed |= isdigit(byte) || isupper(byte);
    }
    return mixed && length == LENGTH ? length : 0;
}

void random_ending_pattern(struct buffer *out, struct text name)
{
    size_t length = random_ending(name);

    manifest_quote(out, (struct text){name.bytes, name.length - length});
    while (length-- > 0)
        buffer_add_char(out, '?');
}
