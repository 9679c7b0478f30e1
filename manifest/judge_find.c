/* SPDX-License-Identifier: MIT
 *
 * How the judge finds the rule for a name. Freestanding: the rules at the head of judge.c hold
 * here.
 *
 * A path is walked down the tree of literal beginnings as far as nodes exist, then up again: the
 * first node with a matching reference decides, since no rule further up has a longer literal part.
 */
#include "judge_find.h"

#include "match.h"
#include "policy_hash.h"

size_t text_length(const char *text)
{
    size_t length = 0;

    while (text[length])
        length++;
    return length;
}

bool same_bytes(const char *one, const char *other, size_t length)
{
    size_t i = 0;

    for (; i + 8 <= length; i += 8)
        if (policy_hash_load(one + i) != policy_hash_load(other + i))
            return false;
    for (; i < length; i++)
        if (one[i] != other[i])
            return false;
    return true;
}

bool starts_with(const char *bytes, size_t length, const char *text)
{
    size_t i = 0;

    while (text[i]) {
        if (i == length || bytes[i] != text[i])
            return false;
        i++;
    }
    return true;
}

bool same_text(const char *bytes, size_t length, const char *text)
{
    return text_length(text) == length && same_bytes(bytes, text, length);
}

bool is_number(const char *bytes, size_t length, uint32_t number)
{
    do {
        if (!length || bytes[length - 1] != (char)('0' + number % 10))
            return false;
        length--;
        number /= 10;
    } while (number);
    return length == 0;
}

/* A name on its way through the tree. */
struct walk {
    const struct search *search;
    const char *name;
    size_t length;
    bool whole;       /* '/' is a byte like any other */
    bool below_root;  /* the path lies in the manifest's root */
    size_t last_size; /* bytes of the last component */
};

static size_t skip_slashes(const struct walk *walk, size_t at)
{
    while (!walk->whole && at < walk->length && walk->name[at] == '/')
        at++;
    return at;
}

static size_t end_of_component(const struct walk *walk, size_t at)
{
    if (walk->whole)
        return walk->length;
    while (at < walk->length && walk->name[at] != '/')
        at++;
    return at;
}

static uint32_t child(const struct policy *policy, uint32_t parent, const char *name, size_t length)
{
    const struct policy_edge *edges = policy_at(policy, policy->edges.offset);
    const struct policy_node *nodes = policy_nodes(policy);
    uint64_t hash = policy_hash_edge(parent, name, length);
    uint32_t mask = policy->edges.count - 1;

    for (uint32_t i = (uint32_t)hash & mask; edges[i].node != POLICY_NONE; i = (i + 1) & mask) {
        const struct policy_node *node = nodes + edges[i].node;

        if (edges[i].tag == (uint32_t)(hash >> 32) && node->parent == parent &&
            node->name_length == length &&
            same_bytes(policy_string(policy, node->name), name, length))
            return edges[i].node;
    }
    return POLICY_NONE;
}

static const struct policy_group *group_of(const struct policy *policy, uint32_t node,
                                           const char *head, size_t head_length, const char *tail,
                                           size_t tail_length)
{
    const struct policy_group *groups = policy_at(policy, policy->groups.offset);
    uint64_t hash = policy_hash_group(node, head, head_length, tail, tail_length);
    uint32_t mask = policy->groups.count - 1;

    for (uint32_t i = (uint32_t)(hash >> 32) & mask; groups[i].node != POLICY_NONE;
         i = (i + 1) & mask) {
        const struct policy_group *group = groups + i;

        if (group->node == node && group->head_length == head_length &&
            group->tail_length == tail_length &&
            same_bytes(policy_string(policy, group->head), head, head_length) &&
            same_bytes(policy_string(policy, group->tail), tail, tail_length))
            return group;
    }
    return NULL;
}

