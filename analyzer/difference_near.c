/* SPDX-License-Identifier: MIT
 *
 * Which process failed first, and how far all others are from it: a step leads from a process to
 * the one that called it, to one that it called, or to the one that wrote what it read.
 */
#include "comparing.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"

/* What more processes than these wrote tells nothing of who is behind it. */
#define MOST_WRITERS 16

#define STATUS_OF_SIGNAL 128

static bool is_known(const struct analysis_process *process)
{
    return process->exit_status >= 0 || process->signal > 0;
}

static bool is_failure(const struct analysis_process *process)
{
    return process->exit_status > 0 || process->signal > 0;
}

/* A reader that has enough ends the writer by this signal, if it is fast enough. */
static bool is_broken_pipe(const struct analysis_process *process)
{
    return process->signal == SIGPIPE || process->exit_status == STATUS_OF_SIGNAL + SIGPIPE;
}

/* Where an image was replaced by another, that one's end is its end. */
const struct analysis_process *near_end(const struct comparing *work, int side, uint32_t image)
{
    const struct analysis_process *rows = work->runs[side].header.processes;
    const struct role_side *tree = &work->alignment.sides[side];

    while (!is_known(&rows[image])) {
        uint32_t next = ANALYSIS_NONE;

        for (uint32_t i = 0; i < tree->children[image]; i++) {
            uint32_t child = tree->order[tree->first[image] + i];

            if (rows[child].pid == rows[image].pid && strcmp(rows[child].how, "exec") == 0)
                next = child;
        }
        if (next == ANALYSIS_NONE)
            break;
        image = next;
    }
    return &rows[image];
}

bool near_ends_differ(const struct comparing *work, const struct role_pair *pair)
{
    const struct analysis_process *a = near_end(work, SIDE_A, pair->process[SIDE_A]);
    const struct analysis_process *b = near_end(work, SIDE_B, pair->process[SIDE_B]);

    if (!is_known(a) || !is_known(b) || is_broken_pipe(a) || is_broken_pipe(b))
        return false;
    return a->exit_status != b->exit_status || (a->signal > 0 && a->signal != b->signal);
}

static bool run_failed(const struct analysis *run)
{
    return run->exit_status > 0 || run->signal > 0;
}

/* --- the failure ----------------------------------------------------------------------------- */

static struct comparison_end end_at(const struct comparing *work, int side, uint32_t image)
{
    uint32_t pair = work->alignment.sides[side].partner[image];
    struct comparison_end end = {{ANALYSIS_NONE, ANALYSIS_NONE}};

    end.process[side] = image;
    if (pair != ANALYSIS_NONE)
        end.process[!side] = work->alignment.pairs[pair].process[!side];
    return end;
}

/* Failed here, and not, or not so, in the other run. */
static bool failed_here(const struct comparing *work, int side, uint32_t image)
{
    uint32_t pair = work->alignment.sides[side].partner[image];

    if (!is_failure(near_end(work, side, image)))
        return false;
    return pair == ANALYSIS_NONE || near_ends_differ(work, &work->alignment.pairs[pair]);
}

/* The earliest of those with a partner; of a shell and what it became, the latter. */
static void find_first(struct comparing *work)
{
    int64_t earliest = INT64_MAX;

    for (uint32_t i = 0; i < work->alignment.pair_count; i++) {
        const struct role_pair *pair = &work->alignment.pairs[i];

        if (!near_ends_differ(work, pair))
            continue;
        for (int side = 0; side < SIDE_COUNT; side++) {
            const struct analysis_process *end = near_end(work, side, pair->process[side]);

            if (!is_failure(end) || end->ended < 0 || end->ended > earliest)
                continue;
            earliest = end->ended;
            work->result.first =
                (struct comparison_end){{pair->process[SIDE_A], pair->process[SIDE_B]}};
        }
    }
}

static bool is_above(const struct role_side *tree, uint32_t image, uint32_t below)
{
    while (below != ANALYSIS_NONE && below != image)
        below = tree->parent[below];
    return below != ANALYSIS_NONE;
}

/* When the last of them was started. */
static int64_t last_start(const struct comparing *work, int side, const uint32_t *images,
                          uint32_t count)
{
    int64_t last = 0;

    for (uint32_t i = 0; i < count; i++) {
        int64_t started = work->runs[side].header.processes[images[i]].started;

        last = started > last ? started : last;
    }
    return last;
}

