/* SPDX-License-Identifier: MIT
 *
 * environment, network, waivers, actions.
 */
#include "parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cleanup.h"
#include "spelling.h"
#include "pattern.h"

static void read_variable(struct reader *reader, const yaml_node_t *key, const yaml_node_t *node)
{
    const char *name = reader_text(reader, key, "the name of a variable");
    bool pattern = name && pattern_has_wildcard(name, strlen(name));
    struct rule *rule;

    if (!name)
        return;
    if (strchr(name, '=')) {
        reader_report(reader, key, "the pattern can never match: no variable has = in its name");
        return;
    }
    rule = parse_add_rule(reader, key, POLICY_ENVIRONMENT);
    if (!rule)
        return;
    rule->written = xstrdup(name);
    rule->pattern = pattern_text(reader, key, name);
    if (node->type == YAML_MAPPING_NODE) {
        reader_mapping(reader, node, SCOPE_VARIABLE, "a value, or {pass: true}", 0);
    } else if (pattern) {
        reader_report(reader, node,
                      "a pattern of variables cannot have one value; expected "
                      "{pass: true}");
    } else {
        const char *text = reader_text(reader, node, "a value, or {pass: true}");

        rule->value = text ? pattern_value(reader, node, text) : NULL;
    }
}

void read_environment(struct reader *reader, const struct value *value)
{
    const yaml_node_pair_t *pair;

    if (value->node->type != YAML_MAPPING_NODE) {
        reader_expected(reader, value->node, value->expects);
        return;
    }
    reader_check_duplicates(reader, value->node);
    pair = value->node->data.mapping.pairs.start;
    for (; pair < value->node->data.mapping.pairs.top; pair++)
        read_variable(reader, reader_node(reader, pair->key), reader_node(reader, pair->value));
}

void read_pass(struct reader *reader, const struct value *value)
{
    bool pass;

    if (reader_flag(reader, value->node, value->expects, &pass) && !pass)
        reader_report(reader, value->node,
                      "expected true; leave out a variable that the command shall "
                      "not get");
}

#define ENDPOINT_EXPECTED "\"host:port\", \"loopback:port\" or \"unix:/path\""

static bool parse_port(const char *text, uint32_t *port)
{
    size_t digits = strspn(text, "0123456789");

    *port = POLICY_NONE;
    if (!strcmp(text, "*"))
        return true;
    if (!digits || digits > 5 || text[digits])
        return false;
    *port = (uint32_t)strtoul(text, NULL, 10);
    return *port <= 65535;
}

static bool is_address(const char *host)
{
    return strchr(host, ':') || !host[strspn(host, "0123456789.*?[]")];
}

static void read_host_and_port(struct reader *reader, const yaml_node_t *node, const char *text,
                               struct rule *rule)
{
    const char *colon = strrchr(text, ':');
    cleanup_free char *host = NULL;
    size_t length;

    if (!colon || colon == text) {
        reader_report(reader, node, "expected %s, but \"%s\" has no %s", ENDPOINT_EXPECTED, text,
                      colon ? "host" : "port");
        return;
    }
    if (!parse_port(colon + 1, &rule->port)) {
        reader_report(reader, node, "expected a port from 0 to 65535, or * for any, not \"%s\"",
                      colon + 1);
        return;
    }
    length = (size_t)(colon - text);
    if (text[0] == '[' && text[length - 1] == ']' && memchr(text, ':', length)) {
        host = xmemdup(text + 1, length - 2);
    } else if (memchr(text, ':', length)) {
        reader_report(reader, node, "expected an IPv6 address in brackets: \"[%.*s]%s\"",
                      (int)length, text, colon);
        return;
    } else {
        host = xmemdup(text, length);
    }
    if (strpbrk(host, "/ \t@")) {
        reader_report(reader, node, "expected %s; \"%s\" is no name of a host", ENDPOINT_EXPECTED,
                      host);
        return;
    }
    if (!strcmp(host, "loopback"))
        rule->endpoint = POLICY_ENDPOINT_LOOPBACK;
    else
        rule->endpoint =
            is_address(host) && strcmp(host, "*") ? POLICY_ENDPOINT_ADDRESS : POLICY_ENDPOINT_HOST;
    rule->pattern = pattern_text(reader, node, host);
}

