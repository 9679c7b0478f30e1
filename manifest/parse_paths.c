/* SPDX-License-Identifier: MIT
 *
 * inputs, outputs, scratch, absent.
 */
#include "parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "package.h"
#include "pattern.h"

/* The section and place of the list that is being read hang on the rule itself, so the functions of
 * the keys need nothing but its index. */
static struct rule *rule_of(struct reader *reader, const struct value *value)
{
    return &reader->manifest->rules[value->rule];
}

static void set_path(struct reader *reader, const yaml_node_t *node, const char *text, size_t index)
{
    const char *root = reader->manifest->root;
    struct rule *rule = &reader->manifest->rules[index];

    if (*text == '!') {
        rule->takes_away = true;
        text++;
        if (!*text) {
            reader_report(reader, node, "expected a pattern after !");
            return;
        }
    }
    rule->written = xstrdup(text);
    rule->pattern = pattern_path(reader, node, text, root);
}

void read_path(struct reader *reader, const struct value *value)
{
    const char *text = reader_text(reader, value->node, value->expects);

    if (text)
        set_path(reader, value->node, text, value->rule);
}

static bool is_package_name(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789+-.");

    if (length < 2 || !isalnum((unsigned char)name[0]))
        return false;
    if (name[length] == ':')
        length += 1 + strspn(name + length + 1, "abcdefghijklmnopqrstuvwxyz0123456789-");
    return !name[length];
}

void read_package(struct reader *reader, const struct value *value)
{
    const char *text = reader_text(reader, value->node, value->expects);
    struct rule *rule = rule_of(reader, value);
    cleanup_free char *found = NULL;
    cleanup_free char *version = NULL;
    char *equals;

    if (!text)
        return;
    free(rule->written); /* of a path beside the package, which is an error reported later */
    rule->written = xstrdup(text);
    rule->package = xstrdup(text);
    equals = strchr(rule->package, '=');
    if (equals) {
        *equals = '\0';
        version = pattern_text(reader, value->node, equals + 1);
        if (!version)
            return;
    }
    if (!is_package_name(rule->package)) {
        reader_report(reader, value->node, "expected %s; \"%s\" is no name of a Debian package",
                      value->expects, rule->package);
        return;
    }
    switch (package_read(rule->package, version, &rule->files, &rule->file_count, &found)) {
    case PACKAGE_MISSING:
        rule->missing = true;
        break;
    case PACKAGE_OTHER_VERSION:
        reader_report(reader, value->node, "expected %s in version %s, but %s is installed",
                      rule->package, version, found);
        break;
    case PACKAGE_FOUND:
        break;
    }
}

void read_digest(struct reader *reader, const struct value *value)
{
    const char *text = reader_text(reader, value->node, value->expects);

    if (!text)
        return;
    if (strncmp(text, "sha256:", 7) || strlen(text) != 7 + 64 ||
        strspn(text + 7, "0123456789abcdefABCDEF") != 64) {
        reader_report(reader, value->node, "expected %s", value->expects);
        return;
    }
    rule_of(reader, value)->digest = xstrdup(text + 7);
    for (char *c = rule_of(reader, value)->digest; *c; c++)
        *c = (char)tolower((unsigned char)*c);
}

/* What a mapping {path: ..., digest: ...} must hold beside the right keys. */
static void check_entry(struct reader *reader, const yaml_node_t *node, const struct rule *rule)
{
    if (!rule->written)
        reader_report(reader, node, "expected one of the keys \"path\" and \"package\"");
    else if (rule->package && rule->pattern)
        reader_report(reader, node, "expected only one of the keys \"path\" and \"package\"");
    else if (rule->package && rule->digest)
        reader_report(reader, node, "a package has no digest; pin its version: \"%s=...\"",
                      rule->package);
    else if (rule->package && rule->section != POLICY_INPUT)
        reader_report(reader, node, "a package can only be an input");
    else if (rule->digest && rule->section != POLICY_INPUT)
        reader_report(reader, node, "only an input can have a digest");
    else if (rule->digest && rule->takes_away)
        reader_report(reader, node, "a path that is taken away with ! cannot have a digest");
    else if (rule->digest && rule->pattern &&
             pattern_has_wildcard(rule->pattern, strlen(rule->pattern)))
        reader_report(reader, node,
                      "a digest needs the path of one file or folder, without wildcards");
}

