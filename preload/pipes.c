/* SPDX-License-Identifier: MIT */
#include "pipes.h"

#include <stdbool.h>
#include <stddef.h>

#define PIPES 64u

/* A stream belongs to one thread between popen and pclose, so that nobody else looks for it; only
 * the taking of a free place is a race. */
static struct pipe {
    const void *stream; /* NULL: free */
    uint64_t execution;
} pipes[PIPES];

static struct pipe *find(const void *stream)
{
    for (size_t i = 0; i < PIPES; i++)
        if (__atomic_load_n(&pipes[i].stream, __ATOMIC_ACQUIRE) == stream)
            return &pipes[i];
    return NULL;
}

static bool claim(struct pipe *pipe, const void *stream)
{
    const void *nobody = NULL;

    return __atomic_compare_exchange_n(&pipe->stream, &nobody, stream, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

/* One that is there already was closed by fclose. */
void pipes_keep(const void *stream, uint64_t execution)
{
    struct pipe *pipe = find(stream);

    for (size_t i = 0; !pipe && i < PIPES; i++)
        if (claim(&pipes[i], stream))
            pipe = &pipes[i];
    if (pipe)
        pipe->execution = execution;
}

uint64_t pipes_take(const void *stream)
{
    struct pipe *pipe = stream ? find(stream) : NULL;
    uint64_t execution = 0;

    if (pipe) {
        execution = pipe->execution;
        __atomic_store_n(&pipe->stream, NULL, __ATOMIC_RELEASE);
    }
    return execution;
}
