/* SPDX-License-Identifier: MIT
 *
 * Look-ups in the policy block, and the few text helpers that the judge needs instead of libc's.
 * Freestanding: the rules at the head of judge.c hold here.
 */
#ifndef JUDGE_FIND_H
#define JUDGE_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tallyman/policy.h"

static inline const void *policy_at(const struct policy *policy, uint32_t offset)
{
    return (const char *)policy + offset;
}

static inline const struct policy_rule *policy_rules(const struct policy *policy)
{
    return policy_at(policy, policy->rules.offset);
}

static inline const struct policy_node *policy_nodes(const struct policy *policy)
{
    return policy_at(policy, policy->nodes.offset);
}

static inline const struct policy_waiver *policy_waivers(const struct policy *policy)
{
    return policy_at(policy, policy->waivers.offset);
}

static inline const struct policy_action *policy_actions(const struct policy *policy)
{
    return policy_at(policy, policy->actions.offset);
}

static inline const char *policy_string(const struct policy *policy, uint32_t string)
{
    return (const char *)policy + policy->strings.offset + string;
}

struct search {
    const struct policy *policy;
    uint32_t action; /* rules of other actions do not count */
    uint32_t space;  /* enum policy_space */
};

struct found {
    uint32_t rule;      /* the one that decides; POLICY_NONE: no rule matches */
    uint16_t section;   /* of that rule, enum policy_section */
    bool takes_away;    /* likewise */
    uint32_t node;      /* of this very path; POLICY_NONE: no rule leads there */
    size_t literal_end; /* bytes of the name that the rule spells out, in whole components */
    bool continues;     /* the rule's pattern goes on after that */
    bool linked;        /* the rule also stands at the resolved name: POLICY_REF_LINKED */
};

/* `path` is absolute; one that is not, or that has ".." in it, matches nothing. */
void find_path(const struct search *search, const char *path, size_t length, struct found *found);

/* The same for a name in which '/' is a byte like any other. */
void find_name(const struct search *search, const char *name, size_t length, struct found *found);

/* The rule of the endpoint that declares a connection or, with `lookup`, asking for a host. */
uint32_t find_endpoint(const struct policy *policy, bool lookup, const char *subject,
                       size_t length);

size_t text_length(const char *text);
bool same_bytes(const char *one, const char *other, size_t length);
bool same_text(const char *bytes, size_t length, const char *text);
bool starts_with(const char *bytes, size_t length, const char *text);
bool is_number(const char *bytes, size_t length,
               uint32_t number); /* decimal, as printf writes it */

#endif
