/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access_batch.h"
#include "blind_spot.h"
#include "hook_names.h"
#include "id_map.h"
#include "subject_table.h"

Test(id_map, finds_what_was_put_and_nothing_else)
{
    struct id_map map = {NULL, 0, 0};

    cr_assert_null(id_map_get(&map, 5));
    id_map_remove(&map, 5);
    for (uintptr_t i = 1; i <= 10000; i++)
        id_map_put(&map, i * 7919, (void *)i);
    for (uintptr_t i = 1; i <= 10000; i++)
        cr_assert_eq(id_map_get(&map, i * 7919), (void *)i);
    cr_assert_null(id_map_get(&map, 1));
    id_map_put(&map, 7919, (void *)77);
    cr_assert_eq(id_map_get(&map, 7919), (void *)77);
    cr_assert_eq(map.count, 10000);
    id_map_fini(&map);
}

Test(id_map, removing_loses_no_other)
{
    struct id_map map = {NULL, 0, 0};

    for (uintptr_t i = 1; i <= 5000; i++)
        id_map_put(&map, i, (void *)i);
    for (uintptr_t i = 1; i <= 5000; i += 3)
        id_map_remove(&map, i);
    for (uintptr_t i = 1; i <= 5000; i++)
        cr_assert_eq(id_map_get(&map, i), i % 3 == 1 ? NULL : (void *)i);
    id_map_fini(&map);
}

Test(subject_table, a_name_has_one_entry_in_each_channel)
{
    struct subject_table *table = subject_table_new();
    struct subject *subject = subject_table_get(table, 0, "abc", 3);

    subject->id = 9;
    cr_assert_eq(subject_table_get(table, 0, "abc", 3), subject);
    cr_assert_neq(subject_table_get(table, 1, "abc", 3), subject);
    cr_assert_neq(subject_table_get(table, 0, "abcd", 4), subject);
    cr_assert_neq(subject_table_get(table, 0, "ab", 2), subject);
    subject_table_free(table);
}

Test(subject_table, its_memory_is_bounded)
{
    struct subject_table *table = subject_table_new();
    char name[200];

    memset(name, 'x', sizeof name);
    for (int i = 0; i < 2000000; i++) {
        int length = snprintf(name, sizeof name, "/some/long/folder/name/number/%d", i);

        name[length] = 'x';
        subject_table_get(table, 0, name, sizeof name)->id = i + 1;
        if (i % 1000 == 0)
            subject_table_trim(table);
    }
    subject_table_trim(table);
    cr_assert_eq(subject_table_get(table, 0, "/a", 2)->id, 0);
    subject_table_free(table);
}

Test(access_batch, rows_come_sorted_and_summed)
{
    struct access_batch *batch = access_batch_new();
    const struct access_row *rows;

    for (int i = 0; i < 100; i++) {
        struct access_row row = {.process = 10 - i % 10,
                                 .subject = 1,
                                 .count = 1,
                                 .first = 100 - i,
                                 .operation = EVENT_READ,
                                 .hook = i == 99 ? "last" : "other"};

        cr_assert_not(access_batch_add(batch, &row));
    }
    cr_assert_eq(access_batch_close(batch, &rows), 10);
    for (int i = 0; i < 10; i++) {
        cr_assert_eq(rows[i].process, i + 1);
        cr_assert_eq(rows[i].count, 10);
    }
    cr_assert_eq(rows[0].first, 1);
    cr_assert_str_eq(rows[0].hook, "last");
    access_batch_clear(batch);
    cr_assert_eq(access_batch_close(batch, &rows), 0);
    access_batch_free(batch);
}

Test(hook_names, a_number_has_the_name_of_its_row)
{
    cr_assert_str_eq(hook_name(0), "open");
    cr_assert_str_eq(hook_name(UINT16_MAX), "?");
}

Test(blind_spot, names_are_found_whole)
{
    cr_assert_eq(blind_spot_find("survivor", 8), BLIND_SPOT_SURVIVOR);
    cr_assert_eq(blind_spot_find("survivo", 7), BLIND_SPOT_COUNT);
    cr_assert_eq(blind_spot_find("survivors", 9), BLIND_SPOT_COUNT);
    cr_assert_str_eq(blind_spot_name(BLIND_SPOT_WITNESS_OFF), "witness-off");
}
