/* SPDX-License-Identifier: MIT */
#include "block.h"

#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "pattern.h"
#include "policy_hash.h"

#define HEAD_MAX       63 /* the masks of a fan have a bit for each length */
#define PATH_DEPTH_MAX 2048

static uint32_t new_node(struct block *block, uint32_t parent, uint32_t name, size_t length)
{
    struct policy_node *node;

    if (block->node_count == block->node_room) {
        block->node_room = block->node_room ? 2 * block->node_room : 64;
        block->nodes = xrealloc(block->nodes, block->node_room * sizeof(*block->nodes));
    }
    node = &block->nodes[block->node_count];
    memset(node, 0, sizeof(*node));
    node->parent = parent;
    node->name = name;
    node->name_length = (uint32_t)length;
    node->below = node->first_ref = node->fan = POLICY_NONE;
    return block->node_count++;
}

static void free_edges(struct policy_edge *edges, uint32_t room)
{
    for (uint32_t i = 0; i < room; i++) {
        edges[i].node = POLICY_NONE;
        edges[i].tag = 0;
    }
}

static void put_edge(struct policy_edge *edges, uint32_t room, uint64_t hash, uint32_t node)
{
    uint32_t i = (uint32_t)hash & (room - 1);

    while (edges[i].node != POLICY_NONE)
        i = (i + 1) & (room - 1);
    edges[i].node = node;
    edges[i].tag = (uint32_t)(hash >> 32);
}

static uint64_t hash_of(const struct block *block, uint32_t number)
{
    const struct policy_node *node = &block->nodes[number];

    return policy_hash_edge(node->parent, block->strings.data + node->name, node->name_length);
}

static void grow_edges(struct block *block)
{
    block->edge_room = block->edge_room ? 2 * block->edge_room : 256;
    free(block->edges);
    block->edges = xcalloc(block->edge_room, sizeof(*block->edges));
    free_edges(block->edges, block->edge_room);
    for (uint32_t i = POLICY_SPACE_COUNT; i < block->node_count; i++)
        put_edge(block->edges, block->edge_room, hash_of(block, i), i);
}

void block_init(struct block *block)
{
    memset(block, 0, sizeof(*block));
    block_string(block, "", 0);
    for (int i = 0; i < POLICY_SPACE_COUNT; i++)
        new_node(block, POLICY_NONE, 0, 0);
    grow_edges(block);
}

void block_fini(struct block *block)
{
    buffer_fini(&block->strings);
    buffer_fini(&block->fans);
    buffer_fini(&block->rules);
    buffer_fini(&block->endpoints);
    buffer_fini(&block->waivers);
    buffer_fini(&block->actions);
    free(block->nodes);
    free(block->edges);
    free(block->refs);
}

uint32_t block_string(struct block *block, const char *bytes, size_t length)
{
    size_t offset = block->strings.length;

    if (!length && offset)
        return 0; /* the first string is "" */
    if (offset + length + 1 > POLICY_SIZE_MAX) {
        block->overflow = true;
        return 0;
    }
    buffer_add(&block->strings, bytes, length);
    buffer_add_char(&block->strings, '\0');
    return (uint32_t)offset;
}

uint32_t block_text(struct block *block, const char *text)
{
    return text ? block_string(block, text, strlen(text)) : POLICY_NONE;
}

uint32_t block_child(struct block *block, uint32_t parent, const char *name, size_t length)
{
    uint64_t hash = policy_hash_edge(parent, name, length);
    uint32_t mask = block->edge_room - 1;
    uint32_t node;

    for (uint32_t i = (uint32_t)hash & mask; block->edges[i].node != POLICY_NONE;
         i = (i + 1) & mask) {
        const struct policy_node *found = &block->nodes[block->edges[i].node];

        if (block->edges[i].tag == (uint32_t)(hash >> 32) && found->parent == parent &&
            found->name_length == length &&
            !memcmp(block->strings.data + found->name, name, length))
            return block->edges[i].node;
    }
    node = new_node(block, parent, block_string(block, name, length), length);
    put_edge(block->edges, block->edge_room, hash, node);
    if (block->node_count > block->edge_room / 2)
        grow_edges(block);
    return node;
}

