/* SPDX-License-Identifier: MIT */
#include "map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"

struct map_entry {
    struct map_key key;
    uint32_t value;
    bool used;
};

struct names_entry {
    const char *bytes; /* NULL free */
    size_t length;
    uint32_t hash, number;
};

static uint64_t mix(uint64_t value)
{
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    return value ^ value >> 32;
}

/* The entry of the key, or the free one where it belongs. */
static struct map_entry *map_place(struct map_entry *entries, size_t room, struct map_key key)
{
    size_t at = mix(key.high ^ mix(key.low)) & (room - 1);

    while (entries[at].used && (entries[at].key.high != key.high || entries[at].key.low != key.low))
        at = (at + 1) & (room - 1);
    return &entries[at];
}

static void map_grow(struct map *map)
{
    size_t room = map->room ? map->room * 2 : 64;
    struct map_entry *entries = xcalloc(room, sizeof *entries);

    for (size_t i = 0; i < map->room; i++)
        if (map->entries[i].used)
            *map_place(entries, room, map->entries[i].key) = map->entries[i];
    free(map->entries);
    map->entries = entries;
    map->room = room;
}

uint32_t map_get(const struct map *map, struct map_key key)
{
    const struct map_entry *entry;

    if (!map->room)
        return MAP_NONE;
    entry = map_place(map->entries, map->room, key);
    return entry->used ? entry->value : MAP_NONE;
}

uint32_t *map_slot(struct map *map, struct map_key key)
{
    struct map_entry *entry;

    if (map->count * 4 >= map->room * 3)
        map_grow(map);
    entry = map_place(map->entries, map->room, key);
    if (!entry->used) {
        *entry = (struct map_entry){.key = key, .value = MAP_NONE, .used = true};
        map->count++;
    }
    return &entry->value;
}

void map_fini(struct map *map)
{
    free(map->entries);
    *map = (struct map){0};
}

/* FNV-1a, eight bytes at a time. */
static uint32_t hash_bytes(const char *bytes, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325u ^ length;
    uint64_t word;

    for (; length >= sizeof word; bytes += sizeof word, length -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    for (; length; bytes++, length--)
        hash = (hash ^ (unsigned char)*bytes) * 0x100000001b3u;
    return (uint32_t)mix(hash);
}

static struct names_entry *names_place(struct names_entry *entries, size_t room, uint32_t hash,
                                       const char *bytes, size_t length)
{
    size_t at = hash & (room - 1);

    while (entries[at].bytes && (entries[at].hash != hash || entries[at].length != length ||
                                 memcmp(entries[at].bytes, bytes, length) != 0))
        at = (at + 1) & (room - 1);
    return &entries[at];
}

static void names_grow(struct names *names)
{
    size_t room = names->room ? names->room * 2 : 64;
    struct names_entry *entries = xcalloc(room, sizeof *entries);

    for (size_t i = 0; i < names->room; i++) {
        const struct names_entry *old = &names->entries[i];

        if (old->bytes)
            *names_place(entries, room, old->hash, old->bytes, old->length) = *old;
    }
    free(names->entries);
    names->entries = entries;
    names->room = room;
}

uint32_t names_find(const struct names *names, const char *bytes, size_t length)
{
    const struct names_entry *entry;

    if (!names->room)
        return MAP_NONE;
    entry = names_place(names->entries, names->room, hash_bytes(bytes, length), bytes, length);
    return entry->bytes ? entry->number : MAP_NONE;
}

uint32_t names_add(struct names *names, const char *bytes, size_t length)
{
    uint32_t hash = hash_bytes(bytes, length);
    struct names_entry *entry;

    if (names->count * 4 >= names->room * 3)
        names_grow(names);
    entry = names_place(names->entries, names->room, hash, bytes, length);
    if (!entry->bytes)
        *entry = (struct names_entry){bytes, length, hash, (uint32_t)names->count++};
    return entry->number;
}

void names_fini(struct names *names)
{
    free(names->entries);
    *names = (struct names){0};
}