/* An action with inputs or outputs of its own narrows those of the build, inside the root. */
static bool counts(const struct walk *walk, const struct policy_ref *ref)
{
    uint32_t action = walk->search->action;
    uint32_t narrows;

    if (ref->action != POLICY_NONE)
        return ref->action == action;
    if (action >= walk->search->policy->actions.count || !walk->below_root ||
        ref->flags & POLICY_REF_TAKES_AWAY)
        return true;
    narrows = policy_actions(walk->search->policy)[action].flags;
    if (ref->section == POLICY_INPUT)
        return !(narrows & POLICY_ACTION_INPUTS);
    if (ref->section == POLICY_OUTPUT)
        return !(narrows & POLICY_ACTION_OUTPUTS);
    return true;
}

static bool matches(const struct walk *walk, const struct policy_ref *ref, size_t at)
{
    const char *rest = policy_string(walk->search->policy, ref->rest);
    bool covers = ref->flags & POLICY_REF_COVERS;

    if (!rest[0])
        return covers || at == walk->length;
    if (walk->whole)
        return match_text(rest, text_length(rest), walk->name + at, walk->length - at);
    return match_path(rest, covers, walk->name + at, walk->length - at);
}

static bool wins(const struct policy_ref *ref, const struct policy_ref *best)
{
    return !best || ref->literal > best->literal ||
           (ref->literal == best->literal && ref->rule > best->rule);
}

/* The best of the references from `first`, which lie in order of rank, or `best`. */
static const struct policy_ref *pick(const struct walk *walk, uint32_t first, size_t at,
                                     const struct policy_ref *best)
{
    const struct policy *policy = walk->search->policy;
    const struct policy_ref *ref =
        (const struct policy_ref *)policy_at(policy, policy->refs.offset);

    if (first == POLICY_NONE)
        return best;
    for (ref += first; wins(ref, best); ref++) {
        if (counts(walk, ref) && matches(walk, ref, at))
            return ref;
        if (!(ref->flags & POLICY_REF_MORE))
            break;
    }
    return best;
}

static const struct policy_ref *pick_groups(const struct walk *walk, uint32_t number,
                                            uint64_t tails, size_t at, size_t head,
                                            const struct policy_ref *best)
{
    for (; tails; tails &= tails - 1) {
        size_t tail = (size_t)__builtin_ctzll(tails);
        const struct policy_group *group;

        if (tail > walk->last_size)
            break;
        group = group_of(walk->search->policy, number, walk->name + at, head,
                         walk->name + walk->length - tail, tail);
        if (group)
            best = pick(walk, group->first_ref, at, best);
    }
    return best;
}

/* What follows the node starts at `at`. */
static const struct policy_ref *best_at(const struct walk *walk, uint32_t number, size_t at)
{
    const struct policy *policy = walk->search->policy;
    const struct policy_node *node = policy_nodes(policy) + number;
    const struct policy_fan *fan = policy_at(policy, policy->fans.offset);
    const struct policy_ref *best = NULL;
    size_t size;

    if (node->fan == POLICY_NONE || at == walk->length)
        return pick(walk, node->first_ref, at, NULL);
    fan += node->fan;
    size = end_of_component(walk, at) - at;
    for (uint64_t heads = fan->heads & ~1ull; heads;) {
        size_t head = 63 - (size_t)__builtin_clzll(heads);

        heads ^= 1ull << head;
        if (head <= size)
            best = pick_groups(walk, number, fan->tails, at, head, NULL);
        if (best)
            return best;
    }
    if (fan->heads & 1)
        best = pick_groups(walk, number, fan->tails, at, 0, NULL);
    return pick(walk, node->first_ref, at, best);
}

/* Where the parent's rest starts: the node's own name is the last component before `at`. */
static size_t step_up(const struct walk *walk, const struct policy_node *node, size_t at)
{
    while (!walk->whole && at && walk->name[at - 1] == '/')
        at--;
    return at - node->name_length;
}

static bool has_parent_component(const char *path, size_t at, size_t length)
{
    for (; at + 2 <= length; at++)
        if (path[at] == '.' && path[at + 1] == '.' && (!at || path[at - 1] == '/') &&
            (at + 2 == length || path[at + 2] == '/'))
            return true;
    return false;
}

