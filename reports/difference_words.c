/* SPDX-License-Identifier: MIT */
#include "difference_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "quote.h"

#define LONGEST_NAME 90

const char difference_letters[SIDE_COUNT + 1] = "AB";

static void add_text(struct buffer *out, struct text text)
{
    if (text.length)
        quote_display(out, text.bytes, text.length);
}

static void add_time(struct buffer *out, int64_t time_ns)
{
    char text[32] = "";
    time_t seconds = (time_t)(time_ns / 1000000000);
    struct tm parts;

    if (localtime_r(&seconds, &parts))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
    buffer_add_text(out, text);
}

static void add_status(struct buffer *out, const struct analysis *run)
{
    if (!run->ended)
        buffer_add_text(out, "never ended");
    else if (run->signal)
        buffer_printf(out, "signal %" PRId64, run->signal);
    else
        buffer_printf(out, "exit status %" PRId64, run->exit_status);
}

void difference_add_run(const struct comparison *comparison,
                        const struct difference_settings *settings, int side, struct buffer *out)
{
    const struct analysis *run = comparison->runs[side];

    quote_display(out, settings->databases[side], strlen(settings->databases[side]));
    buffer_printf(out, ", run %" PRId64 " of ", run->run);
    add_time(out, run->started);
    buffer_add_text(out, " by ");
    add_text(out, run->user);
    buffer_add_text(out, " on ");
    add_text(out, run->host);
    buffer_add_text(out, " (");
    add_text(out, run->machine);
    buffer_add_text(out, ") in ");
    add_text(out, run->cwd);
    if (run->manifest.length) {
        buffer_add_text(out, ", manifest ");
        add_text(out, run->manifest);
    }
    buffer_add_text(out, ": ");
    add_status(out, run);
}

void difference_add_evidence(const struct comparison *comparison, int side, struct buffer *out)
{
    const struct analysis *run = comparison->runs[side];

    if (run->complete) {
        buffer_add_text(out, "complete");
        return;
    }
    buffer_add_text(out, run->ended ? "incomplete" : "incomplete, for the run never ended");
    for (size_t i = 0; i < run->blind_class_count; i++) {
        const struct analysis_blind_class *class = &run->blind_classes[i];

        buffer_add_text(out, i ? ", " : " (");
        quote_display(out, class->name, strlen(class->name));
        if (class->count > 1)
            buffer_printf(out, " ×%" PRId64, class->count);
    }
    buffer_add_text(out, run->blind_class_count ? ")" : "");
}

static void add_proof(const struct comparison *comparison, struct buffer *out)
{
    for (int side = 0; side < SIDE_COUNT; side++)
        if (!comparison->runs[side]->complete) {
            bool both = side == SIDE_A && !comparison->runs[SIDE_B]->complete;

            buffer_printf(out,
                          "The evidence of %s is incomplete: what is used \"in %s alone\" may have "
                          "been used unseen in the other, too.",
                          both             ? "both runs"
                          : side == SIDE_A ? "A"
                                           : "B",
                          both             ? "one"
                          : side == SIDE_A ? "B"
                                           : "A");
            return;
        }
}

void difference_add_caution(const struct comparison *comparison, int number, struct buffer *out)
{
    switch (number) {
    case 0:
        add_proof(comparison, out);
        break;
    case 1:
        if (comparison->witness_differs)
            buffer_printf(out,
                          "The kernel witness was %s in A and %s in B: what it alone saw is left "
                          "out.",
                          comparison->runs[SIDE_A]->witness.bytes,
                          comparison->runs[SIDE_B]->witness.bytes);
        break;
    case 2:
        if (comparison->watched_differently)
            buffer_printf(out, "%" PRIu32 " process%s had the shim in one of the runs alone.",
                          comparison->watched_differently,
                          comparison->watched_differently == 1 ? "" : "es");
        break;
    default:
        break;
    }
}

/* --- a difference ---------------------------------------------------------------------------- */

static void add_values(const struct difference *difference, struct buffer *out)
{
    const struct text *values = difference->value;

    for (int side = 0; side < SIDE_COUNT; side++) {
        buffer_add_text(out, side ? " → " : "");
        if (values[side].length)
            quote_shortened(out, values[side].bytes, values[side].length, LONGEST_NAME);
        else
            buffer_add_text(out, "nothing");
    }
}

static bool is_package(const struct difference *difference)
{
    return strcmp(difference->group, "package") == 0;
}

/* "libssl-dev 3.0.11-1 → 3.0.13-1": the name once, where it is the same. */
static void add_versions(const struct difference *difference, struct buffer *out)
{
    struct text newer = difference->value[SIDE_B];
    size_t name = difference->subject.length;

    add_text(out, difference->value[SIDE_A]);
    buffer_add_text(out, " → ");
    if (newer.length > name + 1 && memcmp(newer.bytes, difference->subject.bytes, name) == 0 &&
        newer.bytes[name] == ' ') {
        newer.bytes += name + 1;
        newer.length -= name + 1;
    }
    add_text(out, newer);
}

/* Nothing but one name: that is what it is about, and not its folder. */
static const struct difference_member *only_member(const struct difference *difference)
{
    return difference->member_count == 1 ? &difference->members[0] : NULL;
}

