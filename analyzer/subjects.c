/* SPDX-License-Identifier: MIT */
#include "subjects.h"

#include <stdlib.h>

#include "database.h"
#include "die.h"
#include "tallyman/status.h"

struct text text_of_column(struct memory *memory, sqlite3_stmt *statement, int column)
{
    struct text text = {NULL, 0};
    const void *bytes;

    if (sqlite3_column_type(statement, column) == SQLITE_NULL)
        return text;
    bytes = sqlite3_column_blob(statement, column);
    text.length = (size_t)sqlite3_column_bytes(statement, column);
    text.bytes = memory_copy(memory, bytes, text.length);
    return text;
}

static void add(struct subjects *subjects, sqlite3_stmt *row, struct memory *memory)
{
    uint32_t number = subjects->count++;
    int64_t channel = sqlite3_column_int64(row, 1);

    if ((number & (number - 1)) == 0)
        subjects->rows =
            xrealloc(subjects->rows, (number ? number * 2ul : 1ul) * sizeof *subjects->rows);
    subjects->rows[number] = (struct subject){
        .id = sqlite3_column_int64(row, 0),
        .channel = channel >= 0 && channel < CHANNEL_COUNT ? (enum channel)channel : CHANNEL_NONE,
        .name = text_of_column(memory, row, 2),
        .package = text_of_column(memory, row, 4),
        .resolved_id = sqlite3_column_int64(row, 3),
    };
    if (!subjects->rows[number].name.bytes)
        subjects->rows[number].name = (struct text){"", 0};
    *map_slot(&subjects->numbers, (struct map_key){0, (uint64_t)subjects->rows[number].id}) =
        number;
}

int subjects_load(struct subjects *subjects, sqlite3 *db, struct memory *memory)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT id, channel, name, resolved, package FROM subject ORDER BY id");
    int code;

    *subjects = (struct subjects){0};
    if (!row)
        return TALLY_ERR_DATABASE;
    while ((code = sqlite3_step(row)) == SQLITE_ROW)
        add(subjects, row, memory);
    for (uint32_t i = 0; i < subjects->count; i++) {
        struct subject *subject = &subjects->rows[i];

        subject->resolved =
            subject->resolved_id ? subjects_find(subjects, subject->resolved_id) : MAP_NONE;
        if (subject->resolved == i)
            subject->resolved = MAP_NONE;
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

void subjects_fini(struct subjects *subjects)
{
    free(subjects->rows);
    map_fini(&subjects->numbers);
    *subjects = (struct subjects){0};
}

uint32_t subjects_find(const struct subjects *subjects, int64_t id)
{
    /* SQLite gives ids from 1 on, and none is ever removed. */
    if (id > 0 && id <= subjects->count && subjects->rows[id - 1].id == id)
        return (uint32_t)(id - 1);
    return map_get(&subjects->numbers, (struct map_key){0, (uint64_t)id});
}
