/* SPDX-License-Identifier: MIT
 *
 * Files, hosts and values that the runs used: what only one of them did, or found.
 */
#include "comparing.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "group.h"
#include "memory.h"
#include "operation.h"

static bool is_there(const struct thing_side *side)
{
    return (side->bits & USED_THERE) != 0;
}

static bool is_changed(const struct thing_side *side)
{
    return side->own || (side->bits & USED_CHANGED);
}

static bool is_used(const struct thing_side *side)
{
    return side->bits || side->own;
}

/* --- gathering ------------------------------------------------------------------------------- */

/* Two names of one file are one thing where they differ by links among the folders alone. */
static struct text name_of(const struct compared_run *run, uint32_t subject)
{
    const struct subject *row = &run->subjects.rows[subject];

    if (row->channel == CHANNEL_FILESYSTEM && row->resolved != MAP_NONE &&
        path_same_last_name(row->name, run->subjects.rows[row->resolved].name))
        return run->subjects.rows[row->resolved].name;
    return row->name;
}

static uint32_t add_thing(struct comparing *work, struct names *names, enum channel channel,
                          const struct buffer *key)
{
    uint32_t number = names_find(names, key->data, key->length);
    const char *copy;

    if (number != MAP_NONE)
        return number;
    copy = memory_copy(work->memory, key->data, key->length);
    number = names_add(names, copy, key->length);
    if ((number & (number - 1)) == 0)
        work->things = xrealloc(work->things, (number ? number * 2ul : 1ul) * sizeof *work->things);
    work->things[number] = (struct thing){.name = {copy + 1, key->length - 1}, .channel = channel};
    for (int side = 0; side < SIDE_COUNT; side++)
        work->things[number].sides[side] = (struct thing_side){.subject = MAP_NONE,
                                                               .process = ANALYSIS_NONE,
                                                               .distance = DISTANCE_FAR,
                                                               .first = INT64_MAX};
    work->thing_count = (uint32_t)names->count;
    return number;
}

/* Names that a run used, as they are. */
struct known {
    struct names names[SIDE_COUNT];
};

static void find_known(const struct comparing *work, struct known *known)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        const struct compared_run *run = &work->runs[side];

        for (uint32_t i = 0; i < run->subjects.count; i++) {
            struct text name = name_of(run, i);

            if (run->used[i])
                names_add(&known->names[side], name.bytes, name.length);
        }
    }
}

/* What lies in the home folder of one run can be a place like any other to the other run. Where
 * that one used it by the same name, it is the same thing. */
static void add_name(const struct comparing *work, const struct known *known, int side,
                     struct text name, struct buffer *out)
{
    cleanup_buffer struct buffer one = BUFFER_INIT;
    cleanup_buffer struct buffer other = BUFFER_INIT;
    enum naming_level level = NAMING_PLACES;

    naming_add(&work->runs[side].naming, name, NAMING_PLACES, &one);
    if (names_find(&known->names[!side], name.bytes, name.length) != MAP_NONE) {
        naming_add(&work->runs[!side].naming, name, NAMING_PLACES, &other);
        if (one.length != other.length || memcmp(one.data, other.data, one.length) != 0)
            level = NAMING_EXACT;
    }
    if (level == NAMING_PLACES)
        buffer_add(out, one.data, one.length);
    else
        naming_add(&work->runs[side].naming, name, level, out);
}

struct gathering {
    struct comparing *work;
    struct names names; /* of things */
    struct known known;
};

static uint32_t thing_of_subject(struct gathering *gathering, int side, uint32_t subject)
{
    struct comparing *work = gathering->work;
    const struct compared_run *run = &work->runs[side];
    cleanup_buffer struct buffer key = BUFFER_INIT;

    if (work->thing_of[side][subject] != MAP_NONE)
        return work->thing_of[side][subject];
    buffer_add_char(&key, (char)('0' + run->subjects.rows[subject].channel));
    add_name(work, &gathering->known, side, name_of(run, subject), &key);
    return work->thing_of[side][subject] =
               add_thing(work, &gathering->names, run->subjects.rows[subject].channel, &key);
}

