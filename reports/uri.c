/* SPDX-License-Identifier: MIT */
#include "uri.h"

#include <string.h>

void uri_add_path(struct buffer *out, struct text path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-._~/";

    for (size_t i = 0; i < path.length; i++) {
        char byte = path.bytes[i];

        if (byte && strchr(plain, byte))
            buffer_add_char(out, byte);
        else
            buffer_printf(out, "%%%02X", (unsigned char)byte);
    }
}

void uri_add_folder(struct buffer *out, struct text path)
{
    buffer_add_text(out, "file://");
    uri_add_path(out, path);
    if (!path.length || path.bytes[path.length - 1] != '/')
        buffer_add_char(out, '/');
}
