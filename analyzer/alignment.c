/* SPDX-License-Identifier: MIT
 *
 * The work is that of sorting the processes a few times.
 */
#include "role.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "die.h"
#include "role_key.h"

/* Processes of one run that may have partners among those of the other run's pool. */
struct pool {
    const uint32_t *images;
    uint32_t count;
};

struct candidate {
    struct map_key key;
    uint32_t place; /* in the pool */
};

/* Candidates of one key: `candidates` from `start`, in the order of the pool. */
struct group_of_equals {
    uint32_t start, count;
};

/* --- the processes of one run ---------------------------------------------------------------- */

static bool is_part(const struct analysis_process *process)
{
    return strcmp(process->how, "fork") == 0 && process->parent != ANALYSIS_NONE;
}

/* Parents may have greater numbers than their children, so the way up is walked each time; it is
 * shortened as it is walked. */
static uint32_t find_image(const struct role_run *run, uint32_t *image, uint32_t process)
{
    uint32_t at = process, top;

    while (image[at] == ANALYSIS_NONE && is_part(&run->processes[at]))
        at = run->processes[at].parent;
    top = image[at] == ANALYSIS_NONE ? at : image[at];
    for (at = process; image[at] == ANALYSIS_NONE; at = run->processes[at].parent) {
        image[at] = top;
        if (at == top)
            break;
    }
    return top;
}

struct place_in_order {
    uint32_t parent, image; /* parent 0: none, else its number + 1 */
    int64_t started;
};

static int compare_places(const void *one, const void *other)
{
    const struct place_in_order *a = one;
    const struct place_in_order *b = other;

    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    if (a->started != b->started)
        return a->started < b->started ? -1 : 1;
    return (a->image > b->image) - (a->image < b->image);
}

static void order_images(const struct role_run *run, struct role_side *side)
{
    cleanup_free struct place_in_order *places = xcalloc(run->count, sizeof *places);

    for (uint32_t i = 0; i < run->count; i++)
        if (side->image[i] == i)
            places[side->images++] =
                (struct place_in_order){side->parent[i] + 1, i, run->processes[i].started};
    qsort(places, side->images, sizeof *places, compare_places);
    for (uint32_t i = 0; i < side->images; i++) {
        uint32_t parent = places[i].parent;

        side->order[i] = places[i].image;
        if (parent == 0)
            side->tops++;
        else if (side->children[parent - 1]++ == 0)
            side->first[parent - 1] = i;
    }
}

static void side_init(const struct role_run *run, struct role_side *side)
{
    size_t count = run->count;

    side->image = xmalloc(count * sizeof *side->image);
    side->parent = xmalloc(count * sizeof *side->parent);
    side->partner = xmalloc(count * sizeof *side->partner);
    side->order = xcalloc(count, sizeof *side->order);
    side->first = xcalloc(count, sizeof *side->first);
    side->children = xcalloc(count, sizeof *side->children);
    for (uint32_t i = 0; i < run->count; i++)
        side->image[i] = side->parent[i] = side->partner[i] = ANALYSIS_NONE;
    for (uint32_t i = 0; i < run->count; i++)
        find_image(run, side->image, i);
    for (uint32_t i = 0; i < run->count; i++)
        if (run->processes[i].parent != ANALYSIS_NONE)
            side->parent[i] = side->image[run->processes[i].parent];
    order_images(run, side);
}

static void side_fini(struct role_side *side)
{
    free(side->image);
    free(side->parent);
    free(side->partner);
    free(side->order);
    free(side->first);
    free(side->children);
}

/* --- equals in two pools --------------------------------------------------------------------- */

static void add_pair(struct alignment *alignment, uint32_t a, uint32_t b, enum role_kinship kinship)
{
    uint32_t number = alignment->pair_count++;

    if ((number & (number - 1)) == 0)
        alignment->pairs =
            xrealloc(alignment->pairs, (number ? number * 2ul : 1ul) * sizeof *alignment->pairs);
    alignment->pairs[number] = (struct role_pair){{a, b}, kinship};
    alignment->sides[SIDE_A].partner[a] = alignment->sides[SIDE_B].partner[b] = number;
}

static int compare_keys(struct map_key one, struct map_key other)
{
    if (one.high != other.high)
        return one.high < other.high ? -1 : 1;
    return (one.low > other.low) - (one.low < other.low);
}

static int compare_candidates(const void *one, const void *other)
{
    const struct candidate *a = one;
    const struct candidate *b = other;
    int order = compare_keys(a->key, b->key);

    return order ? order : (a->place > b->place) - (a->place < b->place);
}