/* make starts nothing more after a failure and waits for what runs: what ended at `start` or later
 * can be what it failed by, and of that it is the first; to all others it is the last. */
static bool is_rather(bool make, int64_t start, int64_t ended, int64_t other)
{
    bool possible = make && ended >= start;
    bool other_possible = make && other >= start;

    if (possible != other_possible)
        return possible;
    return possible ? ended < other : ended >= other;
}

/* The child that its parent failed by. To make it may be the one with the first failure below it.
 */
static uint32_t failed_child(const struct comparing *work, int side, const uint32_t *images,
                             uint32_t count, bool make)
{
    int64_t start = make ? last_start(work, side, images, count) : 0;
    uint32_t found = ANALYSIS_NONE;
    int64_t time = 0;

    for (uint32_t i = 0; i < count; i++) {
        int64_t ended = near_end(work, side, images[i])->ended;

        if (!failed_here(work, side, images[i]))
            continue;
        if (make && ended >= start &&
            is_above(&work->alignment.sides[side], images[i], work->result.first.process[side]))
            return images[i];
        if (found != ANALYSIS_NONE && !is_rather(make, start, ended, time))
            continue;
        time = ended;
        found = images[i];
    }
    return found;
}

static void find_fatal(struct comparing *work)
{
    int side = run_failed(&work->runs[SIDE_B].header) ? SIDE_B : SIDE_A;
    const struct role_side *tree = &work->alignment.sides[side];
    const struct analysis_process *rows = work->runs[side].header.processes;
    uint32_t at = failed_child(work, side, tree->order, tree->tops, false);
    uint32_t last = ANALYSIS_NONE;

    while (at != ANALYSIS_NONE) {
        last = at;
        at = failed_child(work, side, tree->order + tree->first[at], tree->children[at],
                          role_is_make(analysis_program(&rows[at])));
    }
    if (last != ANALYSIS_NONE)
        work->result.fatal = end_at(work, side, last);
}

static void cut_after(struct comparing *work, const struct comparison_end *end)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        uint32_t image = end->process[side];

        if (image != ANALYSIS_NONE && near_end(work, side, image)->ended >= 0)
            work->cut[side] = near_end(work, side, image)->ended;
    }
}

void near_find_failure(struct comparing *work)
{
    struct comparison *result = &work->result;
    const struct comparison_end none = {{ANALYSIS_NONE, ANALYSIS_NONE}};

    result->first = result->fatal = none;
    work->cut[SIDE_A] = work->cut[SIDE_B] = INT64_MAX;
    find_first(work);
    if (result->status_differs)
        find_fatal(work);
    if (result->fatal.process[SIDE_A] == ANALYSIS_NONE &&
        result->fatal.process[SIDE_B] == ANALYSIS_NONE)
        return;
    cut_after(work, &result->fatal);
    if (result->first.process[SIDE_A] == ANALYSIS_NONE)
        result->first = result->fatal;
    if (memcmp(&result->first, &result->fatal, sizeof none) == 0)
        result->fatal = none;
}

/* --- distances ------------------------------------------------------------------------------- */

struct link {
    uint32_t from, to;
};

struct links {
    struct link *rows;
    size_t count;
};

static void add_link(struct links *links, uint32_t from, uint32_t to)
{
    size_t number = links->count++;

    if ((number & (number - 1)) == 0)
        links->rows = xrealloc(links->rows, (number ? number * 2 : 1) * sizeof *links->rows);
    links->rows[number] = (struct link){from, to};
}

static int compare_links(const void *one, const void *other)
{
    const struct link *a = one;
    const struct link *b = other;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static void sort_links(struct links *links)
{
    size_t kept = 0;

    if (links->count)
        qsort(links->rows, links->count, sizeof *links->rows, compare_links);
    for (size_t i = 0; i < links->count; i++)
        if (i == 0 || compare_links(&links->rows[i], &links->rows[i - 1]) != 0)
            links->rows[kept++] = links->rows[i];
    links->count = kept;
}

/* The links from there, as a part of the sorted rows. */
static struct links links_from(const struct links *links, uint32_t from)
{
    size_t low = 0, high = links->count, end;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (links->rows[middle].from < from)
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < links->count && links->rows[end].from == from;)
        end++;
    return (struct links){links->rows + low, end - low};
}