static void read_endpoint(struct reader *reader, const yaml_node_t *node, const struct value *value)
{
    const char *text = reader_text(reader, node, ENDPOINT_EXPECTED);
    struct rule *rule = text ? parse_add_rule(reader, node, POLICY_ENDPOINT) : NULL;

    (void)value;
    if (!rule)
        return;
    rule->written = xstrdup(text);
    if (!strncmp(text, "unix:", 5)) {
        rule->endpoint = POLICY_ENDPOINT_UNIX;
        if (text[5] == '@')
            rule->pattern = pattern_text(reader, node, text + 5);
        else
            rule->pattern = pattern_path(reader, node, text + 5, reader->manifest->root);
    } else if (!strncmp(text, "netlink:", 8)) {
        rule->endpoint = POLICY_ENDPOINT_NETLINK;
        rule->pattern = pattern_text(reader, node, text + 8);
    } else {
        read_host_and_port(reader, node, text, rule);
    }
}

void read_network(struct reader *reader, const struct value *value)
{
    parse_list(reader, value, read_endpoint);
}

static const char *const channel_names[] = {
#define CHANNEL(id, name, title) name,
#include "tallyman/channels.def"
#undef CHANNEL
    NULL};

void read_waiver_channel(struct reader *reader, const struct value *value)
{
    const char *name = reader_text(reader, value->node, value->expects);
    const char *near;

    if (!name)
        return;
    for (uint32_t i = 0; channel_names[i]; i++)
        if (!strcmp(name, channel_names[i])) {
            reader->manifest->rules[value->rule].channel = i;
            return;
        }
    near = spelling_nearest_of(name, channel_names);
    if (near)
        reader_report(reader, value->node, "unknown channel \"%s\"; did you mean \"%s\"?", name,
                      near);
    else
        reader_report(reader, value->node,
                      "unknown channel \"%s\"; expected filesystem, network, clock, environment, "
                      "randomness, identity or resources",
                      name);
}

void read_waiver_subject(struct reader *reader, const struct value *value)
{
    struct rule *rule = &reader->manifest->rules[value->rule];
    const char *text = reader_text(reader, value->node, value->expects);

    if (!text)
        return;
    rule->written = xstrdup(text);
    if (rule->channel == CHANNEL_FILESYSTEM)
        rule->pattern = pattern_path(reader, value->node, text, reader->manifest->root);
    else
        rule->pattern = pattern_text(reader, value->node, text);
}

void read_waiver_reason(struct reader *reader, const struct value *value)
{
    const char *text = reader_text(reader, value->node, value->expects);

    if (text && !*text)
        reader_report(reader, value->node, "expected the reason why this is accepted for now");
}

void read_waiver_owner(struct reader *reader, const struct value *value)
{
    const char *text = reader_text(reader, value->node, value->expects);

    if (text)
        reader->manifest->rules[value->rule].owner = xstrdup(text);
}

static bool parse_date(const char *text, struct tm *date)
{
    struct tm given = {0};
    int end = 0;

    if (strlen(text) != 10 ||
        sscanf(text, "%4d-%2d-%2d%n", &given.tm_year, &given.tm_mon, &given.tm_mday, &end) != 3 ||
        end != 10 || text[strspn(text, "0123456789-")])
        return false;
    given.tm_year -= 1900;
    given.tm_mon--;
    *date = given;
    given.tm_hour = 12;
    /* timegm turns the 31st of June into the 1st of July. */
    return timegm(&given) != -1 && given.tm_mon == date->tm_mon && given.tm_mday == date->tm_mday;
}