/* Bytes that the component certainly starts with, unquoted. */
static size_t literal_head(const char *component, size_t length, char *head)
{
    size_t count = 0;

    for (size_t i = 0; i < length && count < HEAD_MAX && !strchr("*?[", component[i]); i++) {
        if (component[i] == '\\' && i + 1 < length)
            i++;
        head[count++] = component[i];
    }
    return count;
}

/* Bytes that it certainly ends with: what follows its last wildcard. */
static size_t literal_tail(const char *component, size_t length, char *tail)
{
    size_t start = 0, count;
    char *plain;

    for (size_t i = 0; i < length; i++) {
        if (component[i] == '\\')
            i++;
        else if (component[i] == '*' || component[i] == '?' || component[i] == ']')
            start = i + 1;
        else if (component[i] == '[')
            start = length; /* until the class is closed */
    }
    plain = xmemdup(component + start, length - start);
    count = pattern_unquote(plain, length - start);
    if (count > HEAD_MAX) {
        memmove(plain, plain + count - HEAD_MAX, HEAD_MAX);
        count = HEAD_MAX;
    }
    memcpy(tail, plain, count);
    free(plain);
    return count;
}

static void find_edges(struct block *block, const char *rest, struct block_ref *ref)
{
    size_t first = strcspn(rest, "/");
    const char *last = strrchr(rest, '/');
    char bytes[HEAD_MAX];

    last = last ? last + 1 : rest;
    ref->head_length = (uint16_t)literal_head(rest, first, bytes);
    ref->head = block_string(block, bytes, ref->head_length);
    if (ref->ref.flags & POLICY_REF_COVERS || !strcmp(last, "**"))
        return;
    ref->tail_length = (uint16_t)literal_tail(last, strlen(last), bytes);
    ref->tail = block_string(block, bytes, ref->tail_length);
}

void block_ref(struct block *block, uint32_t node, const char *rest, struct policy_ref ref)
{
    struct block_ref *slot;

    if (block->ref_count == block->ref_room) {
        block->ref_room = block->ref_room ? 2 * block->ref_room : 64;
        block->refs = xrealloc(block->refs, block->ref_room * sizeof(*block->refs));
    }
    slot = &block->refs[block->ref_count++];
    memset(slot, 0, sizeof(*slot));
    slot->node = node;
    slot->ref = ref;
    slot->ref.rest = block_text(block, rest);
    if (*rest)
        find_edges(block, rest, slot);
}

static const char *sort_strings; /* qsort has no room for a context; used by compare_refs alone */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_bytes(uint32_t a, size_t a_length, uint32_t b, size_t b_length)
{
    int order = compare_numbers(a_length, b_length);

    return order ? order : memcmp(sort_strings + a, sort_strings + b, a_length);
}

/* By place, then the one that wins first. */
static int compare_refs(const void *left, const void *right)
{
    const struct block_ref *a = left, *b = right;
    int order = compare_numbers(a->node, b->node);

    if (!order)
        order = compare_bytes(a->head, a->head_length, b->head, b->head_length);
    if (!order)
        order = compare_bytes(a->tail, a->tail_length, b->tail, b->tail_length);
    if (!order)
        order = compare_numbers(b->ref.literal, a->ref.literal);
    return order ? order : compare_numbers(b->ref.rule, a->ref.rule);
}

static bool same_place(const struct block *block, const struct block_ref *a,
                       const struct block_ref *b)
{
    return a->node == b->node && a->head_length == b->head_length &&
           a->tail_length == b->tail_length &&
           !memcmp(block->strings.data + a->head, block->strings.data + b->head, a->head_length) &&
           !memcmp(block->strings.data + a->tail, block->strings.data + b->tail, a->tail_length);
}