/* Those of the pool that have no partner yet, equals beside each other. */
static struct candidate *gather(const struct alignment *alignment, int side,
                                const struct pool *pool, enum role_likeness likeness,
                                uint32_t *count)
{
    struct candidate *candidates = xcalloc(pool->count, sizeof *candidates);

    *count = 0;
    for (uint32_t i = 0; i < pool->count; i++) {
        uint32_t image = pool->images[i];

        if (alignment->sides[side].partner[image] == ANALYSIS_NONE &&
            role_key(&alignment->runs[side], image, likeness, &candidates[*count].key))
            candidates[(*count)++].place = i;
    }
    qsort(candidates, *count, sizeof *candidates, compare_candidates);
    return candidates;
}

static struct group_of_equals equals_at(const struct candidate *candidates, uint32_t count,
                                        uint32_t start)
{
    uint32_t end = start + 1;

    while (end < count && compare_keys(candidates[start].key, candidates[end].key) == 0)
        end++;
    return (struct group_of_equals){start, end - start};
}

struct matching {
    struct alignment *alignment;
    struct pool pools[SIDE_COUNT];
    struct candidate *candidates[SIDE_COUNT];
    uint32_t counts[SIDE_COUNT];
    enum role_kinship kinship;
    uint32_t *expected; /* by place in A's pool: where in B's its partner is to be expected */
};

/* Takes the next group of each side that both have. */
static bool next_equals(const struct matching *matching, uint32_t at[SIDE_COUNT],
                        struct group_of_equals groups[SIDE_COUNT])
{
    while (at[SIDE_A] < matching->counts[SIDE_A] && at[SIDE_B] < matching->counts[SIDE_B]) {
        int order = compare_keys(matching->candidates[SIDE_A][at[SIDE_A]].key,
                                 matching->candidates[SIDE_B][at[SIDE_B]].key);

        if (order) {
            at[order < 0 ? SIDE_A : SIDE_B]++;
            continue;
        }
        for (int side = 0; side < SIDE_COUNT; side++) {
            groups[side] = equals_at(matching->candidates[side], matching->counts[side], at[side]);
            at[side] += groups[side].count;
        }
        return true;
    }
    return false;
}

static void join(struct matching *matching, uint32_t a, uint32_t b)
{
    add_pair(
        matching->alignment, matching->pools[SIDE_A].images[matching->candidates[SIDE_A][a].place],
        matching->pools[SIDE_B].images[matching->candidates[SIDE_B][b].place], matching->kinship);
}

static uint32_t distance(uint32_t one, uint32_t other)
{
    return one > other ? one - other : other - one;
}

/* One side has more of them. Those that are near to the same neighbours belong together. */
static void join_nearest(struct matching *matching, struct group_of_equals a,
                         struct group_of_equals b)
{
    uint32_t i = 0, j = 0;

    while (i < a.count && j < b.count) {
        uint32_t at = matching->expected[matching->candidates[SIDE_A][a.start + i].place];
        const struct candidate *other = &matching->candidates[SIDE_B][b.start + j];

        if (b.count - j > a.count - i && distance(at, other[1].place) < distance(at, other->place))
            j++;
        else if (a.count - i > b.count - j &&
                 distance(matching->expected[matching->candidates[SIDE_A][a.start + i + 1].place],
                          other->place) < distance(at, other->place))
            i++;
        else
            join(matching, a.start + i++, b.start + j++);
    }
}

/* Behind the partner of the last one before it that has any. */
static void expect(struct matching *matching)
{
    const struct pool *a = &matching->pools[SIDE_A];
    const struct pool *b = &matching->pools[SIDE_B];
    const struct alignment *alignment = matching->alignment;
    struct map places = {0};
    uint32_t last = 0;

    matching->expected = xcalloc(a->count, sizeof *matching->expected);
    for (uint32_t i = 0; i < b->count; i++)
        *map_slot(&places, (struct map_key){0, b->images[i]}) = i;
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t pair = alignment->sides[SIDE_A].partner[a->images[i]];
        uint32_t place = MAP_NONE;

        if (pair != ANALYSIS_NONE)
            place = map_get(&places, (struct map_key){0, alignment->pairs[pair].process[SIDE_B]});
        if (place != MAP_NONE)
            last = place + 1;
        matching->expected[i] = last;
    }
    map_fini(&places);
}

static void match(struct alignment *alignment, const struct pool pools[SIDE_COUNT],
                  enum role_likeness likeness)
{
    struct matching matching = {.alignment = alignment, .pools = {pools[SIDE_A], pools[SIDE_B]}};
    struct group_of_equals groups[SIDE_COUNT];
    uint32_t at[SIDE_COUNT] = {0, 0};
    bool uneven = false;

