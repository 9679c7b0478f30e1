/* SPDX-License-Identifier: MIT
 *
 * From the leaves up: what is wanted below a folder costs either the folder as a whole or the sum
 * of its parts, whichever is less. Nodes stand behind their parents, so one pass backwards does it.
 */
#include "cover.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "buffer.h"
#include "cleanup.h"
#include "die.h"
#include "manifest_text.h"
#include "name_patterns.h"
#include "random_ending.h"

struct plan {
    const struct cover *cover;
    double *costs; /* by node, of all that is wanted at it and below */
    bool *whole;   /* by node: the folder stands for all of it */
};

/* --- names in one folder -------------------------------------------------------------------- */

struct siblings {
    const struct plan *plan;
    const struct cover *cover;
    struct text *names; /* wanted and nothing else below, or folders that stand for all in them */
    uint32_t *nodes;    /* theirs */
    size_t count, room;
    struct other_name *others;
    size_t other_count, other_room;
    struct memory *memory;
};

static void add_other(struct siblings *siblings, struct text name, double cost, bool unused)
{
    if (siblings->other_count == siblings->other_room) {
        siblings->other_room = siblings->other_room ? siblings->other_room * 2 : 64;
        siblings->others =
            xrealloc(siblings->others, siblings->other_room * sizeof *siblings->others);
    }
    siblings->others[siblings->other_count++] = (struct other_name){name, cost, unused};
}

static void add_unused(const char *name, void *data)
{
    struct siblings *siblings = data;
    size_t length = strlen(name);

    add_other(siblings, (struct text){memory_copy(siblings->memory, name, length), length},
              siblings->cover->unused, true);
}

static bool is_leaf(const struct path_node *node)
{
    return node->wanted && node->wanted_below == 1;
}

/* One rule is enough for it. */
static bool is_unit(const struct plan *plan, uint32_t number)
{
    return is_leaf(&plan->cover->tree->nodes[number]) || plan->whole[number];
}

static void add_sibling(struct siblings *siblings, uint32_t number)
{
    const struct path_node *node = &siblings->cover->tree->nodes[number];
    enum cover_kind kind = siblings->cover->kind;

    if (is_unit(siblings->plan, number)) {
        if (siblings->count == siblings->room) {
            siblings->room = siblings->room ? siblings->room * 2 : 16;
            siblings->names = xrealloc(siblings->names, siblings->room * sizeof *siblings->names);
            siblings->nodes = xrealloc(siblings->nodes, siblings->room * sizeof *siblings->nodes);
        }
        siblings->nodes[siblings->count] = number;
        siblings->names[siblings->count++] = path_name(node);
        return;
    }
    /* What turns up where it must be absent is refused. */
    if (kind == COVER_ABSENT && node->found)
        add_other(siblings, path_name(node), 1e9, false);
    else if (kind == COVER_OUTPUTS && node->input && !node->output)
        add_other(siblings, path_name(node), siblings->cover->writable, false);
}

static void collect_siblings(struct siblings *siblings, uint32_t folder)
{
    const struct path_tree *tree = siblings->cover->tree;

    for (uint32_t i = tree->nodes[folder].child; i != PATH_NONE; i = tree->nodes[i].next)
        add_sibling(siblings, i);
    if (siblings->count > 1 && siblings->cover->kind != COVER_ABSENT && !siblings->cover->single)
        path_tree_others(tree, folder, add_unused, siblings);
}

static void siblings_fini(struct siblings *siblings)
{
    free(siblings->names);
    free(siblings->nodes);
    free(siblings->others);
    memory_free(siblings->memory);
}

/* Adds to the pattern what the folders that it matches allow. */
static bool takes_folders(const struct siblings *siblings, struct name_pattern *pattern)
{
    struct path_tree *tree = siblings->cover->tree;
    bool folders = false;

    for (size_t i = 0; i < siblings->count && !pattern->whole; i++) {
        if (!siblings->plan->whole[siblings->nodes[i]] ||
            !name_pattern_matches(pattern, siblings->names[i]))
            continue;
        folders = true;
        if (siblings->cover->kind != COVER_ABSENT)
            pattern->unused += path_tree_unused(tree, siblings->nodes[i], SIZE_MAX);
    }
    return folders;
}