static int rank(unsigned char kind)
{
    static const int ranks[] = {
        [ACCESS_LOOK] = 1, [ACCESS_QUERY] = 1,   [ACCESS_LIST] = 2,
        [ACCESS_READ] = 3, [ACCESS_EXECUTE] = 4, [ACCESS_WRITE] = 0,
    };

    return ranks[operation_class((enum event_kind)kind)];
}

static void add_use(struct gathering *gathering, int side, const struct compared_use *use)
{
    struct comparing *work = gathering->work;
    const struct compared_run *run = &work->runs[side];
    uint32_t number = thing_of_subject(gathering, side, use->subject);
    struct thing *thing = &work->things[number];
    struct thing_side *part = &thing->sides[side];

    if (part->subject == MAP_NONE) {
        part->subject = use->subject;
        part->kind = use->kind;
    }
    if (thing->channel == CHANNEL_FILESYSTEM && compared_run_is_passing(run, use->subject))
        thing->passing = true;
    if (use->bits & USED_OWN) {
        /* What it does not find in a folder of its own, it has not made. */
        part->own = part->own || !(use->bits & USED_ABSENT);
        return;
    }
    part->bits |= use->bits;
    if (use->first < part->first)
        part->first = use->first;
    if (rank(use->kind) > rank(part->kind))
        part->kind = use->kind;
}

void things_gather(struct comparing *work)
{
    struct gathering gathering = {.work = work};

    find_known(work, &gathering.known);
    for (int side = 0; side < SIDE_COUNT; side++) {
        const struct compared_run *run = &work->runs[side];

        work->thing_of[side] = xmalloc(run->subjects.count * sizeof *work->thing_of[side]);
        for (uint32_t i = 0; i < run->subjects.count; i++)
            work->thing_of[side][i] = MAP_NONE;
        for (size_t i = 0; i < run->use_count; i++)
            add_use(&gathering, side, &run->uses[i]);
    }
    names_fini(&gathering.names);
    names_fini(&gathering.known.names[SIDE_A]);
    names_fini(&gathering.known.names[SIDE_B]);
}

void things_measure(struct comparing *work)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        const struct compared_run *run = &work->runs[side];

        for (size_t i = 0; i < run->use_count; i++) {
            const struct compared_use *use = &run->uses[i];
            struct thing *thing = &work->things[work->thing_of[side][use->subject]];
            struct thing_side *part = &thing->sides[side];
            uint32_t distance = work->distance[side][use->process];

            if (part->process == ANALYSIS_NONE || distance < part->distance) {
                part->process = use->process;
                part->distance = distance;
            }
        }
    }
}

/* --- comparing ------------------------------------------------------------------------------- */

/* The kind of difference, and the side that has it; DIFFERENCE_KIND_COUNT: none. A variable that is
 * there for one process and not for another was set by the build. */
static enum difference_kind kind_of(const struct thing *thing, int *side)
{
    for (*side = 0; *side < SIDE_COUNT; ++*side) {
        const struct thing_side *one = &thing->sides[*side];
        const struct thing_side *other = &thing->sides[!*side];
        bool neither = !is_there(other) && !is_changed(other);

        if (thing->channel == CHANNEL_ENVIRONMENT && (one->bits & USED_ABSENT) && is_used(other))
            return DIFFERENCE_KIND_COUNT;
        if (is_there(one) && !is_there(other) && (other->bits & USED_ABSENT))
            return DIFFERENCE_MISSING;
        if ((is_there(one) || is_changed(one)) && neither && (other->bits & USED_REFUSED))
            return DIFFERENCE_REFUSED;
    }
    for (*side = 0; *side < SIDE_COUNT; ++*side) {
        const struct thing_side *one = &thing->sides[*side];
        const struct thing_side *other = &thing->sides[!*side];

        if (is_changed(one) && !is_changed(other))
            return DIFFERENCE_MADE;
        if (is_there(one) && !is_used(other))
            return DIFFERENCE_USE;
        if ((one->bits & USED_CONTENT) && !(other->bits & USED_CONTENT) && !is_changed(one))
            return DIFFERENCE_USE;
        if (is_used(one) && !is_used(other))
            return DIFFERENCE_PROBE;
    }
    return DIFFERENCE_KIND_COUNT;
}