    if (!pools[SIDE_A].count || !pools[SIDE_B].count)
        return;
    matching.kinship = likeness == LIKENESS_FILES     ? ROLE_RELATED
                       : likeness == LIKENESS_PROGRAM ? ROLE_ALONE
                                                      : ROLE_SAME;
    for (int side = 0; side < SIDE_COUNT; side++)
        matching.candidates[side] =
            gather(alignment, side, &pools[side], likeness, &matching.counts[side]);
    while (next_equals(&matching, at, groups)) {
        if (groups[SIDE_A].count != groups[SIDE_B].count)
            uneven = true;
        else if (likeness != LIKENESS_PROGRAM || groups[SIDE_A].count == 1)
            for (uint32_t i = 0; i < groups[SIDE_A].count; i++)
                join(&matching, groups[SIDE_A].start + i, groups[SIDE_B].start + i);
    }
    if (uneven && likeness != LIKENESS_PROGRAM) {
        expect(&matching);
        at[SIDE_A] = at[SIDE_B] = 0;
        while (next_equals(&matching, at, groups))
            if (groups[SIDE_A].count != groups[SIDE_B].count)
                join_nearest(&matching, groups[SIDE_A], groups[SIDE_B]);
    }
    free(matching.candidates[SIDE_A]);
    free(matching.candidates[SIDE_B]);
    free(matching.expected);
}

/* --- the whole ------------------------------------------------------------------------------- */

static struct pool children_of(const struct role_side *side, uint32_t image)
{
    return (struct pool){side->order + side->first[image], side->children[image]};
}

static void match_children(struct alignment *alignment, uint32_t pair, enum role_likeness from,
                           enum role_likeness to)
{
    struct pool pools[SIDE_COUNT];

    for (int side = 0; side < SIDE_COUNT; side++)
        pools[side] = children_of(&alignment->sides[side], alignment->pairs[pair].process[side]);
    for (enum role_likeness likeness = from; likeness <= to; likeness++)
        match(alignment, pools, likeness);
}

/* The children of new pairs, of which there come to be more on the way. */
static void descend(struct alignment *alignment, uint32_t *done)
{
    while (*done < alignment->pair_count)
        match_children(alignment, (*done)++, LIKENESS_EXACT, LIKENESS_LOOSE);
}

/* Everywhere, for those that have another parent in the other run. */
static void match_strays(struct alignment *alignment, uint32_t *done, enum role_likeness to)
{
    for (enum role_likeness likeness = LIKENESS_EXACT; likeness <= to; likeness++) {
        uint32_t *strays[SIDE_COUNT];
        struct pool pools[SIDE_COUNT];

        for (int side = 0; side < SIDE_COUNT; side++) {
            const struct role_side *from = &alignment->sides[side];

            strays[side] = xcalloc(from->images, sizeof *strays[side]);
            pools[side] = (struct pool){strays[side], 0};
            for (uint32_t i = 0; i < from->images; i++)
                if (from->partner[from->order[i]] == ANALYSIS_NONE)
                    strays[side][pools[side].count++] = from->order[i];
        }
        match(alignment, pools, likeness);
        free(strays[SIDE_A]);
        free(strays[SIDE_B]);
        descend(alignment, done);
    }
}

/* Those that differ in their arguments. New pairs come to be on the way; their children first get
 * partners that are the same. */
static void match_relatives(struct alignment *alignment, uint32_t *done)
{
    struct pool tops[SIDE_COUNT];

    for (int side = 0; side < SIDE_COUNT; side++)
        tops[side] = (struct pool){alignment->sides[side].order, alignment->sides[side].tops};
    match(alignment, tops, LIKENESS_FILES);
    match(alignment, tops, LIKENESS_PROGRAM);
    descend(alignment, done);
    for (uint32_t i = 0; i < alignment->pair_count; i++) {
        match_children(alignment, i, LIKENESS_FILES, LIKENESS_PROGRAM);
        descend(alignment, done);
    }
}

void alignment_make(struct alignment *alignment, const struct role_run *a, const struct role_run *b)
{
    struct pool tops[SIDE_COUNT];
    uint32_t done = 0;

    *alignment = (struct alignment){.runs = {*a, *b}};
    for (int side = 0; side < SIDE_COUNT; side++) {
        side_init(&alignment->runs[side], &alignment->sides[side]);
        tops[side] = (struct pool){alignment->sides[side].order, alignment->sides[side].tops};
    }
    match(alignment, tops, LIKENESS_EXACT);
    match(alignment, tops, LIKENESS_LOOSE);
    descend(alignment, &done);
    match_strays(alignment, &done, LIKENESS_LOOSE);
    match_relatives(alignment, &done);
    match_strays(alignment, &done, LIKENESS_FILES);
    match_relatives(alignment, &done);
}

void alignment_fini(struct alignment *alignment)
{
    side_fini(&alignment->sides[SIDE_A]);
    side_fini(&alignment->sides[SIDE_B]);
    free(alignment->pairs);
    *alignment = (struct alignment){0};
}
