/* SPDX-License-Identifier: MIT
 *
 * The line that tells a person at a terminal that something is going on.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include "ingest.h"

struct progress {
    bool on;
    bool shown;
    uint64_t start_ns;
    uint64_t next_ns;
};

void progress_start(struct progress *progress, bool wanted);
/* Redraws it when it is time to. */
void progress_show(struct progress *progress, const struct ingest_counts *counts);
void progress_erase(struct progress *progress);

#endif
