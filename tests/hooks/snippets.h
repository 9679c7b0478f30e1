/* SPDX-License-Identifier: MIT
 *
 * What the program that runs snippets and the test that judges its records agree on.
 */
#ifndef SNIPPETS_H
#define SNIPPETS_H

/* Where a snippet is run. CONTEXT(id, name) */
#define CONTEXTS                                                                                   \
    CONTEXT(MAIN, "main")     /* in main */                                                        \
    CONTEXT(EARLY, "early")   /* in the preinit array, before any constructor */                   \
    CONTEXT(THREAD, "thread") /* in a second thread */                                             \
    CONTEXT(FORK, "fork")     /* in a forked child */                                              \
    CONTEXT(VFORK, "vfork")   /* in a vfork child, on its parent's memory */

enum context_bit {
#define CONTEXT(id, name) CONTEXT_BIT_##id,
    CONTEXTS
#undef CONTEXT
        CONTEXT_COUNT
};

enum context {
#define CONTEXT(id, name) IN_##id = 1 << CONTEXT_BIT_##id,
    CONTEXTS
#undef CONTEXT
        IN_ALL = (1 << CONTEXT_COUNT) - 1
};

/* A label of a host's name may have 63 letters. */
#define LONG_LABEL "x234567890123456789012345678901234567890123456789012345678901234"

#endif
