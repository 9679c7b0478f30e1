/* SPDX-License-Identifier: MIT
 *
 * Processes: other programs, other arguments, other ends, and those without a partner.
 */
#include "comparing.h"

#include <inttypes.h>
#include <string.h>

#include "memory.h"
#include "quote.h"

#define MOST_WORDS   6
#define COMMAND_SIZE 240

static const struct analysis_process *process_at(const struct comparing *work, int side,
                                                 uint32_t process)
{
    return &work->runs[side].header.processes[process];
}

static struct text named(struct comparing *work, int side, struct text name)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;

    naming_add(&work->runs[side].naming, name, NAMING_PLACES, &text);
    return comparing_copy(work, &text);
}

static bool same(struct text one, struct text other)
{
    return one.length == other.length && memcmp(one.bytes, other.bytes, one.length) == 0;
}

static void report_pair(struct comparing *work, const struct role_pair *pair,
                        struct difference *like)
{
    struct difference *difference;

    like->side = SIDE_COUNT;
    like->channel = CHANNEL_NONE;
    like->group = "program";
    like->subject = analysis_program(process_at(work, SIDE_A, pair->process[SIDE_A]));
    like->counts = true;
    difference = comparing_draft(work, like);
    difference->later = false;
    for (int side = 0; side < SIDE_COUNT; side++)
        comparing_add_process(work, difference, side, pair->process[side]);
}

static void compare_programs(struct comparing *work, const struct role_pair *pair)
{
    struct difference like = {.kind = DIFFERENCE_PROGRAM};

    struct text exe[SIDE_COUNT];

    for (int side = 0; side < SIDE_COUNT; side++) {
        exe[side] = process_at(work, side, pair->process[side])->exe;
        if (!exe[side].length)
            return;
        like.value[side] = named(work, side, exe[side]);
    }
    if (same(exe[SIDE_A], exe[SIDE_B]) || same(like.value[SIDE_A], like.value[SIDE_B]))
        return;
    for (int side = 0; side < SIDE_COUNT; side++)
        names_add(&work->programs, like.value[side].bytes, like.value[side].length);
    report_pair(work, pair, &like);
}

/* The arguments of one process in two forms, word by word: a place can be the home folder to one
 * run and a place like any other to the other. */
struct words {
    struct buffer exact, loose;
    struct names exact_names, loose_names;
};

static void add_words(struct names *names, const struct buffer *arguments)
{
    for (size_t at = 0, length; at < arguments->length; at += length + 1) {
        length = strlen(arguments->data + at);
        names_add(names, arguments->data + at, length);
    }
}

static void words_init(struct words *words, const struct role_run *run, uint32_t process)
{
    *words = (struct words){.exact = BUFFER_INIT};
    role_add_arguments(run, process, NAMING_EXACT, &words->exact);
    role_add_arguments(run, process, NAMING_LOOSE, &words->loose);
    add_words(&words->exact_names, &words->exact);
    add_words(&words->loose_names, &words->loose);
}

static void words_fini(struct words *words)
{
    buffer_fini(&words->exact);
    buffer_fini(&words->loose);
    names_fini(&words->exact_names);
    names_fini(&words->loose_names);
}

/* The words that the other one does not have; more of them are "…". */
static struct text other_words(struct comparing *work, const struct words *words,
                               const struct words *others)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;
    size_t count = 0, exact = 0, loose = 0;

    while (loose < words->loose.length) {
        const char *word = words->loose.data + loose;
        const char *same_word = words->exact.data + exact;

        if (loose > 0 && names_find(&others->loose_names, word, strlen(word)) == MAP_NONE &&
            names_find(&others->exact_names, same_word, strlen(same_word)) == MAP_NONE &&
            count++ <= MOST_WORDS) {
            buffer_add_text(&text, count > 1 ? " " : "");
            buffer_add_text(&text, count <= MOST_WORDS ? word : "…");
        }
        loose += strlen(word) + 1;
        exact += strlen(same_word) + 1;
    }
    return comparing_copy(work, &text);
}

