/* SPDX-License-Identifier: MIT */
#include "blind_spot.h"

#include <string.h>

static const char *const names[] = {
#define BLIND_SPOT(id, name, text, remedy) name,
#include "tallyman/blind_spots.def"
#undef BLIND_SPOT
};

const char *blind_spot_name(enum blind_spot class)
{
    return names[class];
}

enum blind_spot blind_spot_find(const char *name, size_t length)
{
    int class = 0;

    while (class < BLIND_SPOT_COUNT &&
           (strlen(names[class]) != length || memcmp(names[class], name, length) != 0))
        class ++;
    return (enum blind_spot) class;
}
