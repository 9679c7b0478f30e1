/* SPDX-License-Identifier: MIT */
#include "synthesis_step.h"

#include <string.h>

#include "cleanup.h"
#include "cover.h"
#include "manifest_text.h"
#include "operation.h"
#include "path_tree.h"
#include "random_ending.h"
#include "tallyman/status.h"

/* A folder of temporary files: more different names than that, and all of it is scratch. */
#define MOST_SHAPES 3

/* The lines that a file which nobody used is worth, and an input that may be written to. */
static const struct {
    double unused, writable;
} worth[] = {
    [SYNTHESIS_TIGHT] = {0.2, 1},
    [SYNTHESIS_BALANCED] = {0.02, 0.5},
    [SYNTHESIS_LOOSE] = {0.002, 0.1},
};

enum detail { DETAIL_SHORT, DETAIL_SINGLE, DETAIL_PLAIN };

/* One kind of rule for one part of the machine. */
struct aim {
    enum draft_section section;
    enum cover_kind kind;
    bool in_project;
    bool given; /* the name that the program gave, too */
};

double synthesis_worth(const struct synthesis_step *step)
{
    return worth[step->balance].unused;
}

static bool is_of_kind(const struct need *need, enum cover_kind kind)
{
    switch (kind) {
    case COVER_OUTPUTS:
        return need->use == NEED_WRITE;
    case COVER_ABSENT:
        return need->use == NEED_PROBE;
    default:
        return need->use == NEED_READ || need->use == NEED_LIST || need->use == NEED_LOOK;
    }
}

static void mark(struct path_node *node, const struct need *need)
{
    node->found |= need->use != NEED_PROBE;
    node->folder |= need->use == NEED_LIST || need->matter.kind == EVENT_MKDIR;
    node->output |= need->use == NEED_WRITE;
    node->removed |= need->use == NEED_WRITE &&
                     (need->matter.kind == EVENT_UNLINK || need->matter.kind == EVENT_RENAME);
    node->input |= (need->use == NEED_READ || need->use == NEED_LIST) && !need->matter.made;
}

static bool is_in_project(const struct synthesis_step *step, struct text path)
{
    return step->places.root.length > 1 && path_is_within(path, step->places.root);
}

/* The name by which the program asked, where that is another one: a rule stands in its way. */
static void want_given(const struct synthesis_step *step, const struct aim *aim,
                       struct path_tree *tree, const struct need *need)
{
    struct text given = step->needs->runs[need->run].subjects.rows[need->matter.subject].name;
    uint32_t node;

    if (need->run != 0 || is_in_project(step, given) != aim->in_project)
        return;
    node = path_tree_add(tree, given);
    if (node != PATH_NONE)
        tree->nodes[node].wanted = true;
}

static void fill_tree(const struct synthesis_step *step, const struct aim *aim,
                      struct path_tree *tree)
{
    for (uint32_t i = 0; i < step->needs->count; i++) {
        const struct need *need = &step->needs->rows[i];
        uint32_t node;

        if (need->use == NEED_VALUE || need->use == NEED_PROGRAM)
            continue;
        node = path_tree_add(tree, need->name);
        if (node == PATH_NONE)
            continue;
        mark(&tree->nodes[node], need);
        if (need->covered || !is_of_kind(need, aim->kind))
            continue;
        if (is_in_project(step, need->name) == aim->in_project)
            tree->nodes[node].wanted = true;
        if (aim->given)
            want_given(step, aim, tree, need);
    }
    path_tree_sum(tree);
}

struct receiver {
    struct synthesis_step *step;
    enum draft_section section;
};

static void add_rule(char *text, size_t unused, void *data)
{
    struct receiver *receiver = data;
    struct draft_rule *rule = draft_add(receiver->step->draft, receiver->section, text);

    if (rule)
        rule->excess = unused;
}

static int judge_if_more(struct synthesis_step *step, size_t rules)
{
    if (step->draft->rule_count == rules)
        return 0;
    return synthesis_judge(step) < 0 ? TALLY_ERR_FORMAT : 0;
}

