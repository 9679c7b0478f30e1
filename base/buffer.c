/* SPDX-License-Identifier: MIT */
#include "buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct buffer *buffer, size_t more)
{
    size_t need = buffer->length + more + 1;

    if (need <= buffer->room)
        return;
    buffer->room = need < 64 ? 64 : need + need / 2;
    buffer->data = xrealloc(buffer->data, buffer->room);
}

void buffer_add(struct buffer *buffer, const void *bytes, size_t length)
{
    reserve(buffer, length);
    if (length)
        memcpy(buffer->data + buffer->length, bytes, length);
    buffer->length += length;
    buffer->data[buffer->length] = '\0';
}

void buffer_add_text(struct buffer *buffer, const char *text)
{
    buffer_add(buffer, text, strlen(text));
}

void buffer_add_char(struct buffer *buffer, char character)
{
    buffer_add(buffer, &character, 1);
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        BUG("bad format %s", format);
    reserve(buffer, (size_t)length);
    va_start(arguments, format);
    vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    buffer->length += (size_t)length;
}

void buffer_clear(struct buffer *buffer)
{
    buffer->length = 0;
    if (buffer->data)
        buffer->data[0] = '\0';
}

void buffer_fini(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer)BUFFER_INIT;
}

char *buffer_take(struct buffer *buffer)
{
    char *data;

    reserve(buffer, 0);
    buffer->data[buffer->length] = '\0';
    data = buffer->data;
    *buffer = (struct buffer)BUFFER_INIT;
    return data;
}