/* Calls for each pattern; what they cost. */
static double each_pattern(const struct plan *plan, uint32_t folder,
                           void (*use)(const struct plan *plan, uint32_t folder, uint32_t node,
                                       const struct name_pattern *pattern, bool below))
{
    struct siblings siblings = {.plan = plan, .cover = plan->cover, .memory = memory_new()};
    cleanup_free struct name_pattern *patterns = NULL;
    double cost = 0;
    size_t count;

    collect_siblings(&siblings, folder);
    /* Each of them costs a line at most: that is the price when nothing is found. */
    if (plan->cover->single || siblings.count < 2) {
        patterns = xcalloc(siblings.count, sizeof *patterns);
        for (uint32_t i = 0; i < siblings.count; i++)
            patterns[i] = (struct name_pattern){
                .start = siblings.names[i], .whole = true, .number = i, .cost = 1};
        count = siblings.count;
    } else {
        count = name_patterns(siblings.names, siblings.count, siblings.others, siblings.other_count,
                              &patterns);
    }
    for (size_t i = 0; i < count; i++) {
        cost += patterns[i].cost;
        if (use)
            use(plan, folder, patterns[i].whole ? siblings.nodes[patterns[i].number] : PATH_NONE,
                &patterns[i], takes_folders(&siblings, &patterns[i]));
    }
    siblings_fini(&siblings);
    return cost;
}

/* --- what is cheapest ----------------------------------------------------------------------- */

/* Places whose whole content no build means. */
static bool is_too_broad(const struct cover *cover, struct text path)
{
    static const char *const broad[] = {"/",    "/dev", "/etc", "/home", "/proc", "/root",
                                        "/run", "/sys", "/tmp", "/usr",  "/var"};

    for (size_t i = 0; i < sizeof broad / sizeof *broad; i++)
        if (path.length == strlen(broad[i]) && memcmp(path.bytes, broad[i], path.length) == 0)
            return true;
    return (path_is_within(cover->places->root, path) &&
            path.length < cover->places->root.length) ||
           (cover->places->home.length > 1 && path_is_within(cover->places->home, path));
}

static bool is_root(const struct cover *cover, const struct path_node *node)
{
    return node->path.length == cover->places->root.length &&
           memcmp(node->path.bytes, cover->places->root.bytes, node->path.length) == 0;
}

static bool can_be_whole(const struct cover *cover, const struct path_node *node)
{
    if (cover->single || node->wanted_below < 2 || is_too_broad(cover, node->path))
        return false;
    /* A project whose own files may all be written to has no inputs any more. */
    return !is_root(cover, node) || cover->kind == COVER_INPUTS ||
           (cover->kind == COVER_OUTPUTS && !node->inputs_below);
}

/* Not counted to its end once it is more than the parts cost. */
static double whole_cost(const struct cover *cover, uint32_t number, double parts)
{
    const struct path_node *node = &cover->tree->nodes[number];
    double cost = 1;

    if (cover->kind == COVER_ABSENT)
        return cost;
    if (cover->kind == COVER_OUTPUTS)
        cost += cover->writable * node->inputs_below;
    if (cost > parts)
        return cost;
    return cost + cover->unused * (double)path_tree_unused(cover->tree, number,
                                                           (size_t)(parts / cover->unused));
}

/* To list the root and nothing else takes two lines. */
static double own_cost(const struct cover *cover, const struct path_node *node)
{
    if (!node->wanted)
        return 0;
    return is_root(cover, node) && cover->kind == COVER_INPUTS ? 2 : 1;
}

static void weigh(struct plan *plan, uint32_t number)
{
    const struct path_tree *tree = plan->cover->tree;
    const struct path_node *node = &tree->nodes[number];
    double parts = own_cost(plan->cover, node);

    if (node->wanted_below > node->wanted) {
        parts += each_pattern(plan, number, NULL);
        for (uint32_t i = node->child; i != PATH_NONE; i = tree->nodes[i].next)
            if (!is_unit(plan, i))
                parts += plan->costs[i];
            else if (plan->whole[i])
                parts += plan->costs[i] - 1; /* beside the line */
    }
    plan->costs[number] = parts;
    if (can_be_whole(plan->cover, node)) {
        double whole = whole_cost(plan->cover, number, parts);

        /* Where it saves nothing the parts say more. */
        plan->whole[number] = whole < parts;
        if (plan->whole[number])
            plan->costs[number] = whole;
    }
}

/* --- rules ---------------------------------------------------------------------------------- */

static void add_rule(const struct cover *cover, struct buffer *text, size_t unused)
{
    cover->add(buffer_take(text), unused, cover->data);
}

