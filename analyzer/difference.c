/* SPDX-License-Identifier: MIT */
#include "difference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "comparing.h"
#include "memory.h"
#include "tallyman/status.h"

static const struct {
    const char *name;
    bool follows;
    const char *one, *both;
} kinds[] = {
#define DIFFERENCE(id, name, follows, one, both) [DIFFERENCE_##id] = {name, follows, one, both},
#include "differences.def"
#undef DIFFERENCE
};

const char *difference_name(enum difference_kind kind)
{
    return kinds[kind].name;
}

bool difference_follows(enum difference_kind kind)
{
    return kinds[kind].follows;
}

void difference_add_title(const struct difference *difference, struct buffer *out)
{
    const char *letters[] = {"A", "B"};
    const char *text =
        difference->side == SIDE_COUNT ? kinds[difference->kind].both : kinds[difference->kind].one;
    int side = difference->side == SIDE_B ? SIDE_B : SIDE_A;

    for (const char *mark; (mark = strstr(text, "%s")); side = !side, text = mark + 2) {
        buffer_add(out, text, (size_t)(mark - text));
        buffer_add_text(out, letters[side]);
    }
    buffer_add_text(out, text);
}

void difference_add_end(const struct comparison *comparison, int side, uint32_t process,
                        struct buffer *out)
{
    const struct analysis_process *end = near_end(comparison->work, side, process);

    if (end->signal > 0)
        buffer_printf(out, "signal %" PRId64, end->signal);
    else if (end->exit_status >= 0)
        buffer_printf(out, "exit status %" PRId64, end->exit_status);
    else
        buffer_add_text(out, "end not known");
}

/* --- drafts ---------------------------------------------------------------------------------- */

struct text comparing_copy(struct comparing *work, const struct buffer *text)
{
    return (struct text){memory_copy(work->memory, text->data ? text->data : "", text->length),
                         text->length};
}

static struct text copy(struct comparing *work, struct text text)
{
    if (text.bytes)
        text.bytes = memory_copy(work->memory, text.bytes, text.length);
    return text;
}

static void add_key(const struct difference *like, struct buffer *key)
{
    buffer_printf(key, "%d %d %d %d %d %s", like->kind, like->side, like->channel, like->counts,
                  like->inherited, like->group);
    buffer_add_char(key, '\0');
    buffer_add(key, like->subject.bytes, like->subject.length);
    for (int side = 0; side < SIDE_COUNT; side++) {
        buffer_add_char(key, '\0');
        if (like->value[side].bytes)
            buffer_add(key, like->value[side].bytes, like->value[side].length);
    }
}

struct difference *comparing_find(struct comparing *work, const struct difference *like)
{
    cleanup_buffer struct buffer key = BUFFER_INIT;
    uint32_t number;

    add_key(like, &key);
    number = names_find(&work->drafts, key.data, key.length);
    return number == MAP_NONE ? NULL : &work->result.differences[number];
}

struct difference *comparing_draft(struct comparing *work, const struct difference *like)
{
    cleanup_buffer struct buffer key = BUFFER_INIT;
    struct comparison *result = &work->result;
    struct difference *difference;
    uint32_t number;

    add_key(like, &key);
    number = names_find(&work->drafts, key.data, key.length);
    if (number != MAP_NONE)
        return &result->differences[number];
    number = names_add(&work->drafts, memory_copy(work->memory, key.data, key.length), key.length);
    if ((number & (number - 1)) == 0)
        result->differences = xrealloc(result->differences,
                                       (number ? number * 2ul : 1ul) * sizeof *result->differences);
    difference = &result->differences[number];
    *difference = *like;
    difference->subject = copy(work, like->subject);
    for (int side = 0; side < SIDE_COUNT; side++) {
        difference->value[side] = copy(work, like->value[side]);
        difference->process[side] = ANALYSIS_NONE;
    }
    difference->distance = DISTANCE_FAR;
    difference->later = true;
    result->difference_count = work->drafts.count;
    return difference;
}