static void compare_arguments(struct comparing *work, const struct role_pair *pair)
{
    struct difference like = {.kind = DIFFERENCE_ARGUMENTS};
    struct words words[SIDE_COUNT];

    for (int side = 0; side < SIDE_COUNT; side++)
        words_init(&words[side], &work->alignment.runs[side], pair->process[side]);
    for (int side = 0; side < SIDE_COUNT; side++)
        like.value[side] = other_words(work, &words[side], &words[!side]);
    if (like.value[SIDE_A].length || like.value[SIDE_B].length)
        report_pair(work, pair, &like);
    words_fini(&words[SIDE_A]);
    words_fini(&words[SIDE_B]);
}

static void compare_ends(struct comparing *work, const struct role_pair *pair)
{
    struct difference like = {.kind = DIFFERENCE_STATUS};

    if (!near_ends_differ(work, pair))
        return;
    for (int side = 0; side < SIDE_COUNT; side++) {
        cleanup_buffer struct buffer text = BUFFER_INIT;

        difference_add_end(&work->result, side, pair->process[side], &text);
        like.value[side] = comparing_copy(work, &text);
    }
    report_pair(work, pair, &like);
}

/* The command as it would be in any run, cut. */
static struct text command_of(struct comparing *work, int side, uint32_t process)
{
    cleanup_buffer struct buffer arguments = BUFFER_INIT;
    cleanup_buffer struct buffer text = BUFFER_INIT;

    role_add_arguments(&work->alignment.runs[side], process, NAMING_PLACES, &arguments);
    for (size_t at = 0, length; at < arguments.length && text.length < COMMAND_SIZE;
         at += length + 1) {
        length = strlen(arguments.data + at);
        buffer_add_text(&text, at ? " " : "");
        buffer_add(&text, arguments.data + at, length);
    }
    if (text.length > COMMAND_SIZE) {
        text.length = COMMAND_SIZE;
        buffer_add_text(&text, "…");
    }
    return comparing_copy(work, &text);
}

/* Only the topmost: what it calls has no partner because it has none. */
static void report_alone(struct comparing *work, int side, uint32_t image)
{
    const struct role_side *tree = &work->alignment.sides[side];
    const struct analysis_process *process = process_at(work, side, image);
    uint32_t parent = tree->parent[image];
    struct difference like = {.kind = DIFFERENCE_PROCESS,
                              .side = side,
                              .channel = CHANNEL_NONE,
                              .group = "program",
                              .subject = analysis_program(process),
                              .counts = true};
    struct difference_member member = {.subject = command_of(work, side, image),
                                       .first = process->started,
                                       .distance = work->distance[side][image]};
    struct difference *difference;

    if (parent != ANALYSIS_NONE && tree->partner[parent] == ANALYSIS_NONE)
        return;
    member.actual[side] = process->command;
    difference = comparing_draft(work, &like);
    if (process->started <= work->cut[side])
        difference->later = false;
    comparing_add_process(work, difference, side, image);
    comparing_add_member(work, difference, &member);
}

void processes_compare(struct comparing *work)
{
    const struct alignment *alignment = &work->alignment;

    for (uint32_t i = 0; i < alignment->pair_count; i++) {
        const struct role_pair *pair = &alignment->pairs[i];

        compare_programs(work, pair);
        if (pair->kinship != ROLE_SAME)
            compare_arguments(work, pair);
        compare_ends(work, pair);
        if (strcmp(process_at(work, SIDE_A, pair->process[SIDE_A])->shim,
                   process_at(work, SIDE_B, pair->process[SIDE_B])->shim) != 0)
            work->result.watched_differently++;
    }
    for (int side = 0; side < SIDE_COUNT; side++) {
        const struct role_side *tree = &alignment->sides[side];

        for (uint32_t i = 0; i < tree->images; i++)
            if (tree->partner[tree->order[i]] == ANALYSIS_NONE) {
                work->result.alone[side]++;
                report_alone(work, side, tree->order[i]);
            }
    }
    work->result.paired = alignment->pair_count;
}