static struct policy_fan *fan_of(struct block *block, uint32_t number)
{
    struct policy_node *node = &block->nodes[number];
    struct policy_fan empty = {0, 0};

    if (node->fan == POLICY_NONE) {
        node->fan = (uint32_t)(block->fans.length / sizeof(empty));
        buffer_add(&block->fans, &empty, sizeof(empty));
    }
    return (struct policy_fan *)(void *)block->fans.data + node->fan;
}

static void put_group(struct block *block, struct policy_group *groups, uint32_t room,
                      const struct block_ref *ref, uint32_t first)
{
    uint64_t hash = policy_hash_group(ref->node, block->strings.data + ref->head, ref->head_length,
                                      block->strings.data + ref->tail, ref->tail_length);
    uint32_t i = (uint32_t)(hash >> 32) & (room - 1);
    struct policy_fan *fan = fan_of(block, ref->node);

    while (groups[i].node != POLICY_NONE)
        i = (i + 1) & (room - 1);
    groups[i] = (struct policy_group){.node = ref->node,
                                      .head = ref->head,
                                      .tail = ref->tail,
                                      .head_length = ref->head_length,
                                      .tail_length = ref->tail_length,
                                      .first_ref = first};
    fan->heads |= 1ull << ref->head_length;
    fan->tails |= 1ull << ref->tail_length;
}

static uint32_t room_for(uint32_t entries)
{
    uint32_t room = 2;

    while (room < 2 * entries + 2)
        room *= 2;
    return room;
}

/* Sorts the references and gives each run of one place to its node or to a group. */
static struct policy_group *make_groups(struct block *block, uint32_t *room)
{
    struct policy_group *groups;
    uint32_t first = 0, grouped = 0;

    sort_strings = block->strings.data;
    if (block->ref_count)
        qsort(block->refs, block->ref_count, sizeof(*block->refs), compare_refs);
    for (uint32_t i = 0; i < block->ref_count; i++)
        grouped += block->refs[i].head_length || block->refs[i].tail_length;
    *room = room_for(grouped);
    groups = xcalloc(*room, sizeof(*groups));
    for (uint32_t i = 0; i < *room; i++)
        groups[i].node = POLICY_NONE;
    for (uint32_t i = 1; i <= block->ref_count; i++) {
        const struct block_ref *ref = &block->refs[first];

        if (i < block->ref_count && same_place(block, ref, &block->refs[i])) {
            block->refs[i - 1].ref.flags |= POLICY_REF_MORE;
            continue;
        }
        if (ref->head_length || ref->tail_length)
            put_group(block, groups, *room, ref, first);
        else
            block->nodes[ref->node].first_ref = first;
        first = i;
    }
    return groups;
}

/* The path that leads to a node, and the space that it belongs to. */
static uint32_t path_of(const struct block *block, uint32_t number, struct buffer *path)
{
    uint32_t chain[PATH_DEPTH_MAX];
    size_t depth = 0;

    buffer_clear(path);
    for (; number >= POLICY_SPACE_COUNT && depth < PATH_DEPTH_MAX;
         number = block->nodes[number].parent)
        chain[depth++] = number;
    while (depth--) {
        buffer_add_char(path, '/');
        buffer_add(path, block->strings.data + block->nodes[chain[depth]].name,
                   block->nodes[chain[depth]].name_length);
    }
    return number;
}

/* The table of paths that rules spell out. A path too deep or too long for it is found by walking.
 */
static struct policy_exact *make_exact(struct block *block, uint32_t *room)
{
    cleanup_buffer struct buffer path = BUFFER_INIT;
    struct policy_exact *slots;

