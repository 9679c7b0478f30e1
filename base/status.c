/* SPDX-License-Identifier: MIT */
#include "tallyman/status.h"

const char *tally_strstatus(int status)
{
    static const char *const texts[] = {
#define STATUS(id, text) [TALLY_STATUS_INDEX_##id] = text,
#include "tallyman/status.def"
#undef STATUS
    };
    int index = -1 - status;

    return index >= 0 && index < TALLY_STATUS_COUNT ? texts[index] : "success";
}