struct walk {
    struct comparing *work;
    int side;
    struct links reads;   /* images -> what of the run's own they read */
    struct links writers; /* things -> the images that made them */
    uint32_t *distance;   /* by image */
    uint32_t *queue;
    uint32_t first, end;
};

static void find_links(struct walk *walk)
{
    const struct compared_run *run = &walk->work->runs[walk->side];
    const uint32_t *image = walk->work->alignment.sides[walk->side].image;

    for (size_t i = 0; i < run->use_count; i++) {
        const struct compared_use *use = &run->uses[i];
        uint32_t thing = walk->work->thing_of[walk->side][use->subject];

        if (use->bits & USED_CHANGED)
            add_link(&walk->writers, thing, image[use->process]);
        else if ((use->bits & USED_OWN) && (use->bits & USED_CONTENT))
            add_link(&walk->reads, image[use->process], thing);
    }
    sort_links(&walk->reads);
    sort_links(&walk->writers);
}

static void reach(struct walk *walk, uint32_t image, uint32_t distance)
{
    if (image == ANALYSIS_NONE || walk->distance[image] <= distance)
        return;
    walk->distance[image] = distance;
    walk->queue[walk->end++] = image;
}

static void go_on(struct walk *walk, uint32_t image)
{
    const struct role_side *tree = &walk->work->alignment.sides[walk->side];
    uint32_t next = walk->distance[image] + 1;
    struct links read = links_from(&walk->reads, image);

    reach(walk, tree->parent[image], next);
    for (uint32_t i = 0; i < tree->children[image]; i++)
        reach(walk, tree->order[tree->first[image] + i], next);
    for (size_t i = 0; i < read.count; i++) {
        struct links wrote = links_from(&walk->writers, read.rows[i].to);

        for (size_t j = 0; wrote.count <= MOST_WRITERS && j < wrote.count; j++)
            reach(walk, wrote.rows[j].to, next);
    }
}

/* Whoever wrote a result that came out differently counts as failed. */
static void reach_writers(struct walk *walk)
{
    struct comparing *work = walk->work;

    for (uint32_t i = 0; i < work->thing_count; i++) {
        struct links wrote;

        if (!work->things[i].result)
            continue;
        wrote = links_from(&walk->writers, i);
        for (size_t j = 0; wrote.count <= MOST_WRITERS && j < wrote.count; j++)
            reach(walk, wrote.rows[j].to, 0);
    }
}

static void measure_side(struct comparing *work, int side)
{
    const struct role_side *tree = &work->alignment.sides[side];
    uint32_t count = work->runs[side].processes.count;
    struct walk walk = {.work = work, .side = side};

    walk.distance = xmalloc(count * sizeof *walk.distance);
    walk.queue = xmalloc(count * sizeof *walk.queue);
    for (uint32_t i = 0; i < count; i++)
        walk.distance[i] = DISTANCE_FAR;
    find_links(&walk);
    reach(&walk, work->result.first.process[side], 0);
    reach(&walk, work->result.fatal.process[side], 0);
    reach_writers(&walk);
    if (walk.end == 0)
        for (uint32_t i = 0; i < tree->images; i++)
            walk.distance[tree->order[i]] = 0;
    while (walk.first < walk.end)
        go_on(&walk, walk.queue[walk.first++]);
    work->distance[side] = walk.distance;
    free(walk.queue);
    free(walk.reads.rows);
    free(walk.writers.rows);
}

/* An image is as near as its partner, and its parts are as near as it is. */
void near_measure(struct comparing *work)
{
    measure_side(work, SIDE_A);
    measure_side(work, SIDE_B);
    for (uint32_t i = 0; i < work->alignment.pair_count; i++) {
        const uint32_t *process = work->alignment.pairs[i].process;
        uint32_t *a = &work->distance[SIDE_A][process[SIDE_A]];
        uint32_t *b = &work->distance[SIDE_B][process[SIDE_B]];

        if (*a < *b)
            *b = *a;
        else
            *a = *b;
    }
    for (int side = 0; side < SIDE_COUNT; side++)
        for (uint32_t i = 0; i < work->runs[side].processes.count; i++)
            work->distance[side][i] = work->distance[side][work->alignment.sides[side].image[i]];
}