static void read_entry(struct reader *reader, const yaml_node_t *node, enum policy_section section,
                       const char *expects)
{
    struct rule *rule;
    size_t index;

    if (node->type == YAML_MAPPING_NODE) {
        size_t before = reader->problem_count;

        rule = parse_add_rule(reader, node, section);
        if (!rule)
            return;
        index = (size_t)(rule - reader->manifest->rules);
        reader_mapping(reader, node, SCOPE_PATH, expects, index);
        if (before == reader->problem_count)
            check_entry(reader, node, &reader->manifest->rules[index]);
    } else {
        const char *text = reader_text(reader, node, expects);

        rule = text ? parse_add_rule(reader, node, section) : NULL;
        if (rule)
            set_path(reader, node, text, (size_t)(rule - reader->manifest->rules));
    }
}

static void read_input(struct reader *reader, const yaml_node_t *node, const struct value *value)
{
    (void)value;
    read_entry(reader, node, POLICY_INPUT, "a path, {path: ...} or {package: ...}");
}

static void read_output(struct reader *reader, const yaml_node_t *node, const struct value *value)
{
    (void)value;
    read_entry(reader, node, POLICY_OUTPUT, "a path or {path: ...}");
}

static void read_scratch_path(struct reader *reader, const yaml_node_t *node,
                              const struct value *value)
{
    (void)value;
    read_entry(reader, node, POLICY_SCRATCH, "a path or {path: ...}");
}

static void read_absent_path(struct reader *reader, const yaml_node_t *node,
                             const struct value *value)
{
    (void)value;
    read_entry(reader, node, POLICY_ABSENT, "a path or {path: ...}");
}

void read_inputs(struct reader *reader, const struct value *value)
{
    if (reader->action != POLICY_NONE)
        reader->manifest->actions[reader->action].flags |= POLICY_ACTION_INPUTS;
    parse_list(reader, value, read_input);
}

void read_outputs(struct reader *reader, const struct value *value)
{
    if (reader->action != POLICY_NONE)
        reader->manifest->actions[reader->action].flags |= POLICY_ACTION_OUTPUTS;
    parse_list(reader, value, read_output);
}

void read_scratch(struct reader *reader, const struct value *value)
{
    parse_list(reader, value, read_scratch_path);
}

void read_absent(struct reader *reader, const struct value *value)
{
    parse_list(reader, value, read_absent_path);
}

/* One kind of use of a path. */
struct claim {
    const struct rule *rule;
    size_t length; /* of the pattern without a slash and ** at its end, which name the same */
};

static int compare_claims(const void *left, const void *right)
{
    const struct claim *a = left, *b = right;
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->rule->pattern, b->rule->pattern, shorter);

    if (!order && a->length != b->length)
        order = a->length < b->length ? -1 : 1;
    if (!order && a->rule->action != b->rule->action)
        order = a->rule->action < b->rule->action ? -1 : 1;
    if (!order)
        order = a->rule->section < b->rule->section ? -1 : a->rule->section > b->rule->section;
    return order ? order : (a->rule->line > b->rule->line) - (a->rule->line < b->rule->line);
}

static bool same_claim(const struct claim *a, const struct claim *b)
{
    return a->length == b->length && a->rule->action == b->rule->action &&
           !memcmp(a->rule->pattern, b->rule->pattern, a->length);
}

static void report_overlap(struct reader *reader, const struct rule *first,
                           const struct rule *second)
{
    static const char *const names[] = {"an input", "an output", "scratch", "absent"};

    if (first->section == POLICY_INPUT && second->section != POLICY_ABSENT)
        reader_report_at(
            reader, second->line, second->column,
            "\"%s\" is %s and also an input (line %d); what may be written may be read "
            "back, so leave it out of the inputs",
            second->written, names[second->section], first->line);
    else
        reader_report_at(reader, second->line, second->column, "\"%s\" is %s and also %s (line %d)",
                         second->written, names[second->section], names[first->section],
                         first->line);
}

void parse_check_overlaps(struct reader *reader)
{
    const struct manifest *manifest = reader->manifest;
    struct claim *claims = xcalloc(manifest->rule_count + 1, sizeof(*claims));
    size_t count = 0;

    for (size_t i = 0; i < manifest->rule_count; i++) {
        const struct rule *rule = &manifest->rules[i];
        size_t length;

        if (rule->section > POLICY_ABSENT || !rule->pattern || rule->takes_away || rule->set)
            continue;
        length = strlen(rule->pattern);
        if (length > 3 && !strcmp(rule->pattern + length - 3, "/**"))
            length -= 3;
        claims[count].rule = rule;
        claims[count++].length = length;
    }
    qsort(claims, count, sizeof(*claims), compare_claims);
    for (size_t i = 1; i < count; i++)
        if (same_claim(&claims[i - 1], &claims[i]) &&
            claims[i - 1].rule->section != claims[i].rule->section)
            report_overlap(reader, claims[i - 1].rule, claims[i].rule);
    free(claims);
}
