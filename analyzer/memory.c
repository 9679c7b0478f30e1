/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "die.h"

#define BLOCK     (64 * 1024)
#define ALIGNMENT _Alignof(max_align_t)

struct block {
    struct block *next;
    size_t used, room;
    _Alignas(max_align_t) char bytes[];
};

struct memory {
    struct block *first; /* the one that still has room */
};

struct memory *memory_new(void)
{
    return xcalloc(1, sizeof(struct memory));
}

void memory_free(struct memory *memory)
{
    struct block *next;

    if (!memory)
        return;
    for (struct block *block = memory->first; block; block = next) {
        next = block->next;
        free(block);
    }
    free(memory);
}

static struct block *add_block(struct memory *memory, size_t room)
{
    struct block *block = xmalloc(sizeof *block + room);

    block->used = 0;
    block->room = room;
    block->next = memory->first;
    memory->first = block;
    return block;
}

void *memory_take(struct memory *memory, size_t size)
{
    struct block *block = memory->first;
    void *taken;

    size = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    if (!block || block->room - block->used < size)
        block = add_block(memory, size > BLOCK ? size : BLOCK);
    taken = block->bytes + block->used;
    block->used += size;
    return memset(taken, 0, size);
}

const char *memory_copy(struct memory *memory, const void *bytes, size_t length)
{
    char *copy = memory_take(memory, length + 1);

    if (length)
        memcpy(copy, bytes, length);
    return copy;
}
