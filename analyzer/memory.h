/* SPDX-License-Identifier: MIT
 *
 * Room that is given back all at once.
 */
#ifndef ANALYZER_MEMORY_H
#define ANALYZER_MEMORY_H

#include <stddef.h>

struct memory;

struct memory *memory_new(void);
void memory_free(struct memory *memory); /* NULL is allowed */
/* `size` zero bytes, aligned for any type. */
void *memory_take(struct memory *memory, size_t size);
/* A copy with a NUL behind it. */
const char *memory_copy(struct memory *memory, const void *bytes, size_t length);

#endif
