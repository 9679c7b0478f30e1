/* SPDX-License-Identifier: MIT
 *
 * Is this block safe to judge by? Everything that the judge follows is looked at: offsets, numbers,
 * ends of strings, the parents' order, a free slot in each table. What a rule *says* is not
 * checked.
 */
#include "tallyman/policy.h"

#include <string.h>
#include "tallyman/status.h"

static const void *start(const struct policy *policy, const struct policy_span *span)
{
    return (const char *)policy + span->offset;
}

static bool span_fits(const struct policy *policy, const struct policy_span *span, size_t element)
{
    return span->offset >= sizeof(*policy) && span->offset <= policy->size &&
           (element == 1 || span->offset % 8 == 0) &&
           span->count <= (policy->size - span->offset) / element;
}

static bool spans_fit(const struct policy *policy)
{
    const char *strings;

    if (!span_fits(policy, &policy->rules, sizeof(struct policy_rule)) ||
        !span_fits(policy, &policy->nodes, sizeof(struct policy_node)) ||
        !span_fits(policy, &policy->edges, sizeof(struct policy_edge)) ||
        !span_fits(policy, &policy->fans, sizeof(struct policy_fan)) ||
        !span_fits(policy, &policy->exact, sizeof(struct policy_exact)) ||
        !span_fits(policy, &policy->groups, sizeof(struct policy_group)) ||
        !span_fits(policy, &policy->refs, sizeof(struct policy_ref)) ||
        !span_fits(policy, &policy->endpoints, sizeof(struct policy_endpoint)) ||
        !span_fits(policy, &policy->waivers, sizeof(struct policy_waiver)) ||
        !span_fits(policy, &policy->actions, sizeof(struct policy_action)) ||
        !span_fits(policy, &policy->strings, 1))
        return false;
    strings = start(policy, &policy->strings);
    return policy->strings.count && !strings[policy->strings.count - 1];
}

static bool is_string(const struct policy *policy, uint32_t string)
{
    return string < policy->strings.count;
}

static bool is_string_or_none(const struct policy *policy, uint32_t string)
{
    return string == POLICY_NONE || is_string(policy, string);
}

/* `length` bytes that need no NUL after them. */
static bool is_piece(const struct policy *policy, uint32_t string, uint32_t length)
{
    return is_string(policy, string) && length < policy->strings.count - string;
}

static bool is_rule_or_none(const struct policy *policy, uint32_t rule)
{
    return rule == POLICY_NONE || rule < policy->rules.count;
}

/* The last of all references has no successor, so a run of them ends in any case. */
static bool is_ref_or_none(const struct policy *policy, uint32_t first)
{
    return first == POLICY_NONE || first < policy->refs.count;
}

static bool rules_hold(const struct policy *policy)
{
    const struct policy_rule *rules = start(policy, &policy->rules);
    const struct policy_ref *refs = start(policy, &policy->refs);

    for (uint32_t i = 0; i < policy->rules.count; i++)
        if (!is_string(policy, rules[i].text) || !is_string_or_none(policy, rules[i].value) ||
            rules[i].section >= POLICY_SECTION_COUNT || rules[i].channel > CHANNEL_NONE)
            return false;
    for (uint32_t i = 0; i < policy->refs.count; i++)
        if (refs[i].rule >= policy->rules.count || !is_string(policy, refs[i].rest))
            return false;
    return !policy->refs.count || !(refs[policy->refs.count - 1].flags & POLICY_REF_MORE);
}

static bool nodes_hold(const struct policy *policy)
{
    const struct policy_node *nodes = start(policy, &policy->nodes);

    if (policy->nodes.count < POLICY_SPACE_COUNT)
        return false;
    for (uint32_t i = 0; i < policy->nodes.count; i++) {
        if (i < POLICY_SPACE_COUNT ? nodes[i].parent != POLICY_NONE : nodes[i].parent >= i)
            return false;
        if (!is_piece(policy, nodes[i].name, nodes[i].name_length) ||
            !is_rule_or_none(policy, nodes[i].below) ||
            !is_ref_or_none(policy, nodes[i].first_ref) ||
            (nodes[i].fan != POLICY_NONE && nodes[i].fan >= policy->fans.count))
            return false;
    }
    return true;
}

static bool is_power_of_two(uint32_t number)
{
    return number && !(number & (number - 1));
}

static bool tables_hold(const struct policy *policy)
{
    const struct policy_edge *edges = start(policy, &policy->edges);
    const struct policy_group *groups = start(policy, &policy->groups);
    const struct policy_exact *exact = start(policy, &policy->exact);
    uint32_t free_edges = 0, free_groups = 0, free_exact = 0;

    if (!is_power_of_two(policy->edges.count) || !is_power_of_two(policy->groups.count) ||
        !is_power_of_two(policy->exact.count))
        return false;
    for (uint32_t i = 0; i < policy->edges.count; i++) {
        if (edges[i].node == POLICY_NONE)
            free_edges++;
        else if (edges[i].node >= policy->nodes.count)
            return false;
    }
    for (uint32_t i = 0; i < policy->groups.count; i++) {
        if (groups[i].node == POLICY_NONE)
            free_groups++;
        else if (!is_piece(policy, groups[i].head, groups[i].head_length) ||
                 !is_piece(policy, groups[i].tail, groups[i].tail_length) ||
                 !is_ref_or_none(policy, groups[i].first_ref))
            return false;
    }
    for (uint32_t i = 0; i < policy->exact.count; i++) {
        if (exact[i].node == POLICY_NONE)
            free_exact++;
        else if (exact[i].node >= policy->nodes.count ||
                 !is_piece(policy, exact[i].path, exact[i].length) ||
                 !is_ref_or_none(policy, exact[i].first_ref))
            return false;
    }
    return free_edges && free_groups && free_exact;
}

static bool rest_holds(const struct policy *policy)
{
    const struct policy_endpoint *endpoints = start(policy, &policy->endpoints);
    const struct policy_waiver *waivers = start(policy, &policy->waivers);
    const struct policy_action *actions = start(policy, &policy->actions);

    for (uint32_t i = 0; i < policy->endpoints.count; i++)
        if (endpoints[i].rule >= policy->rules.count || !is_string(policy, endpoints[i].host))
            return false;
    for (uint32_t i = 0; i < policy->waivers.count; i++)
        if (waivers[i].rule >= policy->rules.count || !is_string(policy, waivers[i].subject))
            return false;
    for (uint32_t i = 0; i < policy->actions.count; i++)
        if (!is_string(policy, actions[i].name) || !is_string_or_none(policy, actions[i].exe) ||
            !is_string_or_none(policy, actions[i].argument))
            return false;
    for (int i = 0; i < CHANNEL_COUNT; i++)
        if (!is_rule_or_none(policy, policy->values.rules[i]))
            return false;
    return is_string(policy, policy->values.user) && is_string(policy, policy->values.host) &&
           is_piece(policy, policy->root, policy->root_length);
}

int policy_check(const void *block, size_t size)
{
    const struct policy *policy = block;

    if (size < sizeof(*policy) || (uintptr_t)block % 8 || policy->magic != POLICY_MAGIC)
        return TALLY_ERR_FORMAT;
    if (policy->version != POLICY_VERSION)
        return TALLY_ERR_VERSION;
    if (policy->size != size || size > POLICY_SIZE_MAX || !spans_fit(policy) ||
        !rules_hold(policy) || !nodes_hold(policy) || !tables_hold(policy) || !rest_holds(policy))
        return TALLY_ERR_CORRUPT;
    return 0;
}