    *room = room_for(block->ref_count);
    slots = xcalloc(*room, sizeof(*slots));
    for (uint32_t i = 0; i < *room; i++)
        slots[i].node = POLICY_NONE;
    for (uint32_t node = POLICY_SPACE_COUNT; node < block->node_count; node++) {
        uint64_t hash;
        uint32_t i;

        if (block->nodes[node].first_ref == POLICY_NONE ||
            path_of(block, node, &path) != POLICY_SPACE_PATHS || path.length > UINT16_MAX ||
            block->strings.data[block->refs[block->nodes[node].first_ref].ref.rest])
            continue;
        hash = policy_hash_path(path.data, path.length);
        for (i = (uint32_t)hash & (*room - 1); slots[i].node != POLICY_NONE;)
            i = (i + 1) & (*room - 1);
        slots[i] = (struct policy_exact){.node = node,
                                         .path = block_string(block, path.data, path.length),
                                         .length = (uint16_t)path.length,
                                         .tag = (uint16_t)(hash >> 48),
                                         .first_ref = block->nodes[node].first_ref};
    }
    return slots;
}

static void place(struct buffer *out, struct policy_span *span, const void *data, size_t count,
                  size_t size)
{
    static const char zeros[8];

    buffer_add(out, zeros, -out->length & 7);
    span->offset = (uint32_t)out->length;
    span->count = (uint32_t)count;
    buffer_add(out, data, count * size);
}

struct policy *block_finish(struct block *block, const struct policy *head, size_t *size)
{
    struct buffer out = BUFFER_INIT;
    struct policy policy = *head;
    struct policy_group *groups;
    struct policy_ref *refs;
    struct policy_exact *exact;
    uint32_t group_room, exact_room;
    size_t total =
        block->strings.length + block->node_count * sizeof(*block->nodes) +
        (size_t)block->ref_count * 4 * (sizeof(*refs) + sizeof(*groups) + sizeof(*exact));

    if (block->overflow || total > POLICY_SIZE_MAX / 2)
        return NULL;
    groups = make_groups(block, &group_room);
    exact = make_exact(block, &exact_room);
    refs = xcalloc(block->ref_count + 1, sizeof(*refs));
    for (uint32_t i = 0; i < block->ref_count; i++)
        refs[i] = block->refs[i].ref;
    buffer_add(&out, &policy, sizeof(policy));
    place(&out, &policy.rules, block->rules.data, block->rules.length / sizeof(struct policy_rule),
          sizeof(struct policy_rule));
    place(&out, &policy.nodes, block->nodes, block->node_count, sizeof(*block->nodes));
    place(&out, &policy.edges, block->edges, block->edge_room, sizeof(*block->edges));
    place(&out, &policy.fans, block->fans.data, block->fans.length / sizeof(struct policy_fan),
          sizeof(struct policy_fan));
    place(&out, &policy.groups, groups, group_room, sizeof(*groups));
    place(&out, &policy.exact, exact, exact_room, sizeof(*exact));
    place(&out, &policy.refs, refs, block->ref_count, sizeof(*refs));
    place(&out, &policy.endpoints, block->endpoints.data,
          block->endpoints.length / sizeof(struct policy_endpoint), sizeof(struct policy_endpoint));
    place(&out, &policy.waivers, block->waivers.data,
          block->waivers.length / sizeof(struct policy_waiver), sizeof(struct policy_waiver));
    place(&out, &policy.actions, block->actions.data,
          block->actions.length / sizeof(struct policy_action), sizeof(struct policy_action));
    place(&out, &policy.strings, block->strings.data, block->strings.length, 1);
    free(groups);
    free(exact);
    free(refs);
    if (block->overflow || out.length > POLICY_SIZE_MAX) {
        buffer_fini(&out);
        return NULL;
    }
    policy.magic = POLICY_MAGIC;
    policy.version = POLICY_VERSION;
    policy.size = (uint32_t)out.length;
    memcpy(out.data, &policy, sizeof(policy));
    *size = out.length;
    return (struct policy *)(void *)buffer_take(&out);
}