void comparing_add_member(struct comparing *work, struct difference *difference,
                          const struct difference_member *member)
{
    size_t count = difference->member_count++;

    (void)work;
    if ((count & (count - 1)) == 0)
        difference->members =
            xrealloc(difference->members, (count ? count * 2 : 1) * sizeof *difference->members);
    difference->members[count] = *member;
    if (member->distance < difference->distance)
        difference->distance = member->distance;
}

void comparing_add_process(struct comparing *work, struct difference *difference, int side,
                           uint32_t process)
{
    uint32_t distance = work->distance[side][process];

    difference->processes[side]++;
    if (difference->process[side] == ANALYSIS_NONE ||
        distance < work->distance[side][difference->process[side]])
        difference->process[side] = process;
    if (distance < difference->distance)
        difference->distance = distance;
}

/* --- order ----------------------------------------------------------------------------------- */

static int compare_texts(struct text one, struct text other)
{
    size_t length = one.length < other.length ? one.length : other.length;
    int order = length ? memcmp(one.bytes, other.bytes, length) : 0;

    return order ? order : (one.length > other.length) - (one.length < other.length);
}

static int compare_members(const void *one, const void *other)
{
    const struct difference_member *a = one;
    const struct difference_member *b = other;

    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return compare_texts(a->subject, b->subject);
}

static int64_t first_time(const struct difference *difference)
{
    return difference->member_count ? difference->members[0].first : INT64_MAX;
}

/* What counts before what does not, causes before consequences, near before far. */
static int compare_differences(const void *one, const void *other)
{
    const struct difference *a = one;
    const struct difference *b = other;

    if (a->counts != b->counts)
        return a->counts ? -1 : 1;
    if (a->later != b->later)
        return a->later ? 1 : -1;
    if (kinds[a->kind].follows != kinds[b->kind].follows)
        return kinds[a->kind].follows ? 1 : -1;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (first_time(a) != first_time(b))
        return first_time(a) < first_time(b) ? -1 : 1;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    return compare_texts(a->subject, b->subject);
}

static void sort(struct comparison *result)
{
    for (size_t i = 0; i < result->difference_count; i++)
        if (result->differences[i].member_count)
            qsort(result->differences[i].members, result->differences[i].member_count,
                  sizeof *result->differences[i].members, compare_members);
    if (result->difference_count)
        qsort(result->differences, result->difference_count, sizeof *result->differences,
              compare_differences);
}

/* --- the whole ------------------------------------------------------------------------------- */

static bool commands_differ(const struct comparing *work)
{
    struct buffer arguments[] = {BUFFER_INIT, BUFFER_INIT};
    bool differ;

    for (int side = 0; side < SIDE_COUNT; side++) {
        struct analysis_process process = {.argv = work->runs[side].header.argv, .exe = {"", 0}};
        struct role_run run = {&process, 1, &work->runs[side].naming};

        role_add_arguments(&run, 0, NAMING_LOOSE, &arguments[side]);
    }
    differ = arguments[SIDE_A].length != arguments[SIDE_B].length ||
             memcmp(arguments[SIDE_A].data, arguments[SIDE_B].data, arguments[SIDE_A].length) != 0;
    buffer_fini(&arguments[SIDE_A]);
    buffer_fini(&arguments[SIDE_B]);
    return differ;
}

