/* SPDX-License-Identifier: MIT
 *
 * From rules to the policy block.
 */
#include "manifest.h"

#include <stdlib.h>
#include <string.h>
#include "block.h"
#include "cleanup.h"
#include "links.h"
#include "match.h"
#include "model.h"
#include "pattern.h"

static uint32_t add_text(struct block *block, const struct rule *rule)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;

    model_add_text(rule, &text);
    return block_string(block, text.data, text.length);
}

static void add_rule(struct block *block, const struct rule *rule)
{
    struct policy_rule row = {.text = add_text(block, rule),
                              .line = (uint32_t)rule->line,
                              .action = rule->action,
                              .value = block_text(block, rule->value),
                              .section = (uint16_t)rule->section,
                              .channel = (uint16_t)rule->channel,
                              .flags = rule->takes_away ? POLICY_RULE_TAKES_AWAY : 0};

    buffer_add(&block->rules, &row, sizeof(row));
}

/* A pattern on its way into the tree. */
struct entry {
    struct block *block;
    enum policy_space space;
    const struct rule *rule;
    uint32_t number; /* of the rule */
    bool declares;   /* the folders that lead to it may be looked at */
    bool exact;      /* covers nothing below: a file of a package */
    bool linked;     /* the pattern is also added under its resolved name */
};

static void mark_below(struct block *block, uint32_t node, uint32_t rule)
{
    for (; node != POLICY_NONE && block->nodes[node].below == POLICY_NONE;
         node = block->nodes[node].parent)
        block->nodes[node].below = rule;
}

/* Makes nodes for the components of `literal` (unquoted, absolute) and refers to the rule there. */
static void add_pattern(const struct entry *entry, const char *literal, const char *rest)
{
    struct policy_ref ref = {.rule = entry->number,
                             .action = entry->rule->action,
                             .section = (uint16_t)entry->rule->section,
                             .flags = (entry->linked ? POLICY_REF_LINKED : 0) |
                                      (entry->rule->takes_away ? POLICY_REF_TAKES_AWAY : 0)};
    uint32_t node = entry->space;
    const char *last = strrchr(rest, '/');
    size_t rest_head = 0;

    while (*literal) {
        size_t length = strcspn(literal, "/");

        if (length) {
            node = block_child(entry->block, node, literal, length);
            ref.literal += (uint32_t)length + 1;
        }
        literal += length + (literal[length] == '/');
    }
    last = last ? last + 1 : rest;
    if (!entry->exact && (!pattern_has_wildcard(last, strlen(last)) || !strcmp(rest, "**")))
        ref.flags |= POLICY_REF_COVERS;
    if (entry->declares)
        mark_below(entry->block, *rest ? node : entry->block->nodes[node].parent, entry->number);
    while (rest[rest_head] && !strchr("*?[/", rest[rest_head]))
        rest_head += rest[rest_head] == '\\' ? 2 : 1;
    ref.literal += (uint32_t)rest_head;
    block_ref(entry->block, node, rest, ref);
}

/* Divides the pattern before the first component with a wildcard: `literal` gets what is before. */
static const char *split(const char *pattern, struct buffer *literal)
{
    buffer_add_text(literal, "");
    while (*pattern) {
        size_t length;

        pattern += strspn(pattern, "/");
        length = strcspn(pattern, "/");
        if (!length || pattern_has_wildcard(pattern, length))
            break;
        buffer_add_char(literal, '/');
        buffer_add(literal, pattern, length);
        literal->length -=
            length - pattern_unquote(literal->data + literal->length - length, length);
        pattern += length;
    }
    return pattern;
}

/* A rule holds for the name that it gives and for the one that the kernel knows, so the links on
 * the way to what it names are followed here; a link that is itself named is not. */
static void add_both(struct entry *entry, struct links *links, const char *literal,
                     const char *rest)
{
    cleanup_free char *other = links_resolve(links, literal, *rest != '\0');

    entry->linked = other != NULL;
    add_pattern(entry, literal, rest);
    entry->linked = false;
    if (other)
        add_pattern(entry, other, rest);
}

static void add_path(struct entry *entry, struct links *links, const struct rule *rule)
{
    cleanup_buffer struct buffer literal = BUFFER_INIT;
    const char *rest = split(rule->pattern, &literal);

    if (rule->section == POLICY_ABSENT && !strcmp(rest, "**"))
        rest = "*/**"; /* the folder itself may be there */
    add_both(entry, links, literal.data, rest);
}

static void add_package(const struct rule *rule, struct entry *entry, struct links *links)
{
    entry->exact = true;
    for (size_t i = 0; i < rule->file_count; i++) {
        const char *file = rule->files[i];
        size_t length = strlen(file);

        /* A folder is followed by what lies in it. Others put files there as well, so it may only
         * be looked at, and that is so for all folders on the way to something declared. */
        if (i + 1 < rule->file_count && !strncmp(rule->files[i + 1], file, length) &&
            rule->files[i + 1][length] == '/')
            continue;
        add_both(entry, links, file, "");
    }
}

static void add_endpoint(struct block *block, const struct rule *rule, uint32_t number)
{
    struct policy_endpoint row = {.rule = number,
                                  .kind = rule->endpoint,
                                  .host = block_text(block, rule->pattern),
                                  .port = rule->port};

    buffer_add(&block->endpoints, &row, sizeof(row));
}

