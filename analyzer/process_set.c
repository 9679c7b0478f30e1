/* SPDX-License-Identifier: MIT */
#include "process_set.h"

#define LEB128_BITS 7
#define LEB128_MORE 0x80u

static void put(struct buffer *set, uint64_t number)
{
    char bytes[10];
    size_t length = 0;

    for (; number >= LEB128_MORE; number >>= LEB128_BITS)
        bytes[length++] = (char)(number | LEB128_MORE);
    bytes[length++] = (char)number;
    buffer_add(set, bytes, length);
}

void process_set_add(struct buffer *set, uint32_t *last, const struct process_entry *entry,
                     bool timed)
{
    bool many = entry->rows != 1 || entry->count != 1;

    put(set, (uint64_t)(entry->process - *last - 1) << 1 | many);
    *last = entry->process;
    if (many) {
        put(set, (uint64_t)entry->rows);
        put(set, (uint64_t)entry->count);
    }
    if (timed)
        put(set, (uint64_t)entry->first);
}

struct process_set process_set_read(const void *bytes, size_t length, uint32_t process_count,
                                    bool timed)
{
    const unsigned char *at = bytes;

    return (struct process_set){
        .at = at,
        .end = length ? at + length : at,
        .process_count = process_count,
        .timed = timed,
    };
}

static bool get(struct process_set *set, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0; shift < 64 && set->at < set->end; shift += LEB128_BITS) {
        unsigned byte = *set->at++;

        *number |= (uint64_t)(byte & ~LEB128_MORE) << shift;
        if (!(byte & LEB128_MORE))
            return true;
    }
    return false;
}

static bool get_count(struct process_set *set, int64_t *count)
{
    uint64_t number;

    if (!get(set, &number) || number > INT64_MAX)
        return false;
    *count = (int64_t)number;
    return true;
}

bool process_set_next(struct process_set *set, struct process_entry *entry)
{
    uint64_t head, first = 0;

    *entry = (struct process_entry){.rows = 1, .count = 1};
    if (!get(set, &head) || head >> 1 >= set->process_count - set->next)
        return false;
    entry->process = set->next + (uint32_t)(head >> 1);
    if ((head & 1) && !(get_count(set, &entry->rows) && get_count(set, &entry->count)))
        return false;
    if (set->timed && !get(set, &first))
        return false;
    entry->first = (int64_t)first;
    set->next = entry->process + 1;
    return true;
}