static void set_found(const struct policy *policy, const struct policy_ref *ref, size_t literal_end,
                      struct found *found)
{
    found->rule = ref->rule;
    found->section = ref->section;
    found->takes_away = ref->flags & POLICY_REF_TAKES_AWAY;
    found->literal_end = literal_end;
    found->continues = policy_string(policy, ref->rest)[0] != '\0';
    found->linked = ref->flags & POLICY_REF_LINKED;
}

static void find(struct walk *walk, struct found *found)
{
    const struct policy *policy = walk->search->policy;
    const struct policy_node *nodes = policy_nodes(policy);
    uint32_t node = walk->search->space;
    size_t at = skip_slashes(walk, 0);
    const struct policy_ref *ref;

    while (at < walk->length) {
        size_t end = end_of_component(walk, at);
        uint32_t next = child(policy, node, walk->name + at, end - at);

        if (next == POLICY_NONE)
            break;
        node = next;
        at = skip_slashes(walk, end);
    }
    if (!walk->whole && has_parent_component(walk->name, at, walk->length))
        return;
    if (at == walk->length)
        found->node = node;
    while (!(ref = best_at(walk, node, at)) && nodes[node].parent != POLICY_NONE) {
        at = step_up(walk, nodes + node, at);
        node = nodes[node].parent;
    }
    if (!ref)
        return;
    while (at && walk->name[at - 1] == '/')
        at--;
    set_found(policy, ref, at, found);
}

/* A rule that spells out this very path; false when there is none that counts. */
static bool find_exact(const struct walk *walk, struct found *found)
{
    const struct policy *policy = walk->search->policy;
    const struct policy_exact *slots = policy_at(policy, policy->exact.offset);
    uint64_t hash = policy_hash_path(walk->name, walk->length);
    uint32_t mask = policy->exact.count - 1;
    const struct policy_ref *ref;

    for (uint32_t i = (uint32_t)hash & mask; slots[i].node != POLICY_NONE; i = (i + 1) & mask) {
        if (slots[i].tag != (uint16_t)(hash >> 48) || slots[i].length != walk->length ||
            !same_bytes(policy_string(policy, slots[i].path), walk->name, walk->length))
            continue;
        ref = pick(walk, slots[i].first_ref, walk->length, NULL);
        if (!ref)
            return false;
        set_found(policy, ref, walk->length, found);
        found->node = slots[i].node;
        return true;
    }
    return false;
}

static bool lies_in(const char *path, size_t length, const char *folder, size_t folder_length)
{
    while (folder_length && folder[folder_length - 1] == '/')
        folder_length--;
    return length >= folder_length && same_bytes(path, folder, folder_length) &&
           (length == folder_length || path[folder_length] == '/');
}

static void clear_found(struct found *found)
{
    found->rule = found->node = POLICY_NONE;
    found->section = POLICY_SECTION_COUNT;
    found->literal_end = 0;
    found->takes_away = found->continues = found->linked = false;
}

void find_path(const struct search *search, const char *path, size_t length, struct found *found)
{
    const struct policy *policy = search->policy;
    struct walk walk = {.search = search, .name = path, .length = length};

    clear_found(found);
    if (!length || path[0] != '/')
        return;
    while (length > 1 && path[length - 1] == '/')
        length--;
    walk.length = length;
    while (walk.last_size < length && path[length - 1 - walk.last_size] != '/')
        walk.last_size++;
    walk.below_root =
        search->action != POLICY_NONE &&
        lies_in(path, length, policy_string(policy, policy->root), policy->root_length);
    if (search->space != POLICY_SPACE_PATHS || !find_exact(&walk, found))
        find(&walk, found);
}

void find_name(const struct search *search, const char *name, size_t length, struct found *found)
{
    struct walk walk = {
        .search = search, .name = name, .length = length, .whole = true, .last_size = length};

    clear_found(found);
    if (length)
        find(&walk, found);
}
