/* SPDX-License-Identifier: MIT */
#include "subject_table.h"

#include <stdlib.h>
#include <string.h>

#include "bytes_hash.h"
#include "die.h"

#define BLOCK_BYTES ((size_t)256 << 10)
#define BYTES_MAX   ((size_t)96 << 20)

struct block {
    struct block *next;
    size_t used;
    size_t room;
    uint64_t bytes[];
};

struct subject_table {
    struct subject **slots; /* open addressing, a power of two */
    size_t room;
    size_t count;
    struct block *blocks;
    size_t bytes;
};

struct subject_table *subject_table_new(void)
{
    struct subject_table *table = xcalloc(1, sizeof *table);

    table->room = 4096;
    table->slots = xcalloc(table->room, sizeof *table->slots);
    return table;
}

static void free_blocks(struct subject_table *table)
{
    while (table->blocks) {
        struct block *next = table->blocks->next;

        free(table->blocks);
        table->blocks = next;
    }
    table->bytes = 0;
}

void subject_table_free(struct subject_table *table)
{
    if (!table)
        return;
    free_blocks(table);
    free(table->slots);
    free(table);
}

static struct subject *allocate(struct subject_table *table, size_t length)
{
    size_t size = (sizeof(struct subject) + length + 7) & ~(size_t)7;
    struct block *block = table->blocks;

    if (!block || block->room - block->used < size) {
        size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;

        block = xmalloc(sizeof *block + room);
        *block = (struct block){.next = table->blocks, .room = room};
        table->blocks = block;
        table->bytes += room;
    }
    block->used += size;
    return (struct subject *)(void *)((char *)block->bytes + block->used - size);
}

static void insert(struct subject **slots, size_t room, struct subject *subject)
{
    size_t i = subject->hash & (room - 1);

    while (slots[i])
        i = (i + 1) & (room - 1);
    slots[i] = subject;
}

static void grow(struct subject_table *table)
{
    size_t room = 2 * table->room;
    struct subject **slots = xcalloc(room, sizeof *slots);

    for (size_t i = 0; i < table->room; i++) {
        if (table->slots[i])
            insert(slots, room, table->slots[i]);
    }
    free(table->slots);
    table->slots = slots;
    table->room = room;
}

struct subject *subject_table_get(struct subject_table *table, uint8_t channel, const char *name,
                                  size_t length)
{
    uint64_t hash = bytes_hash(name, length, channel);
    struct subject *subject;

    for (size_t i = hash & (table->room - 1); (subject = table->slots[i]);
         i = (i + 1) & (table->room - 1)) {
        if (subject->hash == hash && subject->length == length && subject->channel == channel &&
            memcmp(subject->name, name, length) == 0)
            return subject;
    }
    if (2 * ++table->count > table->room)
        grow(table);
    subject = allocate(table, length);
    *subject = (struct subject){.hash = hash, .length = (uint32_t)length, .channel = channel};
    memcpy(subject->name, name, length);
    insert(table->slots, table->room, subject);
    return subject;
}

void subject_table_trim(struct subject_table *table)
{
    if (table->bytes + table->room * sizeof *table->slots < BYTES_MAX)
        return;
    free_blocks(table);
    memset(table->slots, 0, table->room * sizeof *table->slots);
    table->count = 0;
}
