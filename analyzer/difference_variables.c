/* SPDX-License-Identifier: MIT
 *
 * Environment variables: of their values only hashes are known.
 */
#include "comparing.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum when_counted { COUNTED_NEVER, COUNTED_READ, COUNTED_GIVEN, COUNTED_ALWAYS };

static const struct {
    const char *pattern;
    enum when_counted when;
} session_variables[] = {
#define SESSION_VARIABLE(pattern, counts) {pattern, COUNTED_##counts},
#include "session_variables.def"
#undef SESSION_VARIABLE
};

/* FNV-1a, as the shim hashes values. */
static uint64_t hash_of(struct text value)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < value.length; i++)
        hash = (hash ^ (unsigned char)value.bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

struct variables {
    struct comparing *work;
    struct map blocks; /* two blocks that were compared */
    struct names read; /* those that a program read, by name */
    uint32_t *things;  /* -> what is known of it */
};

/* One variable that differs; NULL: that run does not have it. */
struct finding_of_variable {
    struct text name;
    const struct compared_variable *sides[SIDE_COUNT];
};

static struct text name_of(const struct comparing *work, int side,
                           const struct compared_variable *variable)
{
    return work->runs[side].subjects.rows[variable->subject].name;
}

static enum when_counted when_counted(struct text name)
{
    for (size_t i = 0; i < sizeof session_variables / sizeof *session_variables; i++)
        if (fnmatch(session_variables[i].pattern, name.bytes, 0) == 0)
            return session_variables[i].when;
    return COUNTED_ALWAYS;
}

/* Values that are the same by their names of any run: where the process works, the project, the
 * home folder, the user ... */
static bool is_same_place(const struct comparing *work, const struct role_pair *pair,
                          const struct finding_of_variable *found)
{
    const struct analysis *a = &work->runs[SIDE_A].header;
    const struct analysis *b = &work->runs[SIDE_B].header;
    const struct analysis_process *process_a = &a->processes[pair->process[SIDE_A]];
    const struct analysis_process *process_b = &b->processes[pair->process[SIDE_B]];
    const struct text values[][SIDE_COUNT] = {{process_a->cwd, process_b->cwd},
                                              {a->root, b->root},
                                              {a->home, b->home},
                                              {a->user, b->user},
                                              {a->host, b->host},
                                              {a->cwd, b->cwd},
                                              {process_a->exe, process_b->exe}};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i][SIDE_A].length && values[i][SIDE_B].length &&
            hash_of(values[i][SIDE_A]) == found->sides[SIDE_A]->hash &&
            hash_of(values[i][SIDE_B]) == found->sides[SIDE_B]->hash)
            return true;
    return false;
}

static void find_read(struct variables *variables)
{
    const struct comparing *work = variables->work;

    variables->things = xcalloc(work->thing_count, sizeof *variables->things);
    for (uint32_t i = 0; i < work->thing_count; i++) {
        const struct thing *thing = &work->things[i];

        if (thing->channel == CHANNEL_ENVIRONMENT)
            variables->things[names_add(&variables->read, thing->name.bytes, thing->name.length)] =
                i;
    }
}

/* NULL: no program was seen reading it. */
static const struct thing *use_of(const struct variables *variables, struct text name)
{
    uint32_t number = names_find(&variables->read, name.bytes, name.length);

    return number == MAP_NONE ? NULL : &variables->work->things[variables->things[number]];
}

/* The command was given it; otherwise the build has set it. */
static bool is_inherited(const struct comparing *work, const struct role_pair *pair)
{
    for (int side = 0; side < SIDE_COUNT; side++)
        if (work->alignment.sides[side].parent[pair->process[side]] == ANALYSIS_NONE)
            return true;
    return false;
}

/* Two checkouts differ in what the build itself sets to their paths. */
static bool same_places(const struct comparing *work)
{
    const struct places *a = &work->runs[SIDE_A].naming.places;
    const struct places *b = &work->runs[SIDE_B].naming.places;

    return a->root.length == b->root.length &&
           memcmp(a->root.bytes, b->root.bytes, a->root.length) == 0 &&
           a->home.length == b->home.length &&
           memcmp(a->home.bytes ? a->home.bytes : "", b->home.bytes ? b->home.bytes : "",
                  a->home.length) == 0;
}

