/* SPDX-License-Identifier: MIT
 *
 * A growing string of bytes. `data` is always NUL-terminated and never NULL once something was
 * added; the NUL is not counted in `length`. Start with BUFFER_INIT; end with buffer_fini or take
 * the memory with buffer_take.
 */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stddef.h>
#include "die.h"

struct buffer {
    char *data;
    size_t length;
    size_t room;
};

#define BUFFER_INIT                                                                                \
    {                                                                                              \
        NULL, 0, 0                                                                                 \
    }

void buffer_add(struct buffer *buffer, const void *bytes, size_t length);
void buffer_add_text(struct buffer *buffer, const char *text);
void buffer_add_char(struct buffer *buffer, char character);
void buffer_printf(struct buffer *buffer, const char *format, ...) PRINTF_LIKE(2, 3);
void buffer_clear(struct buffer *buffer); /* keeps the room */
void buffer_fini(struct buffer *buffer);
char *buffer_take(struct buffer *buffer); /* never NULL; the caller frees */

#define cleanup_buffer __attribute__((cleanup(buffer_fini)))

#endif
