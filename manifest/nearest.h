/* SPDX-License-Identifier: MIT
 *
 * Why does nothing in a manifest declare this? The rule that comes nearest, and what is missing.
 * For people: it decides nothing, and looks at every rule in turn.
 */
#ifndef NEAREST_H
#define NEAREST_H

#include <stdbool.h>
#include <stddef.h>
#include "buffer.h"
#include "tallyman/event.h"

struct manifest;

enum nearest_why {
    NEAREST_NONE,    /* no rule begins like it */
    NEAREST_PARTS,   /* it begins like the name and goes another way after `common` bytes */
    NEAREST_SECTION, /* it matches the name, and declares another use of it */
    NEAREST_ACTION,  /* it matches the name, for one action alone */
    NEAREST_SPELLED, /* a name that is spelled nearly the same */
    NEAREST_PORT,    /* the same host with another port */
    NEAREST_KEY      /* no rule is about the channel: `rule` is the key that would declare it */
};

struct nearest {
    enum nearest_why why;
    size_t common;
    int line;           /* 0: built in, or of a named set */
    struct buffer rule; /* as a person reads it; nearest_fini */
    struct buffer part; /* ACTION: the action's name */
};

struct unmatched {
    enum event_kind kind;
    const char *name; /* a path as the kernel resolves it, a variable, an endpoint ... */
    size_t length;
    bool absent; /* it was not there */
};

void nearest_find(const struct manifest *manifest, const struct unmatched *unmatched,
                  struct nearest *nearest);
void nearest_fini(struct nearest *nearest);

#endif
