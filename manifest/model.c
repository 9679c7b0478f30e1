/* SPDX-License-Identifier: MIT */
#include "model.h"

#include <string.h>
#include "buffer.h"

struct rule *model_add_rule(struct manifest *manifest, enum policy_section section)
{
    struct rule *rule;

    if (manifest->rule_count == manifest->rule_room) {
        manifest->rule_room = manifest->rule_room ? 2 * manifest->rule_room : 64;
        manifest->rules = xrealloc(manifest->rules, manifest->rule_room * sizeof(*manifest->rules));
    }
    rule = &manifest->rules[manifest->rule_count++];
    memset(rule, 0, sizeof(*rule));
    rule->section = section;
    rule->action = POLICY_NONE;
    rule->channel = CHANNEL_NONE;
    rule->port = POLICY_NONE;
    return rule;
}

struct action *model_add_action(struct manifest *manifest)
{
    struct action *action;

    if (manifest->action_count == manifest->action_room) {
        manifest->action_room = manifest->action_room ? 2 * manifest->action_room : 8;
        manifest->actions =
            xrealloc(manifest->actions, manifest->action_room * sizeof(*manifest->actions));
    }
    action = &manifest->actions[manifest->action_count++];
    memset(action, 0, sizeof(*action));
    return action;
}

void model_place(const struct manifest *manifest, const struct rule *rule, struct buffer *out)
{
    buffer_printf(out, "%s:%d:%d: ", manifest->path ? manifest->path : "built-in", rule->line,
                  rule->column);
}

static const char *const section_names[] = {"inputs",      "outputs", "scratch", "absent",
                                            "environment", "network", "",        "waiver"};

static const char *const channel_names[] = {
#define CHANNEL(id, name, title) name,
#include "tallyman/channels.def"
#undef CHANNEL
};

void model_add_text(const struct rule *rule, struct buffer *out)
{
    if (rule->set)
        buffer_printf(out, "%s: ", rule->set);
    if (rule->section == POLICY_VALUE)
        buffer_printf(out, "%s: ", channel_names[rule->channel]);
    else
        buffer_printf(out, "%s: ", section_names[rule->section]);
    if (rule->section == POLICY_WAIVER)
        buffer_printf(out, "%s ", channel_names[rule->channel]);
    if (rule->package)
        buffer_add_text(out, "package ");
    if (rule->takes_away)
        buffer_add_char(out, '!');
    buffer_add_text(out, rule->written);
}
