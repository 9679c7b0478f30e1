/* SPDX-License-Identifier: MIT */
#include "name_patterns.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "die.h"

#define LEAST_START 3    /* bytes, so that it says something; one less where it saves a lot */
#define A_LOT       4    /* lines */
#define MOST_NAMES  2000 /* what is more is looked at by its endings alone */

struct search {
    const struct text *names;
    const struct other_name *others;
    struct name_pattern *patterns;
    uint32_t *sorted; /* names in the order of their bytes */
    bool *done;
    size_t count, other_count, pattern_count;
};

bool name_pattern_matches(const struct name_pattern *pattern, struct text name)
{
    size_t end = pattern->end.length;

    return name.length >= pattern->start.length + end &&
           memcmp(name.bytes, pattern->start.bytes, pattern->start.length) == 0 &&
           memcmp(name.bytes + name.length - end, pattern->end.bytes, end) == 0;
}

static int compare(const void *one, const void *other, void *data)
{
    const struct text *names = data;
    struct text a = names[*(const uint32_t *)one], b = names[*(const uint32_t *)other];
    size_t length = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.bytes, b.bytes, length);

    return order ? order : (a.length > b.length) - (a.length < b.length);
}

/* Lines that the pattern saves; fills its cost. */
static double gain(const struct search *search, struct name_pattern *pattern)
{
    size_t covered = 0;

    pattern->cost = 1;
    pattern->unused = 0;
    for (size_t i = 0; i < search->count; i++)
        covered += !search->done[i] && name_pattern_matches(pattern, search->names[i]);
    if (covered < 2)
        return 0;
    for (size_t i = 0; i < search->other_count; i++)
        if (name_pattern_matches(pattern, search->others[i].name)) {
            pattern->cost += search->others[i].cost;
            pattern->unused += search->others[i].unused;
        }
    return (double)covered - pattern->cost;
}

static void try_pattern(const struct search *search, struct text start, struct text end,
                        struct name_pattern *best, double *best_gain)
{
    struct name_pattern pattern = {.start = start, .end = end};
    double saved = gain(search, &pattern);

    if (start.length && start.length < LEAST_START && saved < A_LOT)
        return;
    if (saved > *best_gain) {
        *best = pattern;
        *best_gain = saved;
    }
}

static const struct text nothing = {"", 0};

static void try_ending(const struct search *search, uint32_t number, struct name_pattern *best,
                       double *best_gain)
{
    struct text name = search->names[number];
    const char *dot = memrchr(name.bytes, '.', name.length);

    if (dot && dot > name.bytes)
        try_pattern(search, nothing, (struct text){dot, name.length - (size_t)(dot - name.bytes)},
                    best, best_gain);
}

/* What two names that are neighbours by their bytes start with. */
static void try_start(const struct search *search, size_t place, struct name_pattern *best,
                      double *best_gain)
{
    struct text one = search->names[search->sorted[place]];
    struct text other = search->names[search->sorted[place + 1]];
    size_t length = 0;

    while (length < one.length && length < other.length && one.bytes[length] == other.bytes[length])
        length++;
    if (length >= LEAST_START - 1)
        try_pattern(search, (struct text){one.bytes, length}, nothing, best, best_gain);
}

static bool next_pattern(const struct search *search, struct name_pattern *best)
{
    double best_gain = 0;

    for (uint32_t i = 0; i < search->count; i++)
        if (!search->done[i])
            try_ending(search, i, best, &best_gain);
    for (size_t i = 0; i + 1 < search->count && search->count <= MOST_NAMES; i++)
        if (!search->done[search->sorted[i]] && !search->done[search->sorted[i + 1]])
            try_start(search, i, best, &best_gain);
    return best_gain > 0;
}

static void take(struct search *search, const struct name_pattern *pattern)
{
    search->patterns[search->pattern_count++] = *pattern;
    for (size_t i = 0; i < search->count; i++)
        if (name_pattern_matches(pattern, search->names[i]))
            search->done[i] = true;
}

size_t name_patterns(const struct text *names, size_t count, const struct other_name *others,
                     size_t other_count, struct name_pattern **patterns)
{
    cleanup_free uint32_t *sorted = xcalloc(count, sizeof *sorted);
    cleanup_free bool *done = xcalloc(count, sizeof *done);
    struct search search = {
        names, others, xcalloc(count, sizeof **patterns), sorted, done, count, other_count, 0};
    struct name_pattern best;

    for (uint32_t i = 0; i < count; i++)
        sorted[i] = i;
    qsort_r(sorted, count, sizeof *sorted, compare, (void *)(uintptr_t)names);
    while (next_pattern(&search, &best))
        take(&search, &best);
    for (uint32_t i = 0; i < count; i++)
        if (!done[i])
            search.patterns[search.pattern_count++] =
                (struct name_pattern){.start = names[i], .whole = true, .number = i, .cost = 1};
    *patterns = search.patterns;
    return search.pattern_count;
}
