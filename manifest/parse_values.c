/* SPDX-License-Identifier: MIT
 *
 * clock, randomness, identity, resources: `real`, or a value.
 */
#include "parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ID_MAX 4294967294u /* (uid_t)-1 means "no user" */

/* The rule that a reader of a report sees: the value as it stands in the file. */
static void add_value_rule(struct reader *reader, const struct value *value, enum channel channel)
{
    const yaml_node_t *node = value->node;
    struct rule *rule = parse_add_rule(reader, value->key, POLICY_VALUE);

    if (!rule)
        return;
    rule->channel = channel;
    if (node->type == YAML_SCALAR_NODE) {
        rule->written = xmemdup(node->data.scalar.value, node->data.scalar.length);
    } else if (node->start_mark.line == node->end_mark.line) {
        size_t start = reader_offset(reader, node->start_mark.index);
        size_t end = reader_offset(reader, node->end_mark.index);

        rule->written = xmemdup(reader->text + start, end - start);
    } else {
        rule->written = xstrdup("{...}");
    }
}

/* Takes `real`; false when the node is something else. */
static bool take_real(struct reader *reader, const yaml_node_t *node, uint32_t bits)
{
    if (!reader_is_word(node, "real"))
        return false;
    reader->manifest->given |= bits;
    return true;
}

static void take_fixed(struct reader *reader, uint32_t bit)
{
    reader->manifest->given |= bit;
    reader->manifest->fixed |= bit;
}

void read_clock(struct reader *reader, const struct value *value)
{
    add_value_rule(reader, value, CHANNEL_CLOCK);
    if (take_real(reader, value->node, POLICY_CLOCK))
        return;
    if (value->node->type == YAML_MAPPING_NODE)
        reader_mapping(reader, value->node, SCOPE_CLOCK, value->expects, 0);
    else
        read_clock_at(reader, value);
}

void read_clock_at(struct reader *reader, const struct value *value)
{
    uint64_t seconds;

    if (!reader_number(reader, value->node, INT64_MAX / 1000000000, value->expects, &seconds))
        return;
    reader->manifest->clock = (int64_t)seconds;
    take_fixed(reader, POLICY_CLOCK);
}

void read_clock_advance(struct reader *reader, const struct value *value)
{
    bool advance;

    if (reader_flag(reader, value->node, value->expects, &advance) && advance)
        reader->manifest->fixed |= POLICY_CLOCK_ADVANCE;
}

void read_randomness(struct reader *reader, const struct value *value)
{
    add_value_rule(reader, value, CHANNEL_RANDOMNESS);
    if (!take_real(reader, value->node, POLICY_RANDOMNESS))
        reader_mapping(reader, value->node, SCOPE_RANDOMNESS, value->expects, 0);
}

void read_seed(struct reader *reader, const struct value *value)
{
    if (reader_number(reader, value->node, UINT64_MAX, value->expects, &reader->manifest->seed))
        take_fixed(reader, POLICY_RANDOMNESS);
}

void read_identity(struct reader *reader, const struct value *value)
{
    add_value_rule(reader, value, CHANNEL_IDENTITY);
    if (!take_real(reader, value->node, POLICY_USER | POLICY_UID | POLICY_GID | POLICY_HOST))
        reader_mapping(reader, value->node, SCOPE_IDENTITY, value->expects, 0);
}

static void read_name(struct reader *reader, const struct value *value, char **name, uint32_t bit)
{
    const char *text;

    if (take_real(reader, value->node, bit))
        return;
    text = reader_text(reader, value->node, value->expects);
    if (!text)
        return;
    if (!*text || strpbrk(text, ":/ \t\n") || strlen(text) > 64) {
        reader_report(reader, value->node, "expected %s", value->expects);
        return;
    }
    free(*name);
    *name = xstrdup(text);
    take_fixed(reader, bit);
}

void read_user(struct reader *reader, const struct value *value)
{
    read_name(reader, value, &reader->manifest->user, POLICY_USER);
}

void read_host(struct reader *reader, const struct value *value)
{
    read_name(reader, value, &reader->manifest->host, POLICY_HOST);
}

static void read_id(struct reader *reader, const struct value *value, uint32_t *id, uint32_t bit)
{
    uint64_t number;

    if (take_real(reader, value->node, bit) ||
        !reader_number(reader, value->node, ID_MAX, value->expects, &number))
        return;
    *id = (uint32_t)number;
    take_fixed(reader, bit);
}

void read_uid(struct reader *reader, const struct value *value)
{
    read_id(reader, value, &reader->manifest->uid, POLICY_UID);
}

void read_gid(struct reader *reader, const struct value *value)
{
    read_id(reader, value, &reader->manifest->gid, POLICY_GID);
}

void read_resources(struct reader *reader, const struct value *value)
{
    add_value_rule(reader, value, CHANNEL_RESOURCES);
    if (!take_real(reader, value->node, POLICY_CPUS | POLICY_MEMORY | POLICY_LIMITS))
        reader_mapping(reader, value->node, SCOPE_RESOURCES, value->expects, 0);
}

void read_cpus(struct reader *reader, const struct value *value)
{
    uint64_t number;

    if (take_real(reader, value->node, POLICY_CPUS) ||
        !reader_number(reader, value->node, 1u << 20, value->expects, &number))
        return;
    if (!number) {
        reader_report(reader, value->node, "expected %s", value->expects);
        return;
    }
    reader->manifest->cpus = (uint32_t)number;
    take_fixed(reader, POLICY_CPUS);
}

/* "4GiB", "512 MB", "1073741824": bytes, or 0 when it is none of these or too large. */
static uint64_t parse_size(const char *text)
{
    static const struct unit {
        const char *name;
        uint64_t bytes;
    } units[] = {{"", 1},
                 {"B", 1},
                 {"kB", 1000},
                 {"MB", 1000000},
                 {"GB", 1000000000},
                 {"TB", 1000000000000},
                 {"KiB", 1ull << 10},
                 {"MiB", 1ull << 20},
                 {"GiB", 1ull << 30},
                 {"TiB", 1ull << 40}};
    unsigned long long number;
    uint64_t bytes;
    char *end;

    if (!isdigit((unsigned char)text[0]))
        return 0;
    errno = 0;
    number = strtoull(text, &end, 10);
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (!strcmp(end, units[i].name) && !errno &&
            !__builtin_mul_overflow((uint64_t)number, units[i].bytes, &bytes))
            return bytes;
    return 0;
}

void read_memory(struct reader *reader, const struct value *value)
{
    const char *text;

    if (take_real(reader, value->node, POLICY_MEMORY))
        return;
    text = reader_text(reader, value->node, value->expects);
    if (!text)
        return;
    reader->manifest->memory = parse_size(text);
    if (!reader->manifest->memory)
        reader_report(reader, value->node, "expected %s", value->expects);
    else
        take_fixed(reader, POLICY_MEMORY);
}

void read_limits(struct reader *reader, const struct value *value)
{
    if (!take_real(reader, value->node, POLICY_LIMITS))
        reader_expected(reader, value->node, value->expects);
}