static enum finding_class class_for(enum difference_kind kind)
{
    if (kind == DIFFERENCE_PROBE)
        return FINDING_PROBE;
    return kind == DIFFERENCE_MADE || kind == DIFFERENCE_OUTPUT ? FINDING_WRITE : FINDING_READ;
}

static struct text package_of(const struct comparing *work, const struct thing *thing, int side)
{
    uint32_t subject = thing->sides[side].subject;
    const struct compared_run *run = &work->runs[side];
    struct text package = {"", 0};

    if (subject == MAP_NONE)
        return package;
    if (run->subjects.rows[subject].package.length)
        return run->subjects.rows[subject].package;
    subject = run->subjects.rows[subject].resolved;
    if (subject != MAP_NONE && run->subjects.rows[subject].package.length)
        package = run->subjects.rows[subject].package;
    return package;
}

static bool is_later(const struct comparing *work, const struct thing *thing, int side)
{
    for (int i = 0; i < SIDE_COUNT; i++)
        if ((side == SIDE_COUNT || side == i) && thing->sides[i].subject != MAP_NONE &&
            thing->sides[i].first <= work->cut[i])
            return false;
    return true;
}

static void add_to(struct comparing *work, struct difference *difference, struct thing *thing,
                   bool later)
{
    struct difference_member member = {
        .subject = thing->name, .first = INT64_MAX, .distance = DISTANCE_FAR};

    thing->different = (uint32_t)(difference - work->result.differences) + 1;
    for (int side = 0; side < SIDE_COUNT; side++) {
        const struct thing_side *part = &thing->sides[side];

        if (part->subject == MAP_NONE)
            continue;
        member.actual[side] = work->runs[side].subjects.rows[part->subject].name;
        if (difference->side != !side && part->first < member.first)
            member.first = part->first;
        if (part->distance < member.distance)
            member.distance = part->distance;
        if (part->process != ANALYSIS_NONE &&
            (difference->process[side] == ANALYSIS_NONE ||
             part->distance < work->distance[side][difference->process[side]]))
            difference->process[side] = part->process;
    }
    if (member.distance < difference->distance)
        difference->distance = member.distance;
    difference->later = difference->later && later;
    comparing_add_member(work, difference, &member);
}

/* Which difference a thing belongs to, by the group that it would be in on the side that has it. */
static struct difference like_for(struct comparing *work, const struct thing *thing,
                                  enum difference_kind kind, int side, struct buffer *name)
{
    int from = side < SIDE_COUNT ? side : SIDE_A;
    const struct thing_side *part = &thing->sides[from];
    const struct compared_run *run = &work->runs[from];
    struct text subject = name_of(run, part->subject);
    enum event_kind event = (enum event_kind)part->kind;
    enum channel channel = group_channel(event, subject);
    struct group group = group_of(&run->naming.places, channel, event, class_for(kind), subject,
                                  package_of(work, thing, from));
    struct difference difference = {
        .kind = kind, .side = side, .channel = channel, .group = group.kind, .counts = true};

    naming_add(&run->naming, group.name, NAMING_PLACES, name);
    difference.subject = (struct text){name->data ? name->data : "", name->length};
    if (side < SIDE_COUNT && strcmp(group.kind, "package") == 0)
        difference.value[side] = package_of(work, thing, from);
    return difference;
}

/* The rest of a package of which something is missing. */
static struct difference *rest_of_missing(struct comparing *work, const struct difference *like)
{
    struct difference missing = *like;

    if (like->kind != DIFFERENCE_USE || strcmp(like->group, "package") != 0)
        return NULL;
    missing.kind = DIFFERENCE_MISSING;
    return comparing_find(work, &missing);
}