static bool is_folder(const struct path_node *node)
{
    cleanup_free char *path = xmemdup(node->path.bytes, node->path.length);
    struct stat status;

    return node->folder || (lstat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

/* "/op[t]": the folder, and nothing in it. */
static void add_folder_alone(const struct cover *cover, const struct path_node *node)
{
    const struct path_node *parent = &cover->tree->nodes[node->parent];
    struct text name = path_name(node);
    char last = name.bytes[name.length - 1];
    cleanup_buffer struct buffer pattern = BUFFER_INIT;
    struct buffer text = BUFFER_INIT;

    manifest_quote(&pattern, (struct text){name.bytes, name.length - 1});
    if (strchr("]!^-\\[", last))
        buffer_add_char(&pattern, '?');
    else
        buffer_printf(&pattern, "[%c]", last);
    manifest_add_pattern(&text, cover->places, parent->path, pattern.data);
    add_rule(cover, &text, 0);
}

/* A temporary file has another name the next time. */
static void add_random(const struct cover *cover, const struct path_node *node)
{
    const struct path_node *parent = &cover->tree->nodes[node->parent];
    cleanup_buffer struct buffer pattern = BUFFER_INIT;
    struct buffer text = BUFFER_INIT;

    random_ending_pattern(&pattern, path_name(node));
    manifest_add_pattern(&text, cover->places, parent->path, pattern.data);
    add_rule(cover, &text, 0);
}

/* The root is named as a whole, and what is in it taken away again. */
static void add_root_alone(const struct cover *cover, const struct path_node *node)
{
    struct buffer text = BUFFER_INIT;

    manifest_add_path(&text, cover->places, node->path, false);
    add_rule(cover, &text, 0);
    text = (struct buffer)BUFFER_INIT;
    buffer_add_text(&text, "\"!*/**\"");
    add_rule(cover, &text, 0);
}

static void add_own(const struct cover *cover, uint32_t number)
{
    const struct path_node *node = &cover->tree->nodes[number];
    struct buffer text = BUFFER_INIT;

    if (cover->kind == COVER_INPUTS && is_root(cover, node)) {
        add_root_alone(cover, node);
        return;
    }
    if (!cover->plain && node->path.length > 1 && !is_root(cover, node) &&
        cover->kind != COVER_ABSENT && is_folder(node) &&
        (cover->kind == COVER_INPUTS || node->inputs_below ||
         path_tree_unused(cover->tree, number, 0))) {
        add_folder_alone(cover, node);
        return;
    }
    if (cover->kind == COVER_OUTPUTS && node->removed && random_ending(path_name(node))) {
        add_random(cover, node);
        return;
    }
    manifest_add_path(&text, cover->places, node->path, false);
    add_rule(cover, &text,
             cover->plain && cover->kind != COVER_ABSENT
                 ? path_tree_unused(cover->tree, number, SIZE_MAX)
                 : 0);
}

static void add_whole(const struct cover *cover, uint32_t number)
{
    const struct path_node *node = &cover->tree->nodes[number];
    struct buffer text = BUFFER_INIT;

    manifest_add_path(&text, cover->places, node->path, !is_root(cover, node));
    add_rule(cover, &text,
             cover->kind == COVER_ABSENT ? 0 : path_tree_unused(cover->tree, number, SIZE_MAX));
}

/* `below`: it matches folders that stand for all in them. */
static void add_pattern(const struct plan *plan, uint32_t folder, uint32_t node,
                        const struct name_pattern *pattern, bool below)
{
    const struct cover *cover = plan->cover;
    cleanup_buffer struct buffer name = BUFFER_INIT;
    struct buffer text = BUFFER_INIT;

    if (pattern->whole) {
        if (plan->whole[node])
            add_whole(cover, node);
        else
            add_own(cover, node);
        return;
    }
    manifest_quote(&name, pattern->start);
    buffer_add_char(&name, '*');
    manifest_quote(&name, pattern->end);
    if (below)
        buffer_add_text(&name, "/**");
    manifest_add_pattern(&text, cover->places, cover->tree->nodes[folder].path, name.data);
    add_rule(cover, &text, pattern->unused);
}

/* Marks what lies below nodes that are chosen in parts, from the top down. */
static void add_rules(const struct plan *plan, uint32_t top)
{
    const struct path_tree *tree = plan->cover->tree;
    cleanup_free bool *open = xcalloc(tree->count, sizeof *open);

    open[top] = true;
    for (uint32_t i = top; i < tree->count; i++) {
        const struct path_node *node = &tree->nodes[i];

        if (i != top)
            open[i] = open[node->parent] && !is_unit(plan, i);
        if (!open[i] || node->wanted_below == 0)
            continue;
        if (node->wanted)
            add_own(plan->cover, i);
        if (node->wanted_below > node->wanted)
            each_pattern(plan, i, add_pattern);
    }
}

void cover_choose(const struct cover *cover, uint32_t top)
{
    uint32_t count = cover->tree->count;
    cleanup_free double *costs = xcalloc(count, sizeof *costs);
    cleanup_free bool *whole = xcalloc(count, sizeof *whole);
    struct plan plan = {cover, costs, whole};

    if (top == PATH_NONE || cover->tree->nodes[top].wanted_below == 0)
        return;
    for (uint32_t i = count; i-- > top;)
        if (cover->tree->nodes[i].wanted_below)
            weigh(&plan, i);
    if (whole[top])
        add_whole(cover, top);
    else
        add_rules(&plan, top);
}
