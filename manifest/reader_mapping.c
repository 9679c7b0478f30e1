/* SPDX-License-Identifier: MIT
 *
 * Mappings with known keys.
 */
#include "reader.h"

#include <stdlib.h>
#include <string.h>
#include "spelling.h"

static const struct key {
    enum scope scope;
    const char *name;
    void (*read)(struct reader *, const struct value *);
    bool required;
    const char *expects;
} keys[] = {
#define KEY(scope, name, read, required, expects)                                                  \
    {SCOPE_##scope, #name, read_##read, required, expects},
#include "keys.def"
#undef KEY
};

#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))

static int compare_nodes(const void *left, const void *right)
{
    const yaml_node_t *a = *(yaml_node_t *const *)left, *b = *(yaml_node_t *const *)right;
    size_t shorter = a->data.scalar.length < b->data.scalar.length ? a->data.scalar.length
                                                                   : b->data.scalar.length;
    int order = memcmp(a->data.scalar.value, b->data.scalar.value, shorter);

    if (order)
        return order;
    if (a->data.scalar.length != b->data.scalar.length)
        return a->data.scalar.length < b->data.scalar.length ? -1 : 1;
    return a->start_mark.index < b->start_mark.index ? -1
                                                     : a->start_mark.index > b->start_mark.index;
}

static bool same_key(const yaml_node_t *a, const yaml_node_t *b)
{
    return a->data.scalar.length == b->data.scalar.length &&
           !memcmp(a->data.scalar.value, b->data.scalar.value, a->data.scalar.length);
}

void reader_check_duplicates(struct reader *reader, const yaml_node_t *mapping)
{
    size_t room = (size_t)(mapping->data.mapping.pairs.top - mapping->data.mapping.pairs.start);
    yaml_node_t **sorted = xcalloc(room + 1, sizeof(*sorted));
    size_t count = 0, first = 0;

    for (size_t i = 0; i < room; i++) {
        yaml_node_t *key = reader_node(reader, mapping->data.mapping.pairs.start[i].key);

        if (key->type == YAML_SCALAR_NODE)
            sorted[count++] = key;
    }
    qsort(sorted, count, sizeof(*sorted), compare_nodes);
    for (size_t i = 1; i < count; i++) {
        if (!same_key(sorted[first], sorted[i]))
            first = i;
        else
            reader_report(reader, sorted[i],
                          "duplicate key \"%s\": it was given before in line %d; keep one of them",
                          sorted[i]->data.scalar.value, reader_line(sorted[first]));
    }
    free(sorted);
}

static const struct key *find_key(enum scope scope, const yaml_node_t *node)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (keys[i].scope == scope && reader_is_word(node, keys[i].name))
            return &keys[i];
    return NULL;
}

static void report_unknown(struct reader *reader, enum scope scope, const yaml_node_t *node)
{
    const char *names[KEY_COUNT + 1];
    const char *near = NULL;
    struct buffer known = BUFFER_INIT;
    size_t count = 0;

    if (node->type != YAML_SCALAR_NODE || reader->problem_count >= READER_PROBLEMS_MAX) {
        reader_report(reader, node, "expected a key that is a word");
        return;
    }
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (keys[i].scope != scope)
            continue;
        buffer_printf(&known, "%s%s", count ? ", " : "", keys[i].name);
        names[count++] = keys[i].name;
    }
    names[count] = NULL;
    near = spelling_nearest_of((const char *)node->data.scalar.value, names);
    if (near)
        reader_report(reader, node, "unknown key \"%s\"; did you mean \"%s\"?",
                      node->data.scalar.value, near);
    else
        reader_report(reader, node, "unknown key \"%s\"; expected one of %s",
                      node->data.scalar.value, known.data);
    buffer_fini(&known);
}

static void check_known(struct reader *reader, const yaml_node_t *mapping, enum scope scope)
{
    const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;

    for (; pair < mapping->data.mapping.pairs.top; pair++) {
        const yaml_node_t *node = reader_node(reader, pair->key);

        if (!find_key(scope, node))
            report_unknown(reader, scope, node);
    }
}

static const yaml_node_pair_t *find_pair(struct reader *reader, const yaml_node_t *mapping,
                                         const char *name)
{
    const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;

    for (; pair < mapping->data.mapping.pairs.top; pair++)
        if (reader_is_word(reader_node(reader, pair->key), name))
            return pair;
    return NULL;
}

void reader_mapping(struct reader *reader, const yaml_node_t *node, enum scope scope,
                    const char *expects, size_t rule)
{
    if (node->type != YAML_MAPPING_NODE) {
        reader_expected(reader, node, expects);
        return;
    }
    check_known(reader, node, scope);
    reader_check_duplicates(reader, node);
    for (size_t i = 0; i < KEY_COUNT; i++) {
        const yaml_node_pair_t *pair;
        struct value value;

        if (keys[i].scope != scope)
            continue;
        pair = find_pair(reader, node, keys[i].name);
        if (!pair) {
            if (keys[i].required && !reader->set)
                reader_report(reader, node, "missing key \"%s\": expected %s", keys[i].name,
                              keys[i].expects);
            continue;
        }
        value.key = reader_node(reader, pair->key);
        value.node = reader_node(reader, pair->value);
        value.expects = keys[i].expects;
        value.rule = rule;
        keys[i].read(reader, &value);
    }
}