static void report(struct variables *variables, const struct role_pair *pair,
                   const struct finding_of_variable *found)
{
    struct comparing *work = variables->work;
    const struct thing *use = use_of(variables, found->name);
    enum when_counted when = when_counted(found->name);
    bool inherited = is_inherited(work, pair);
    bool read = use != NULL;
    struct difference like = {
        .kind = DIFFERENCE_VARIABLE,
        .side = !found->sides[SIDE_B]   ? SIDE_A
                : !found->sides[SIDE_A] ? SIDE_B
                                        : SIDE_COUNT,
        .channel = CHANNEL_ENVIRONMENT,
        .group = read ? "variable" : "variables",
        .subject = read ? found->name : (struct text){"", 0},
        .inherited = inherited,
        .counts = (inherited || same_places(work)) &&
                  (when == COUNTED_ALWAYS || (when == COUNTED_READ && read) ||
                   (when == COUNTED_GIVEN && inherited)),
    };
    struct difference_member member = {.subject = found->name, .distance = DISTANCE_FAR};
    struct difference *difference = comparing_draft(work, &like);

    for (int side = 0; side < SIDE_COUNT; side++) {
        uint32_t process = pair->process[side];

        if (found->sides[side])
            member.actual[side] = found->name;
        if (read && use->sides[side].process != ANALYSIS_NONE)
            process = use->sides[side].process;
        comparing_add_process(work, difference, side, process);
        if (work->distance[side][process] < member.distance) {
            member.distance = work->distance[side][process];
            member.first = work->runs[side].header.processes[process].started;
        }
    }
    difference->later = false;
    comparing_add_member(work, difference, &member);
    names_add(&work->variables, found->name.bytes, found->name.length);
}

static void consider(struct variables *variables, const struct role_pair *pair,
                     const struct finding_of_variable *found)
{
    struct comparing *work = variables->work;

    if (names_find(&work->variables, found->name.bytes, found->name.length) != MAP_NONE)
        return;
    if (!found->sides[SIDE_A] || !found->sides[SIDE_B] || !is_same_place(work, pair, found))
        report(variables, pair, found);
}

static bool is_in_block(const struct compared_run *run, uint32_t at, int64_t block)
{
    return at < run->variable_count && run->variables[at].block == block;
}

/* The variables of a block by name: subjects of two databases have other numbers. */
static void add_block(const struct comparing *work, int side, uint32_t at, struct names *names)
{
    const struct compared_run *run = &work->runs[side];
    int64_t block = run->variables[at].block;

    for (; is_in_block(run, at, block); at++) {
        struct text name = name_of(work, side, &run->variables[at]);

        names_add(names, name.bytes, name.length);
    }
}

static void compare_blocks(struct variables *variables, const struct role_pair *pair,
                           const uint32_t start[SIDE_COUNT])
{
    struct comparing *work = variables->work;
    const struct compared_run *runs = work->runs;
    struct names names[SIDE_COUNT] = {{0}, {0}};

    for (int side = 0; side < SIDE_COUNT; side++)
        add_block(work, side, start[side], &names[side]);
    for (int side = 0; side < SIDE_COUNT; side++) {
        int64_t block = runs[side].variables[start[side]].block;

        for (uint32_t at = start[side]; is_in_block(&runs[side], at, block); at++) {
            struct finding_of_variable found = {name_of(work, side, &runs[side].variables[at]),
                                                {NULL, NULL}};
            uint32_t other = names_find(&names[!side], found.name.bytes, found.name.length);

            found.sides[side] = &runs[side].variables[at];
            if (other != MAP_NONE)
                found.sides[!side] = &runs[!side].variables[start[!side] + other];
            if (other == MAP_NONE ||
                (side == SIDE_A && found.sides[SIDE_A]->has_hash && found.sides[SIDE_B]->has_hash &&
                 found.sides[SIDE_A]->hash != found.sides[SIDE_B]->hash))
                consider(variables, pair, &found);
        }
    }
    names_fini(&names[SIDE_A]);
    names_fini(&names[SIDE_B]);
}

static void compare_pair(struct variables *variables, const struct role_pair *pair)
{
    const struct comparing *work = variables->work;
    uint32_t start[SIDE_COUNT];
    int64_t blocks[SIDE_COUNT];
    uint32_t *seen;

    for (int side = 0; side < SIDE_COUNT; side++) {
        const struct analysis_process *process =
            &work->runs[side].header.processes[pair->process[side]];

        if (!process->has_environment)
            return;
        blocks[side] = process->environment;
        start[side] =
            map_get(&work->runs[side].blocks, (struct map_key){0, (uint64_t)blocks[side]});
        if (start[side] == MAP_NONE)
            return;
    }
    seen = map_slot(&variables->blocks, (struct map_key){start[SIDE_A], start[SIDE_B]});
    if (blocks[SIDE_A] == blocks[SIDE_B] || *seen != MAP_NONE)
        return;
    *seen = 0;
    compare_blocks(variables, pair, start);
}

/* Parents come before their children, so that a variable is told of where it first differs. */
void variables_compare(struct comparing *work)
{
    struct variables variables = {.work = work};

    find_read(&variables);
    for (uint32_t i = 0; i < work->alignment.pair_count; i++)
        compare_pair(&variables, &work->alignment.pairs[i]);
    map_fini(&variables.blocks);
    names_fini(&variables.read);
    free(variables.things);
}
