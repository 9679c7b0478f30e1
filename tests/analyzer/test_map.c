/* SPDX-License-Identifier: MIT */
#include "map.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "memory.h"

Test(map, keeps_every_key_while_it_grows)
{
    struct map map = {0};

    for (uint32_t i = 0; i < 10000; i++)
        *map_slot(&map, (struct map_key){i % 7, i * 4096ul}) = i;
    for (uint32_t i = 0; i < 10000; i++)
        cr_assert_eq(map_get(&map, (struct map_key){i % 7, i * 4096ul}), i);
    cr_assert_eq(map_get(&map, (struct map_key){8, 0}), MAP_NONE);
    cr_assert_eq(map.count, 10000);
    map_fini(&map);
}

Test(map, an_empty_one_knows_nothing)
{
    struct map map = {0};
    struct names names = {0};

    cr_assert_eq(map_get(&map, (struct map_key){0, 0}), MAP_NONE);
    cr_assert_eq(names_find(&names, "", 0), MAP_NONE);
}

Test(map, names_are_numbered_in_the_order_they_came)
{
    struct memory *memory = memory_new();
    struct names names = {0};
    char name[32];

    for (uint32_t i = 0; i < 5000; i++) {
        int length = snprintf(name, sizeof name, "name %u", i);

        cr_assert_eq(names_add(&names, memory_copy(memory, name, (size_t)length), (size_t)length),
                     i);
    }
    cr_assert_eq(names_find(&names, "name 4321", 9), 4321);
    cr_assert_eq(names_add(&names, "name 17", 7), 17);
    cr_assert_eq(names_find(&names, "name 1", 5), MAP_NONE);
    names_fini(&names);
    memory_free(memory);
}