static void report(struct comparing *work, struct thing *thing, enum difference_kind kind, int side)
{
    cleanup_buffer struct buffer name = BUFFER_INIT;
    struct difference like = like_for(work, thing, kind, side, &name);
    struct difference *difference = rest_of_missing(work, &like);

    if (!difference)
        difference = comparing_draft(work, &like);
    add_to(work, difference, thing, is_later(work, thing, side));
}

static struct text name_of_package(struct text package)
{
    const char *space = package.length ? memchr(package.bytes, ' ', package.length) : NULL;

    if (space)
        package.length = (size_t)(space - package.bytes);
    return package;
}

static bool same(struct text one, struct text other)
{
    return one.length == other.length && memcmp(one.bytes, other.bytes, one.length) == 0;
}

/* A run of a machine without a database of packages has no versions to compare. */
static bool compare_packages(struct comparing *work, struct thing *thing)
{
    struct text packages[] = {package_of(work, thing, SIDE_A), package_of(work, thing, SIDE_B)};
    struct difference difference = {.kind = DIFFERENCE_VERSION,
                                    .side = SIDE_COUNT,
                                    .channel = CHANNEL_FILESYSTEM,
                                    .group = "package",
                                    .subject = name_of_package(packages[SIDE_A]),
                                    .value = {packages[SIDE_A], packages[SIDE_B]},
                                    .counts = true};

    if (!packages[SIDE_A].length || !packages[SIDE_B].length ||
        same(packages[SIDE_A], packages[SIDE_B]))
        return false;
    add_to(work, comparing_draft(work, &difference), thing, is_later(work, thing, SIDE_COUNT));
    return true;
}

static bool contents_differ(const struct comparing *work, const struct thing *thing)
{
    return thing->channel == CHANNEL_FILESYSTEM &&
           compared_run_contents_differ(&work->runs[SIDE_A], thing->sides[SIDE_A].subject,
                                        &work->runs[SIDE_B], thing->sides[SIDE_B].subject);
}

void things_find_results(struct comparing *work)
{
    for (uint32_t i = 0; i < work->thing_count; i++) {
        struct thing *thing = &work->things[i];

        thing->result = is_changed(&thing->sides[SIDE_A]) && is_changed(&thing->sides[SIDE_B]) &&
                        contents_differ(work, thing);
    }
}

static void compare_contents(struct comparing *work, struct thing *thing)
{
    if (thing->result)
        report(work, thing, DIFFERENCE_OUTPUT, SIDE_COUNT);
    else if (contents_differ(work, thing))
        report(work, thing, DIFFERENCE_DIGEST, SIDE_COUNT);
}

/* Names that one run alone used, by their loose form: which of the runs have one of that form. */
struct strays {
    struct names names;
    unsigned char *sides;
};

static bool is_stray(const struct thing *thing, int *side)
{
    bool a = is_used(&thing->sides[SIDE_A]);
    bool b = is_used(&thing->sides[SIDE_B]);

    *side = a ? SIDE_A : SIDE_B;
    return a != b && !thing->passing;
}

/* The loose form, or the name as the run used it: what is the home folder to the one can be a place
 * like any other to the other. */
static void add_form(const struct comparing *work, const struct thing *thing, int side, bool loose,
                     struct buffer *out)
{
    const struct compared_run *run = &work->runs[side];
    struct text name = name_of(run, thing->sides[side].subject);

    buffer_printf(out, "%d %d ", thing->channel, loose);
    if (loose)
        naming_add(&run->naming, name, NAMING_LOOSE, out);
    else
        buffer_add(out, name.bytes, name.length);
}

static void add_stray(struct comparing *work, struct strays *strays, const struct thing *thing,
                      int side, bool loose)
{
    cleanup_buffer struct buffer key = BUFFER_INIT;
    size_t before = strays->names.count;
    uint32_t number;

    add_form(work, thing, side, loose, &key);
    number = names_find(&strays->names, key.data, key.length);
    if (number == MAP_NONE)
        number =
            names_add(&strays->names, memory_copy(work->memory, key.data, key.length), key.length);
    if (number == before) {
        if ((number & (number - 1)) == 0)
            strays->sides = xrealloc(strays->sides, number ? number * 2ul : 1ul);
        strays->sides[number] = 0;
    }
    strays->sides[number] |= (unsigned char)(1 << side);
}