void read_waiver_expires(struct reader *reader, const struct value *value)
{
    struct rule *rule = &reader->manifest->rules[value->rule];
    const char *text = reader_text(reader, value->node, value->expects);
    char today[32];
    struct tm date, now;
    time_t clock = time(NULL);

    if (!text)
        return;
    if (!parse_date(text, &date)) {
        reader_report(reader, value->node, "expected %s, not \"%s\"", value->expects, text);
        return;
    }
    rule->has_date = true;
    gmtime_r(&clock, &now);
    strftime(today, sizeof(today), "%Y-%m-%d", &now);
    if (strcmp(text, today) < 0)
        reader_report(
            reader, value->node,
            "the waiver for \"%s\" expired on %s; its owner is %s: remove what it waives, or "
            "agree on a new date",
            rule->written ? rule->written : "?", text, rule->owner ? rule->owner : "not named");
}

static void read_waiver(struct reader *reader, const yaml_node_t *node, const struct value *value)
{
    struct rule *rule = parse_add_rule(reader, node, POLICY_WAIVER);

    (void)value;
    if (rule)
        reader_mapping(reader, node, SCOPE_WAIVER, "{channel: ..., subject: ..., reason: ...}",
                       (size_t)(rule - reader->manifest->rules));
}

void read_waivers(struct reader *reader, const struct value *value)
{
    parse_list(reader, value, read_waiver);
}

static void read_action(struct reader *reader, const yaml_node_t *node, const struct value *value)
{
    struct manifest *manifest = reader->manifest;
    size_t index = manifest->action_count;

    (void)value;
    if (index >= MANIFEST_ACTIONS_MAX) {
        if (index == MANIFEST_ACTIONS_MAX && !manifest->full)
            reader_report(reader, node, "expected at most %u actions", MANIFEST_ACTIONS_MAX);
        manifest->full = true;
        return;
    }
    model_add_action(manifest);
    reader->action = (uint32_t)index;
    reader_mapping(reader, node, SCOPE_ACTION, "{name: ..., match: ..., inputs: ...}", index);
    reader->action = POLICY_NONE;
}

void read_actions(struct reader *reader, const struct value *value)
{
    parse_list(reader, value, read_action);
}

void read_action_name(struct reader *reader, const struct value *value)
{
    const char *text = reader_text(reader, value->node, value->expects);
    struct manifest *manifest = reader->manifest;

    if (!text)
        return;
    for (size_t i = 0; i < value->rule; i++)
        if (manifest->actions[i].name && !strcmp(manifest->actions[i].name, text)) {
            reader_report(reader, value->node, "another action is called \"%s\"", text);
            break;
        }
    manifest->actions[value->rule].name = xstrdup(text);
}

void read_action_match(struct reader *reader, const struct value *value)
{
    reader_mapping(reader, value->node, SCOPE_MATCH, value->expects, value->rule);
    if (value->node->type == YAML_MAPPING_NODE &&
        value->node->data.mapping.pairs.start == value->node->data.mapping.pairs.top)
        reader_report(reader, value->node,
                      "expected %s; an action without them takes every process", value->expects);
}

/* A name without slash is looked for in any folder; the pattern is kept without the first slash, as
 * match_path() takes it. */
void read_match_exe(struct reader *reader, const struct value *value)
{
    const char *text = reader_text(reader, value->node, value->expects);
    bool anywhere = text && (!strchr(text, '/') || !strncmp(text, "**/", 3));
    cleanup_free char *pattern = NULL;

    if (!text)
        return;
    if (anywhere && strncmp(text, "**/", 3)) {
        cleanup_free char *below = xprintf("**/%s", text);

        pattern = pattern_path(reader, value->node, below, "");
    } else {
        pattern = pattern_path(reader, value->node, text, anywhere ? "" : reader->manifest->root);
    }
    if (pattern)
        reader->manifest->actions[value->rule].exe = xstrdup(pattern + 1);
}

void read_match_argument(struct reader *reader, const struct value *value)
{
    const char *text = reader_text(reader, value->node, value->expects);

    if (text)
        reader->manifest->actions[value->rule].argument = pattern_text(reader, value->node, text);
}
