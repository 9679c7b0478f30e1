/* SPDX-License-Identifier: MIT */
#ifndef BLIND_SPOT_H
#define BLIND_SPOT_H

#include <stddef.h>

enum blind_spot {
#define BLIND_SPOT(id, name, text, remedy) BLIND_SPOT_##id,
#include "tallyman/blind_spots.def"
#undef BLIND_SPOT
    BLIND_SPOT_COUNT
};

const char *blind_spot_name(enum blind_spot class);

/* The class of that name, or BLIND_SPOT_COUNT. */
enum blind_spot blind_spot_find(const char *name, size_t length);

#endif
