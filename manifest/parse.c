/* SPDX-License-Identifier: MIT
 *
 * The top of the manifest: version, root, use; and what all keys share.
 */
#include "parse.h"

#include <stdlib.h>
#include <string.h>
#include "manifest.h"
#include "spelling.h"
#include "pattern.h"

struct rule *parse_add_rule(struct reader *reader, const yaml_node_t *node,
                            enum policy_section section)
{
    struct manifest *manifest = reader->manifest;
    struct rule *rule;

    if (manifest->rule_count >= MANIFEST_RULES_MAX) {
        if (!manifest->full)
            reader_report(reader, node, "expected at most %u rules in all", MANIFEST_RULES_MAX);
        manifest->full = true;
        return NULL;
    }
    rule = model_add_rule(manifest, section);
    rule->line = reader->set ? 0 : reader_line(node);
    rule->column = reader->set ? 0 : reader_column(node);
    rule->set = reader->set;
    rule->action = reader->action;
    return rule;
}

void parse_list(struct reader *reader, const struct value *value,
                void (*each)(struct reader *, const yaml_node_t *, const struct value *))
{
    const yaml_node_item_t *item;

    if (value->node->type != YAML_SEQUENCE_NODE) {
        reader_expected(reader, value->node, value->expects);
        return;
    }
    item = value->node->data.sequence.items.start;
    for (; item < value->node->data.sequence.items.top; item++)
        each(reader, reader_node(reader, *item), value);
}

void read_version(struct reader *reader, const struct value *value)
{
    uint64_t version;

    if (reader_number(reader, value->node, UINT64_MAX, value->expects, &version) && version != 1)
        reader_report(reader, value->node,
                      "version %llu: expected 1, the only one that this tallyman reads",
                      (unsigned long long)version);
}

void read_root(struct reader *reader, const struct value *value)
{
    const char *text = reader_text(reader, value->node, value->expects);
    char *root = text ? pattern_folder(reader, value->node, text, reader->manifest->folder) : NULL;
    char *resolved;

    if (!root)
        return;
    /* The kernel names the current folder without links, so that is how the rules must start. */
    resolved = realpath(root, NULL);
    free(reader->manifest->root);
    reader->manifest->root = resolved ? resolved : root;
    if (resolved)
        free(root);
    reader->manifest->root_line = reader_line(value->node);
    reader->manifest->root_column = reader_column(value->node);
}

static int find_set(const char *name)
{
    for (int i = 0; i < manifest_set_count(); i++)
        if (!strcmp(manifest_set_name(i), name))
            return i;
    return -1;
}

static void report_unknown_set(struct reader *reader, const yaml_node_t *node, const char *name)
{
    const char *names[64] = {NULL};
    const char *near;

    for (int i = 0; i < manifest_set_count() && i < 63; i++)
        names[i] = manifest_set_name(i);
    near = spelling_nearest_of(name, names);
    if (near)
        reader_report(reader, node, "unknown rule set \"%s\"; did you mean \"%s\"?", name, near);
    else
        reader_report(reader, node,
                      "unknown rule set \"%s\"; \"tallyman manifest sets\" lists the known ones",
                      name);
}

static bool is_used(const struct manifest *manifest, const char *set)
{
    for (size_t i = manifest->rule_count; i-- > 0;)
        if (manifest->rules[i].set == set)
            return true;
    return false;
}

static void use_set(struct reader *reader, const yaml_node_t *node, const struct value *value)
{
    const char *name = reader_text(reader, node, "the name of a rule set, such as gcc");
    struct buffer errors = BUFFER_INIT;
    const char *text;
    int set;

    (void)value;
    if (!name)
        return;
    set = find_set(name);
    if (set < 0) {
        report_unknown_set(reader, node, name);
        return;
    }
    name = manifest_set_name(set);
    if (is_used(reader->manifest, name)) {
        reader_report(reader, node, "the rule set \"%s\" is used twice; keep one of them", name);
        return;
    }
    text = manifest_set_text(set);
    parse_text(reader->manifest, name, text, strlen(text), name, &errors);
    if (errors.length)
        BUG("rule set %s", errors.data);
    buffer_fini(&errors);
}

void read_use(struct reader *reader, const struct value *value)
{
    if (reader->set)
        reader_report(reader, value->key, "a rule set cannot use another");
    else
        parse_list(reader, value, use_set);
}

void read_note(struct reader *reader, const struct value *value)
{
    reader_text(reader, value->node, value->expects);
}

void parse_text(struct manifest *manifest, const char *name, const char *text, size_t length,
                const char *set, struct buffer *errors)
{
    struct reader reader = {.name = name,
                            .text = text,
                            .length = length,
                            .set = set,
                            .manifest = manifest,
                            .action = POLICY_NONE};
    yaml_document_t document;

    if (reader_load(&reader, &document)) {
        const yaml_node_t *root = yaml_document_get_root_node(&document);

        reader_mapping(&reader, root, SCOPE_MANIFEST,
                       "a mapping with the key \"version\" and others, one \"key: value\" a line",
                       0);
        if (!set && !reader.problem_count)
            parse_check_overlaps(&reader);
        yaml_document_delete(&document);
    }
    reader_flush(&reader, errors);
}