static int pursue(struct synthesis_step *step, struct aim aim_of, enum detail detail)
{
    const struct aim *aim = &aim_of;

    struct memory *memory = memory_new();
    size_t rules = step->draft->rule_count;
    struct path_tree tree;
    struct receiver receiver = {step, aim->section};
    struct cover cover = {
        .tree = &tree,
        .kind = aim->kind,
        .places = &step->places,
        .unused = worth[step->balance].unused,
        .writable = worth[step->balance].writable,
        .single = detail >= DETAIL_SINGLE,
        .plain = detail == DETAIL_PLAIN,
        .add = add_rule,
        .data = &receiver,
    };

    aim_of.given = detail >= DETAIL_SINGLE;
    path_tree_init(&tree, memory);
    fill_tree(step, aim, &tree);
    cover_choose(&cover, aim->in_project ? path_tree_add(&tree, step->places.root) : 0);
    path_tree_fini(&tree);
    memory_free(memory);
    return judge_if_more(step, rules);
}

/* --- temporary files ------------------------------------------------------------------------ */

static const char *const temporary[] = {"/tmp", "/var/tmp", "/dev/shm"};

/* The first name below a folder for temporary files. */
static bool temporary_name(struct text path, size_t folder, struct text *name)
{
    struct text top = {temporary[folder], strlen(temporary[folder])};
    const char *slash;

    if (!path_is_within(path, top) || path.length <= top.length + 1)
        return false;
    *name = (struct text){path.bytes + top.length + 1, path.length - top.length - 1};
    slash = memchr(name->bytes, '/', name->length);
    if (slash)
        name->length = (size_t)(slash - name->bytes);
    return true;
}

/* "/tmp/build-??????" and all below it. */
static char *shape_of(const struct synthesis_step *step, size_t folder, struct text name)
{
    struct text top = {temporary[folder], strlen(temporary[folder])};
    cleanup_buffer struct buffer pattern = BUFFER_INIT;
    struct buffer text = BUFFER_INIT;

    random_ending_pattern(&pattern, name);
    buffer_add_text(&pattern, "/**");
    manifest_add_pattern(&text, &step->places, top, pattern.data);
    return buffer_take(&text);
}

static void add_scratch(struct synthesis_step *step, size_t folder)
{
    struct text top = {temporary[folder], strlen(temporary[folder])};
    struct buffer all = BUFFER_INIT;
    size_t first = step->draft->rule_count;
    struct text name;

    for (uint32_t i = 0; i < step->needs->count; i++) {
        const struct need *need = &step->needs->rows[i];

        if (!need->covered && need->use == NEED_WRITE && !is_in_project(step, need->name) &&
            temporary_name(need->name, folder, &name))
            draft_add(step->draft, DRAFT_SCRATCH, shape_of(step, folder, name));
    }
    if (step->draft->rule_count - first <= MOST_SHAPES)
        return;
    for (size_t i = first; i < step->draft->rule_count; i++)
        step->draft->rules[i].dropped = true;
    manifest_add_path(&all, &step->places, top, true);
    draft_add(step->draft, DRAFT_SCRATCH, buffer_take(&all));
}

/* --- in order ------------------------------------------------------------------------------- */

int synthesis_add_files(struct synthesis_step *step)
{
    static const struct aim aims[] = {
        {DRAFT_OUTPUTS, COVER_OUTPUTS, true, false}, {DRAFT_OUTPUTS, COVER_OUTPUTS, false, false},
        {DRAFT_PROJECT, COVER_INPUTS, true, false},  {DRAFT_OUTPUTS, COVER_OUTPUTS, true, false},
        {DRAFT_ABSENT, COVER_ABSENT, true, false},   {DRAFT_ABSENT, COVER_ABSENT, false, false},
        {DRAFT_MACHINE, COVER_INPUTS, false, false},
    };
    size_t rules = step->draft->rule_count;
    int result;

    for (size_t i = 0; i < sizeof temporary / sizeof *temporary; i++)
        add_scratch(step, i);
    result = judge_if_more(step, rules);
    for (enum detail detail = DETAIL_SHORT; detail <= DETAIL_PLAIN; detail++)
        for (size_t i = 0; i < sizeof aims / sizeof *aims && result == 0; i++)
            result = pursue(step, aims[i], detail);
    return result;
}