static void compare_runs(struct comparing *work)
{
    struct comparison *result = &work->result;
    const struct analysis *a = &work->runs[SIDE_A].header;
    const struct analysis *b = &work->runs[SIDE_B].header;
    struct role_run runs[SIDE_COUNT];

    for (int side = 0; side < SIDE_COUNT; side++) {
        result->runs[side] = &work->runs[side].header;
        result->naming[side] = &work->runs[side].naming;
        runs[side] = (struct role_run){work->runs[side].header.processes,
                                       work->runs[side].processes.count, &work->runs[side].naming};
    }
    compared_run_find_random_names(&work->runs[SIDE_A], &work->runs[SIDE_B]);
    compared_run_find_random_names(&work->runs[SIDE_B], &work->runs[SIDE_A]);
    compared_run_forget_draws(&work->runs[SIDE_A]);
    compared_run_forget_draws(&work->runs[SIDE_B]);
    result->command_differs = commands_differ(work);
    result->status_differs = a->exit_status != b->exit_status || a->signal != b->signal;
    alignment_make(&work->alignment, &runs[SIDE_A], &runs[SIDE_B]);
    things_gather(work);
    things_find_results(work);
    near_find_failure(work);
    near_measure(work);
    things_measure(work);
    processes_compare(work);
    variables_compare(work);
    things_compare(work);
    users_compare(work);
    sort(result);
}

static int load(struct comparing *work, int side, sqlite3 *db, int64_t run, struct buffer *why)
{
    int result = compared_run_load(&work->runs[side], db, run, work->result.witness_differs);

    if (result == TALLY_ERR_NOT_FOUND)
        buffer_printf(why, "there is no run %" PRId64, run);
    else if (result != 0)
        buffer_printf(why, "cannot read run %" PRId64 ": %s", run, sqlite3_errmsg(db));
    return result;
}

static int find_witnesses(struct comparing *work, sqlite3 *const databases[SIDE_COUNT],
                          const int64_t runs[SIDE_COUNT])
{
    struct buffer witnesses[] = {BUFFER_INIT, BUFFER_INIT};
    int result = 0;

    for (int side = 0; side < SIDE_COUNT && result == 0; side++)
        result = compared_run_witness(databases[side], runs[side], &witnesses[side]);
    work->result.witness_differs =
        result == 0 &&
        compare_texts((struct text){witnesses[SIDE_A].data, witnesses[SIDE_A].length},
                      (struct text){witnesses[SIDE_B].data, witnesses[SIDE_B].length}) != 0;
    buffer_fini(&witnesses[SIDE_A]);
    buffer_fini(&witnesses[SIDE_B]);
    return result;
}

struct comparison *comparison_make(sqlite3 *db_a, int64_t a, sqlite3 *db_b, int64_t b,
                                   struct buffer *why)
{
    sqlite3 *const databases[SIDE_COUNT] = {db_a, db_b};
    const int64_t runs[SIDE_COUNT] = {a, b};
    struct comparing *work = xcalloc(1, sizeof *work);
    int result;

    work->memory = memory_new();
    work->result.work = work;
    result = find_witnesses(work, databases, runs);
    if (result != 0)
        buffer_printf(why, "cannot read the runs: %s", tally_strstatus(result));
    for (int side = 0; side < SIDE_COUNT && result == 0; side++)
        result = load(work, side, databases[side], runs[side], why);
    if (result == 0) {
        compare_runs(work);
        return &work->result;
    }
    comparison_free(&work->result);
    return NULL;
}

void comparison_free(struct comparison *comparison)
{
    struct comparing *work = comparison ? comparison->work : NULL;

    if (!work)
        return;
    for (size_t i = 0; i < comparison->difference_count; i++)
        free(comparison->differences[i].members);
    free(comparison->differences);
    alignment_fini(&work->alignment);
    for (int side = 0; side < SIDE_COUNT; side++) {
        free(work->thing_of[side]);
        free(work->distance[side]);
        compared_run_fini(&work->runs[side]);
    }
    free(work->things);
    names_fini(&work->drafts);
    names_fini(&work->programs);
    names_fini(&work->variables);
    memory_free(work->memory);
    free(work);
}

bool comparison_differs(const struct comparison *comparison)
{
    if (comparison->command_differs || comparison->status_differs)
        return true;
    return comparison->difference_count && comparison->differences[0].counts;
}

bool comparison_is_proven(const struct comparison *comparison, const struct difference *difference)
{
    if (difference->side == SIDE_COUNT)
        return true;
    return comparison->runs[!difference->side]->complete;
}
