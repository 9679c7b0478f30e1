/* SPDX-License-Identifier: MIT
 *
 * keys.def against docs/manifest.schema.json, in both directions. JSON is YAML, so libyaml reads
 * it.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>
#include "manifest.h"

static const struct row {
    const char *scope, *name;
    int required;
} rows[] = {
#define KEY(scope, name, read, required, expects) {#scope, #name, required},
#include "keys.def"
#undef KEY
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static yaml_document_t schema;

static void load_schema(void)
{
    FILE *file = fopen(SCHEMA_PATH, "r");
    yaml_parser_t parser;

    cr_assert(file, "%s", SCHEMA_PATH);
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_file(&parser, file);
    cr_assert(yaml_parser_load(&parser, &schema), "%s", parser.problem);
    yaml_parser_delete(&parser);
    fclose(file);
}

static void delete_schema(void)
{
    yaml_document_delete(&schema);
}

TestSuite(keys, .init = load_schema, .fini = delete_schema);

static const yaml_node_t *member(const yaml_node_t *node, const char *name)
{
    if (!node || node->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(&schema, pair->key);

        if (!strcmp((const char *)key->data.scalar.value, name))
            return yaml_document_get_node(&schema, pair->value);
    }
    return NULL;
}

/* The schema of a scope: the top for MANIFEST, $defs/<scope> in small letters for the others. */
static const yaml_node_t *scope_schema(const char *scope)
{
    const yaml_node_t *top = yaml_document_get_root_node(&schema);
    char name[32] = "";

    if (!strcmp(scope, "MANIFEST"))
        return top;
    for (size_t i = 0; scope[i]; i++)
        name[i] = (char)(scope[i] | 0x20);
    return member(member(top, "$defs"), name);
}

static int is_required(const yaml_node_t *object, const char *name)
{
    const yaml_node_t *list = member(object, "required");

    if (!list)
        return 0;
    for (yaml_node_item_t *item = list->data.sequence.items.start;
         item < list->data.sequence.items.top; item++)
        if (!strcmp((const char *)yaml_document_get_node(&schema, *item)->data.scalar.value, name))
            return 1;
    return 0;
}

Test(keys, every_key_of_the_parser_is_in_the_schema)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const yaml_node_t *object = scope_schema(rows[i].scope);

        cr_expect(member(member(object, "properties"), rows[i].name), "%s.%s", rows[i].scope,
                  rows[i].name);
        cr_expect_eq(is_required(object, rows[i].name), rows[i].required, "required: %s.%s",
                     rows[i].scope, rows[i].name);
    }
}

Test(keys, every_property_of_the_schema_is_a_key_of_the_parser)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const yaml_node_t *object = scope_schema(rows[i].scope);
        const yaml_node_t *properties = member(object, "properties");
        const yaml_node_t *closed = member(object, "additionalProperties");

        cr_assert(properties, "%s", rows[i].scope);
        cr_expect(closed && !strcmp((const char *)closed->data.scalar.value, "false"),
                  "%s allows others", rows[i].scope);
        for (yaml_node_pair_t *pair = properties->data.mapping.pairs.start;
             pair < properties->data.mapping.pairs.top; pair++) {
            const yaml_node_t *key = yaml_document_get_node(&schema, pair->key);
            int found = 0;

            for (size_t j = 0; j < ROW_COUNT; j++)
                found |= !strcmp(rows[j].scope, rows[i].scope) &&
                         !strcmp(rows[j].name, (const char *)key->data.scalar.value);
            cr_expect(found, "%s.%s", rows[i].scope, key->data.scalar.value);
        }
    }
}

Test(keys, the_schema_lists_every_set_and_channel)
{
    static const char *const channels[] = {
#define CHANNEL(id, name, title) name,
#include "tallyman/channels.def"
#undef CHANNEL
    };
    const yaml_node_t *top = yaml_document_get_root_node(&schema);
    const yaml_node_t *sets =
        member(member(member(member(top, "properties"), "use"), "items"), "enum");
    const yaml_node_t *names =
        member(member(member(scope_schema("WAIVER"), "properties"), "channel"), "enum");

    cr_assert(sets && names);
    cr_assert_eq(sets->data.sequence.items.top - sets->data.sequence.items.start,
                 manifest_set_count());
    for (int i = 0; i < manifest_set_count(); i++)
        cr_expect_str_eq(
            (const char *)yaml_document_get_node(&schema, sets->data.sequence.items.start[i])
                ->data.scalar.value,
            manifest_set_name(i));
    cr_assert_eq(names->data.sequence.items.top - names->data.sequence.items.start,
                 (long)(sizeof(channels) / sizeof(channels[0])));
    for (size_t i = 0; i < sizeof(channels) / sizeof(channels[0]); i++)
        cr_expect_str_eq(
            (const char *)yaml_document_get_node(&schema, names->data.sequence.items.start[i])
                ->data.scalar.value,
            channels[i]);
}
