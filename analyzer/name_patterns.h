/* SPDX-License-Identifier: MIT
 *
 * Patterns for names in one folder: "*.o", "conf*".
 */
#ifndef ANALYZER_NAME_PATTERNS_H
#define ANALYZER_NAME_PATTERNS_H

#include "analysis.h"

/* A name that no pattern shall match for nothing. */
struct other_name {
    struct text name;
    double cost; /* in lines */
    bool unused; /* counts as a file that is allowed and that nobody used */
};

struct name_pattern {
    struct text start, end; /* one of them is empty, unless `whole` */
    bool whole;             /* a single name, which is `start` */
    uint32_t number;        /* of that name */
    double cost;            /* in lines, itself among them */
    size_t unused;
};

bool name_pattern_matches(const struct name_pattern *pattern, struct text name);

/* The fewest patterns for `names`; what none is worth it for stands for itself. `*patterns` is the
 * caller's to free; the texts are borrowed. */
size_t name_patterns(const struct text *names, size_t count, const struct other_name *others,
                     size_t other_count, struct name_pattern **patterns);

#endif
