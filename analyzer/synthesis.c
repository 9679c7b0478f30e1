/* SPDX-License-Identifier: MIT */
#include "synthesis.h"

#include <inttypes.h>
#include <string.h>

#include "cleanup.h"
#include "quote.h"
#include "synthesis_step.h"
#include "tallyman/status.h"

#define MOST_COMMANDS 3 /* named in the head */
#define MOST_OPEN     5
#define MOST_BYTES    80 /* of a command */

int64_t synthesis_judge(struct synthesis_step *step)
{
    return draft_judge(step->draft, step->needs, step->why);
}

/* --- the head ------------------------------------------------------------------------------- */

static void add_run(struct buffer *head, const struct analysis *facts)
{
    buffer_add_text(head, "What was used by: ");
    quote_shortened(head, facts->command.bytes, facts->command.length, MOST_BYTES);
    buffer_add_char(head, '\n');
    if (!facts->complete)
        buffer_add_text(head, "The evidence of this run is INCOMPLETE: what was not seen is not "
                              "here (see its report).\n");
    if (facts->exit_status != 0)
        buffer_printf(head,
                      "This run FAILED (exit status %" PRId64 "): what comes later is not here.\n",
                      facts->exit_status);
}

static void add_runs(struct buffer *head, const struct needs *needs)
{
    for (uint32_t i = 0; i < needs->run_count && i < MOST_COMMANDS; i++)
        add_run(head, needs->runs[i].facts);
    if (needs->run_count > MOST_COMMANDS)
        buffer_printf(head, "... and by %u more runs\n", needs->run_count - MOST_COMMANDS);
}

static void add_open(struct buffer *head, const struct needs *needs, size_t open)
{
    size_t named = 0;

    if (!open)
        return;
    buffer_printf(head, "NOT declared, because no rule can: ");
    for (uint32_t i = 0; i < needs->count && named < MOST_OPEN; i++) {
        if (needs->rows[i].covered || needs->rows[i].use == NEED_PROGRAM)
            continue;
        buffer_add_text(head, named++ ? ", " : "");
        quote_shortened(head, needs->rows[i].name.bytes, needs->rows[i].name.length, MOST_BYTES);
    }
    if (open > named)
        buffer_printf(head, " and %zu more", open - named);
    buffer_add_char(head, '\n');
}

void synthesis_add_score(const struct synthesis *synthesis, struct buffer *out)
{
    buffer_printf(out,
                  "%zu lines cover %zu uses (%" PRId64 " times); excess: %zu files by folders and "
                  "patterns, %zu by packages",
                  synthesis->lines, synthesis->covered, synthesis->times, synthesis->excess,
                  synthesis->package_excess);
}

static void write_head(struct synthesis *synthesis, const struct needs *needs)
{
    struct buffer *head = &synthesis->draft->head;

    add_runs(head, needs);
    synthesis_add_score(synthesis, head);
    buffer_add_char(head, '\n');
    add_open(head, needs, synthesis->open);
}

/* --- from beginning to end ------------------------------------------------------------------ */

static void score(struct synthesis *synthesis, const struct draft *draft, int64_t open)
{
    synthesis->lines = draft_lines(draft);
    synthesis->covered = draft->set_names;
    synthesis->times = draft->set_count;
    synthesis->open = (size_t)open;
    for (size_t i = 0; i < draft->rule_count; i++) {
        const struct draft_rule *rule = &draft->rules[i];

        if (rule->dropped)
            continue;
        synthesis->covered += rule->names;
        synthesis->times = count_sum(synthesis->times, rule->count);
        if (rule->section == DRAFT_PACKAGES)
            synthesis->package_excess += rule->excess;
        else
            synthesis->excess += rule->excess;
    }
}

static int add_rules(struct synthesis_step *step)
{
    static int (*const steps[])(struct synthesis_step *) = {
        synthesis_add_values,   synthesis_add_sets,      synthesis_add_crowds,
        synthesis_add_packages, synthesis_add_variables, synthesis_add_endpoints,
        synthesis_add_files,
    };
    int result = 0;

    for (size_t i = 0; i < sizeof steps / sizeof *steps && result == 0; i++)
        result = steps[i](step);
    return result;
}

/* A variable counts on the line that it shares with others. */
static bool decides(const struct draft_rule *rule)
{
    return rule->names > 0 || rule->section == DRAFT_ASKED || rule->section == DRAFT_VISIBLE ||
           strchr(rule->text, '!') != NULL;
}

/* Rules that decide nothing: later ones have made them needless, or they open the way to others. */
struct idle {
    struct synthesis_step *step;
    size_t *rules;
    int64_t open; /* as few must be open afterwards */
};

static void set_dropped(const struct idle *idle, size_t from, size_t to, bool dropped)
{
    for (size_t i = from; i < to; i++)
        idle->step->draft->rules[idle->rules[i]].dropped = dropped;
}

/* Drops as many as can be, in halves where not all of them can. 0 or TALLY_ERR_FORMAT. */
static int drop_idle_between(const struct idle *idle, size_t from, size_t to)
{
    size_t middle = from + (to - from) / 2;
    int64_t open;
    int result;

    if (from == to)
        return 0;
    set_dropped(idle, from, to, true);
    open = synthesis_judge(idle->step);
    if (open < 0)
        return TALLY_ERR_FORMAT;
    if (open <= idle->open)
        return 0;
    set_dropped(idle, from, to, false);
    if (to - from == 1)
        return 0;
    result = drop_idle_between(idle, from, middle);
    return result == 0 ? drop_idle_between(idle, middle, to) : result;
}

static int64_t drop_idle(struct synthesis_step *step, int64_t open)
{
    struct draft *draft = step->draft;
    cleanup_free size_t *rules = xcalloc(draft->rule_count, sizeof *rules);
    struct idle idle = {step, rules, open};
    size_t count = 0;

    for (size_t i = 0; i < draft->rule_count; i++)
        if (!draft->rules[i].dropped && !decides(&draft->rules[i]))
            rules[count++] = i;
    return drop_idle_between(&idle, 0, count) == 0 ? synthesis_judge(step) : TALLY_ERR_FORMAT;
}

int synthesis_make(struct synthesis *synthesis, struct needs *needs, const char *root,
                   enum synthesis_balance balance, struct buffer *why)
{
    struct synthesis_step step = {draft_new(), needs, needs_places(needs), balance, why};
    int64_t open = TALLY_ERR_FORMAT;
    int result;

    *synthesis = (struct synthesis){.draft = step.draft};
    step.draft->root = root;
    result = add_rules(&step);
    if (result == 0)
        open = synthesis_judge(&step);
    if (open >= 0)
        open = drop_idle(&step, open);
    if (open < 0)
        return TALLY_ERR_FORMAT;
    score(synthesis, step.draft, open);
    write_head(synthesis, needs);
    return 0;
}
