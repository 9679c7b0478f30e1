/* SPDX-License-Identifier: MIT */
#include "passing.h"

#include <stdlib.h>

#include "die.h"
#include "tallyman/record.h"

enum fate {
    FATE_MADE = 1,
    FATE_REMOVED = 2,
    FATE_RANDOM = 4,
};

struct passing passing_new(uint32_t subjects)
{
    return (struct passing){xcalloc(subjects, 1)};
}

void passing_fini(struct passing *passing)
{
    free(passing->fates);
    *passing = (struct passing){NULL};
}

static unsigned fate_of(enum event_kind kind, int64_t flags)
{
    switch (kind) {
    case EVENT_WRITE:
        if (flags & RECORD_TEMPORARY)
            return FATE_MADE | FATE_RANDOM;
        return (flags & RECORD_CREATE) && !(flags & RECORD_EXISTED) ? FATE_MADE : 0;
    case EVENT_MKDIR:
        return FATE_MADE | (flags & RECORD_TEMPORARY ? FATE_RANDOM : 0u);
    case EVENT_RENAME:
    case EVENT_UNLINK:
    case EVENT_RMDIR:
        return FATE_REMOVED;
    default:
        return 0;
    }
}

void passing_note(struct passing *passing, uint32_t subject, enum event_kind kind, int outcome,
                  int64_t flags)
{
    if (outcome == 0)
        passing->fates[subject] |= (unsigned char)fate_of(kind, flags);
}

bool passing_is(const struct passing *passing, uint32_t subject)
{
    const unsigned both = FATE_MADE | FATE_REMOVED;
    unsigned fate = passing->fates[subject];

    return (fate & FATE_RANDOM) || (fate & both) == both;
}