void difference_add_subject(const struct difference *difference, struct buffer *out)
{
    const struct difference_member *member = only_member(difference);

    switch (difference->kind) {
    case DIFFERENCE_VERSION:
        add_versions(difference, out);
        return;
    case DIFFERENCE_PROGRAM:
    case DIFFERENCE_ARGUMENTS:
    case DIFFERENCE_STATUS:
        add_text(out, difference->subject);
        buffer_add_text(out, ": ");
        add_values(difference, out);
        return;
    case DIFFERENCE_PROCESS:
    case DIFFERENCE_USER:
        if (!member || difference->kind == DIFFERENCE_USER)
            add_text(out, difference->subject);
        else
            quote_shortened(out, member->subject.bytes, member->subject.length, LONGEST_NAME);
        return;
    case DIFFERENCE_VARIABLE:
        if (!difference->subject.length)
            difference_add_members(difference, 6, out);
        else
            add_text(out, difference->subject);
        return;
    default:
        break;
    }
    add_text(out, member ? member->subject : difference->subject);
    if (is_package(difference) && difference->side < SIDE_COUNT) {
        buffer_add_text(out, member ? " (" : " ");
        if (member)
            add_text(out, difference->value[difference->side]);
        else
            add_text(out, (struct text){difference->value[difference->side].bytes +
                                            difference->subject.length + 1,
                                        difference->value[difference->side].length -
                                            difference->subject.length - 1});
        buffer_add_text(out, member ? ")" : "");
    }
}

/* The name without the folder of the group, which the subject has said. */
static struct text below(const struct difference *difference, struct text name)
{
    struct text folder = difference->subject;

    if (folder.length > 1 && name.length > folder.length + 1 &&
        memcmp(name.bytes, folder.bytes, folder.length) == 0 && name.bytes[folder.length] == '/') {
        name.bytes += folder.length + 1;
        name.length -= folder.length + 1;
    }
    return name;
}

void difference_add_members(const struct difference *difference, size_t most, struct buffer *out)
{
    bool listed = difference->kind == DIFFERENCE_VARIABLE || difference->kind == DIFFERENCE_VERSION;

    if (difference->member_count == 0 ||
        (difference->member_count == 1 && !listed && difference->kind != DIFFERENCE_USER))
        return;
    if (difference->kind == DIFFERENCE_VARIABLE && difference->subject.length)
        return;
    if (difference->kind == DIFFERENCE_VERSION)
        buffer_printf(out, "%zu file%s: ", difference->member_count,
                      difference->member_count == 1 ? "" : "s");
    for (size_t i = 0; i < difference->member_count && i < most; i++) {
        struct text name = below(difference, difference->members[i].subject);

        buffer_add_text(out, i ? ", " : "");
        quote_shortened(out, name.bytes, name.length, LONGEST_NAME);
    }
    if (difference->member_count > most)
        buffer_printf(out, " and %zu more", difference->member_count - most);
}

/* The run whose process is to be shown: the one that has the difference. */
static int side_of(const struct difference *difference)
{
    if (difference->side < SIDE_COUNT && difference->process[difference->side] != ANALYSIS_NONE)
        return difference->side;
    return difference->process[SIDE_B] != ANALYSIS_NONE ? SIDE_B : SIDE_A;
}

void difference_add_users(const struct comparison *comparison, const struct difference *difference,
                          struct buffer *out)
{
    int side = side_of(difference);
    uint32_t process = difference->process[side];
    struct text program;

    if (process == ANALYSIS_NONE)
        return;
    program = analysis_program(&comparison->runs[side]->processes[process]);
    quote_shortened(out, program.bytes, program.length, 24);
    if (difference->processes[side] > 1)
        buffer_printf(out, " and %" PRIu32 " more process%s", difference->processes[side] - 1,
                      difference->processes[side] == 2 ? "" : "es");
    if (process == comparison->first.process[side] || process == comparison->fatal.process[side])
        return;
    buffer_add_text(out, ": ");
    analysis_chain(comparison->runs[side], process, 4, 32, out);
}

/* --- a process ------------------------------------------------------------------------------- */

bool difference_end_is(const struct comparison_end *end)
{
    return end->process[SIDE_A] != ANALYSIS_NONE || end->process[SIDE_B] != ANALYSIS_NONE;
}

static bool failed(const struct comparison *comparison, int side, uint32_t process)
{
    const struct analysis_process *row;

    if (process == ANALYSIS_NONE)
        return false;
    row = &comparison->runs[side]->processes[process];
    return row->exit_status > 0 || row->signal > 0;
}

/* The run in which it failed. */
static int failing_side(const struct comparison *comparison, const struct comparison_end *end)
{
    if (end->process[SIDE_B] == ANALYSIS_NONE)
        return SIDE_A;
    if (end->process[SIDE_A] == ANALYSIS_NONE)
        return SIDE_B;
    return failed(comparison, SIDE_B, end->process[SIDE_B]) ? SIDE_B : SIDE_A;
}

void difference_add_process(const struct comparison *comparison, const struct comparison_end *end,
                            size_t most, struct buffer *out)
{
    int side = failing_side(comparison, end);
    struct text command = comparison->runs[side]->processes[end->process[side]].command;

    if (!command.length)
        command = analysis_program(&comparison->runs[side]->processes[end->process[side]]);
    quote_shortened(out, command.bytes, command.length, most);
}

void difference_add_ends(const struct comparison *comparison, const struct comparison_end *end,
                         struct buffer *out)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        buffer_add_text(out, side ? ", " : "");
        if (end->process[side] == ANALYSIS_NONE)
            buffer_add_text(out, "not there");
        else
            difference_add_end(comparison, side, end->process[side], out);
        buffer_printf(out, " in %c", difference_letters[side]);
    }
}

void difference_add_chain(const struct comparison *comparison, const struct comparison_end *end,
                          size_t most, struct buffer *out)
{
    int side = failing_side(comparison, end);

    analysis_chain(comparison->runs[side], end->process[side], most, 36, out);
}
