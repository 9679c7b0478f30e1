/* SPDX-License-Identifier: MIT
 *
 * Files that a run made and that nobody will find again: removed by the run itself, or under a name
 * that was chosen at random. They say little about a build and there are many of them.
 */
#ifndef ANALYZER_PASSING_H
#define ANALYZER_PASSING_H

#include <stdbool.h>
#include <stdint.h>

#include "tallyman/event.h"

struct passing {
    unsigned char *fates; /* by subject */
};

struct passing passing_new(uint32_t subjects);
void passing_fini(struct passing *passing);

/* Takes in one access; `flags` are those of record.h. */
void passing_note(struct passing *passing, uint32_t subject, enum event_kind kind, int outcome,
                  int64_t flags);
bool passing_is(const struct passing *passing, uint32_t subject);

#endif
