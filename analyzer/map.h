/* SPDX-License-Identifier: MIT
 *
 * Two hash tables: numbers to numbers (struct map) and byte strings to the order in which they were
 * added (struct names). Start with zeros; nothing is ever removed.
 */
#ifndef ANALYZER_MAP_H
#define ANALYZER_MAP_H

#include <stddef.h>
#include <stdint.h>

#define MAP_NONE UINT32_MAX

struct map_key {
    uint64_t high, low;
};

struct map {
    struct map_entry *entries;
    size_t room, count;
};

/* The value of `key`, MAP_NONE when it has none. */
uint32_t map_get(const struct map *map, struct map_key key);
/* Where the value of `key` is kept; a new one is MAP_NONE. Valid until the next call. */
uint32_t *map_slot(struct map *map, struct map_key key);
void map_fini(struct map *map);

struct names {
    struct names_entry *entries; /* room of them */
    size_t room, count;
};

/* The number of a string, MAP_NONE when it was not added. */
uint32_t names_find(const struct names *names, const char *bytes, size_t length);
/* The same, adding it as the next number when it is new. The bytes are borrowed and must stay. */
uint32_t names_add(struct names *names, const char *bytes, size_t length);
void names_fini(struct names *names);

#endif