static void gather_strays(struct comparing *work, struct strays *strays)
{
    for (uint32_t i = 0; i < work->thing_count; i++) {
        int side;

        if (!is_stray(&work->things[i], &side))
            continue;
        add_stray(work, strays, &work->things[i], side, true);
        add_stray(work, strays, &work->things[i], side, false);
    }
}

static bool has_form(const struct comparing *work, const struct strays *strays,
                     const struct thing *thing, int side, bool loose)
{
    cleanup_buffer struct buffer key = BUFFER_INIT;
    uint32_t number;

    add_form(work, thing, side, loose, &key);
    number = names_find(&strays->names, key.data, key.length);
    return number != MAP_NONE && strays->sides[number] == 3;
}

/* A name of one run alone whose other form the other run used. */
static bool is_matched(const struct comparing *work, const struct strays *strays,
                       const struct thing *thing)
{
    int side;

    return is_stray(thing, &side) && (has_form(work, strays, thing, side, true) ||
                                      has_form(work, strays, thing, side, false));
}

/* Told already: a variable, or a program that is at another place. */
static bool is_known(const struct comparing *work, const struct thing *thing)
{
    const struct names *names =
        thing->channel == CHANNEL_ENVIRONMENT ? &work->variables : &work->programs;

    return names_find(names, thing->name.bytes, thing->name.length) != MAP_NONE;
}

/* A look at a folder that the checkout or the home folder lies in: on the way to it, pwd does so.
 */
static bool is_way(const struct comparing *work, const struct thing *thing)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        const struct thing_side *part = &thing->sides[side];
        const struct places *places = &work->runs[side].naming.places;
        struct text name;

        if (part->bits & ~(unsigned)USED_LOOK)
            return false;
        if (part->subject == MAP_NONE)
            continue;
        name = name_of(&work->runs[side], part->subject);
        if (!path_is_within(places->root, name) &&
            !(places->home.length && path_is_within(places->home, name)))
            return false;
    }
    return thing->channel == CHANNEL_FILESYSTEM;
}

/* What is missing goes first, for the rest of its package joins it. */
static void compare(struct comparing *work, const struct strays *strays, bool missing)
{
    for (uint32_t i = 0; i < work->thing_count; i++) {
        struct thing *thing = &work->things[i];
        enum difference_kind kind;
        int side;

        if (thing->different || thing->passing || is_known(work, thing) || is_way(work, thing))
            continue;
        kind = kind_of(thing, &side);
        if ((kind == DIFFERENCE_MISSING) != missing)
            continue;
        if (kind == DIFFERENCE_KIND_COUNT) {
            if (!compare_packages(work, thing))
                compare_contents(work, thing);
        } else if (!is_matched(work, strays, thing)) {
            report(work, thing, kind, side);
        }
    }
}

/* A process that used several things of one difference counts once: its uses follow each other. */
static void count_processes(struct comparing *work, int side)
{
    const struct compared_run *run = &work->runs[side];
    size_t count = work->result.difference_count;
    cleanup_free uint32_t *last = xmalloc(count * sizeof *last);

    for (size_t i = 0; i < count; i++)
        last[i] = ANALYSIS_NONE;
    for (size_t i = 0; i < run->use_count; i++) {
        const struct compared_use *use = &run->uses[i];
        uint32_t number = work->things[work->thing_of[side][use->subject]].different;

        if (number == 0 || last[number - 1] == use->process)
            continue;
        last[number - 1] = use->process;
        work->result.differences[number - 1].processes[side]++;
    }
}

void things_compare(struct comparing *work)
{
    struct strays strays = {0};

    gather_strays(work, &strays);
    compare(work, &strays, true);
    compare(work, &strays, false);
    count_processes(work, SIDE_A);
    count_processes(work, SIDE_B);
    names_fini(&strays.names);
    free(strays.sides);
}
