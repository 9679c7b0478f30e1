/* SPDX-License-Identifier: MIT */
#include "id_map.h"

#include <stdlib.h>

#include "die.h"

static size_t home(const struct id_map *map, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (map->room - 1);
}

static size_t find(const struct id_map *map, uint64_t key)
{
    size_t i = home(map, key);

    while (map->slots[i].key && map->slots[i].key != key)
        i = (i + 1) & (map->room - 1);
    return i;
}

void *id_map_get(const struct id_map *map, uint64_t key)
{
    return map->room ? map->slots[find(map, key)].value : NULL;
}

static void grow(struct id_map *map)
{
    struct id_map larger = {.room = map->room ? 2 * map->room : 64, .count = map->count};

    larger.slots = xcalloc(larger.room, sizeof *larger.slots);
    for (size_t i = 0; i < map->room; i++) {
        if (map->slots[i].key)
            larger.slots[find(&larger, map->slots[i].key)] = map->slots[i];
    }
    free(map->slots);
    *map = larger;
}

void id_map_put(struct id_map *map, uint64_t key, void *value)
{
    size_t i;

    if (2 * (map->count + 1) > map->room)
        grow(map);
    i = find(map, key);
    map->count += map->slots[i].key == 0;
    map->slots[i] = (struct id_slot){key, value};
}

/* What stood behind the removed one and was pushed there by it moves up. */
void id_map_remove(struct id_map *map, uint64_t key)
{
    size_t hole, i;

    if (!map->room || !map->slots[hole = find(map, key)].key)
        return;
    map->count--;
    for (i = hole;;) {
        size_t mask = map->room - 1;

        i = (i + 1) & mask;
        if (!map->slots[i].key)
            break;
        if (((i - home(map, map->slots[i].key)) & mask) >= ((i - hole) & mask)) {
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    }
    map->slots[hole] = (struct id_slot){0, NULL};
}

void id_map_fini(struct id_map *map)
{
    free(map->slots);
    *map = (struct id_map){NULL, 0, 0};
}
