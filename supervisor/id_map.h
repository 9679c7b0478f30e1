/* SPDX-License-Identifier: MIT
 *
 * From numbers to what belongs to them. 0 is no key.
 */
#ifndef ID_MAP_H
#define ID_MAP_H

#include <stddef.h>
#include <stdint.h>

struct id_map {
    struct id_slot {
        uint64_t key;
        void *value;
    } * slots; /* open addressing, a power of two */
    size_t room;
    size_t count;
};

void *id_map_get(const struct id_map *map, uint64_t key); /* NULL: none */
/* `value` replaces what the key had. */
void id_map_put(struct id_map *map, uint64_t key, void *value);
void id_map_remove(struct id_map *map, uint64_t key);
void id_map_fini(struct id_map *map); /* the values are the caller's */

#endif