static void add_variable(struct block *block, const struct rule *rule, uint32_t number)
{
    struct policy_ref ref = {.rule = number, .action = POLICY_NONE, .section = POLICY_ENVIRONMENT};
    size_t length = strlen(rule->pattern);

    if (pattern_has_wildcard(rule->pattern, length)) {
        while (!strchr("*?[", rule->pattern[ref.literal]))
            ref.literal += rule->pattern[ref.literal] == '\\' ? 2 : 1;
        block_ref(block, POLICY_SPACE_VARIABLES, rule->pattern, ref);
    } else {
        cleanup_free char *name = xmemdup(rule->pattern, length);

        length = pattern_unquote(name, length);
        ref.literal = (uint32_t)length;
        block_ref(block, block_child(block, POLICY_SPACE_VARIABLES, name, length), "", ref);
    }
}

static void add_waiver(struct block *block, const struct rule *rule, uint32_t number,
                       struct links *links)
{
    if (rule->channel == CHANNEL_FILESYSTEM) {
        struct entry entry = {.block = block,
                              .space = POLICY_SPACE_WAIVERS,
                              .rule = rule,
                              .number = number,
                              .declares = true};

        add_path(&entry, links, rule);
    } else {
        struct policy_waiver row = {
            .rule = number, .channel = rule->channel, .subject = block_text(block, rule->pattern)};

        buffer_add(&block->waivers, &row, sizeof(row));
    }
}

static void add_any(struct block *block, const struct rule *rule, uint32_t number,
                    struct links *links, struct policy *head)
{
    struct entry entry = {.block = block,
                          .space = POLICY_SPACE_PATHS,
                          .rule = rule,
                          .number = number,
                          .declares = !rule->takes_away};

    add_rule(block, rule);
    if (rule->section <= POLICY_ABSENT && !rule->pattern && !rule->package)
        return; /* of a named set, and about the home folder of a caller who has none */
    switch (rule->section) {
    case POLICY_INPUT:
    case POLICY_OUTPUT:
    case POLICY_SCRATCH:
    case POLICY_ABSENT:
        if (rule->package)
            add_package(rule, &entry, links);
        else
            add_path(&entry, links, rule);
        break;
    case POLICY_ENVIRONMENT:
        add_variable(block, rule, number);
        break;
    case POLICY_ENDPOINT:
        add_endpoint(block, rule, number);
        break;
    case POLICY_VALUE:
        head->values.rules[rule->channel] = number;
        break;
    case POLICY_WAIVER:
        add_waiver(block, rule, number, links);
        break;
    case POLICY_SECTION_COUNT:
        BUG("rule of no section");
    }
}

/* LANG, LC_ALL or any LC_ variable that the manifest lets through decides the locale. */
static void find_locale(const struct manifest *manifest, struct policy *head)
{
    static const char *const names[] = {
        "LANG",       "LC_ALL",       "LC_CTYPE",       "LC_MESSAGES",      "LC_COLLATE",
        "LC_NUMERIC", "LC_TIME",      "LC_MONETARY",    "LC_PAPER",         "LC_NAME",
        "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"};

    for (size_t i = 0; i < manifest->rule_count; i++) {
        const struct rule *rule = &manifest->rules[i];

        for (size_t j = 0;
             rule->section == POLICY_ENVIRONMENT && j < sizeof(names) / sizeof(names[0]); j++)
            if (match_text(rule->pattern, strlen(rule->pattern), names[j], strlen(names[j]))) {
                head->values.given |= POLICY_LOCALE;
                head->values.rules[CHANNEL_ENVIRONMENT] = (uint32_t)i;
                return;
            }
    }
}

static void add_values(const struct manifest *manifest, struct block *block, struct policy *head)
{
    head->root = block_text(block, manifest->root);
    head->root_length = (uint32_t)strlen(manifest->root);
    head->values.given = manifest->given;
    head->values.fixed = manifest->fixed;
    head->values.clock = manifest->clock;
    head->values.seed = manifest->seed;
    head->values.memory = manifest->memory;
    head->values.cpus = manifest->cpus;
    head->values.uid = manifest->uid;
    head->values.gid = manifest->gid;
    head->values.user = block_text(block, manifest->user ? manifest->user : "");
    head->values.host = block_text(block, manifest->host ? manifest->host : "");
}

static void add_actions(const struct manifest *manifest, struct block *block)
{
    for (size_t i = 0; i < manifest->action_count; i++) {
        const struct action *action = &manifest->actions[i];
        struct policy_action row = {.name = block_text(block, action->name),
                                    .exe = block_text(block, action->exe),
                                    .argument = block_text(block, action->argument),
                                    .flags = action->flags};

        buffer_add(&block->actions, &row, sizeof(row));
    }
}

struct policy *policy_compile(const struct manifest *manifest, size_t *size, struct buffer *errors)
{
    struct policy head = {0};
    struct policy *policy;
    struct block block;
    struct links links;

    block_init(&block);
    links_init(&links);
    for (int i = 0; i < CHANNEL_COUNT; i++)
        head.values.rules[i] = POLICY_NONE;
    for (size_t i = 0; i < manifest->rule_count; i++)
        add_any(&block, &manifest->rules[i], (uint32_t)i, &links, &head);
    add_actions(manifest, &block);
    add_values(manifest, &block, &head);
    find_locale(manifest, &head);
    policy = block_finish(&block, &head, size);
    links_fini(&links);
    block_fini(&block);
    if (!policy)
        buffer_printf(errors, "%s:1:1: the rules take more than %u MiB\n",
                      manifest->path ? manifest->path : "built-in", POLICY_SIZE_MAX >> 20);
    return policy;
}
