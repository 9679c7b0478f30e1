/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "signals.h"

#define FIRST_NS UINT64_C(1000000000) /* a short build needs none */
#define EVERY_NS UINT64_C(500000000)

void progress_start(struct progress *progress, bool wanted)
{
    *progress =
        (struct progress){.on = wanted && isatty(STDERR_FILENO), .start_ns = signals_clock()};
    progress->next_ns = progress->start_ns + FIRST_NS;
}

/* The cursor goes back to the start of the line, so that the next output of the build takes its
 * place. */
void progress_show(struct progress *progress, const struct ingest_counts *counts)
{
    uint64_t now = signals_clock();
    unsigned seconds = (unsigned)((now - progress->start_ns) / 1000000000u);
    char line[160];
    int length;

    if (!progress->on || now < progress->next_ns)
        return;
    progress->next_ns = now + EVERY_NS;
    length =
        snprintf(line, sizeof line,
                 "\r\033[Ktallyman: %llu processes, %llu accesses, %llu undeclared so far, "
                 "%u:%02u\r",
                 (unsigned long long)atomic_load(&counts->processes),
                 (unsigned long long)atomic_load(&counts->accesses),
                 (unsigned long long)atomic_load(&counts->undeclared), seconds / 60, seconds % 60);
    if (write(STDERR_FILENO, line, (size_t)length) == length)
        progress->shown = true;
}

void progress_erase(struct progress *progress)
{
    static const char erase[] = "\r\033[K";

    if (progress->shown && write(STDERR_FILENO, erase, strlen(erase)) < 0)
        progress->on = false;
    progress->shown = false;
}
