/* SPDX-License-Identifier: MIT */
#include "nearest.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "match.h"
#include "model.h"
#include "spelling.h"

static const unsigned char channel_of[] = {
#define EVENT(id, channel, class, name, text) CHANNEL_##channel,
#include "tallyman/events.def"
#undef EVENT
};

static const unsigned char class_of[] = {
#define EVENT(id, channel, class, name, text) ACCESS_##class,
#include "tallyman/events.def"
#undef EVENT
};

static const char *const channel_names[] = {
#define CHANNEL(id, name, title) name,
#include "tallyman/channels.def"
#undef CHANNEL
};

/* How well a rule fits; the fields before count more than those after. */
struct fit {
    bool whole;        /* the pattern matches the name */
    size_t components; /* leading ones that match; variables and hosts: how alike they are */
    bool open;         /* up to a "**", so that only what follows is another */
    bool section;      /* the rule would declare this kind of use */
    bool written;      /* the manifest has the path, and not a package that owns files near it */
    size_t slip;       /* how far the components are apart in spelling where the two part */
    size_t common;     /* bytes of the name that match */
};

struct best {
    const struct rule *rule;
    struct fit fit;
};

static bool is_better(const struct fit *one, const struct fit *other)
{
    if (one->whole != other->whole)
        return one->whole;
    if (one->components != other->components)
        return one->components > other->components;
    if (one->open != other->open)
        return one->open;
    if (one->section != other->section)
        return one->section;
    if (one->written != other->written)
        return one->written;
    return one->slip <= other->slip;
}

static void consider(struct best *best, const struct rule *rule, const struct fit *fit)
{
    if (!best->rule || is_better(fit, &best->fit))
        *best = (struct best){rule, *fit};
}

static bool is_path_rule(const struct rule *rule)
{
    return rule->section <= POLICY_ABSENT && !rule->takes_away;
}

static bool declares(const struct rule *rule, const struct unmatched *unmatched)
{
    switch (rule->section) {
    case POLICY_INPUT:
        return class_of[unmatched->kind] != ACCESS_WRITE || unmatched->absent;
    case POLICY_ABSENT:
        return unmatched->absent;
    default:
        return true;
    }
}

static size_t component(const char *text, size_t length)
{
    const char *slash = memchr(text, '/', length);

    return slash ? (size_t)(slash - text) : length;
}

static size_t distance(const char *one, size_t one_length, const char *other, size_t other_length)
{
    cleanup_free char *a = xmemdup(one, one_length);
    cleanup_free char *b = xmemdup(other, other_length);

    return spelling_distance(a, b);
}

/* Both are absolute. `covers`: what lies below a folder that the pattern names belongs to it, which
 * the folders of a package do not mean. */
static void measure_path(const char *pattern, bool covers, const char *name, size_t length,
                         struct fit *fit)
{
    size_t left = strlen(pattern), at = 0;

    fit->whole = match_path(pattern + 1, covers, name + 1, length - 1);
    fit->slip = SIZE_MAX;
    while (left > 1 && at < length) {
        size_t have = component(name + at + 1, length - at - 1);
        size_t want = component(pattern + 1, left - 1);

        if (want == 2 && memcmp(pattern + 1, "**", 2) == 0) {
            fit->open = true;
            break;
        }
        if (!match_text(pattern + 1, want, name + at + 1, have)) {
            fit->slip = distance(pattern + 1, want, name + at + 1, have);
            break;
        }
        fit->components++;
        pattern += want + 1;
        left -= want + 1;
        at += have + 1;
    }
    fit->common = at;
}

static void compare_path(struct best *best, const struct rule *rule,
                         const struct unmatched *unmatched)
{
    struct fit fit = {.section = declares(rule, unmatched), .written = true};

    if (rule->pattern) {
        measure_path(rule->pattern, true, unmatched->name, unmatched->length, &fit);
        consider(best, rule, &fit);
    }
    for (size_t i = 0; i < rule->file_count; i++) {
        fit = (struct fit){.section = fit.section};
        measure_path(rule->files[i], false, unmatched->name, unmatched->length, &fit);
        consider(best, rule, &fit);
    }
}

/* Nothing that is alike is nearer than half of the letters. */
static void compare_spelling(struct best *best, const struct rule *rule, const char *name,
                             size_t length)
{
    struct fit fit = {.section = true};

    fit.slip = distance(rule->pattern, strlen(rule->pattern), name, length);
    if (fit.slip <= (length + 2) / 3)
        consider(best, rule, &fit);
}

/* Without the port, and without the brackets of an IPv6 address. */
static void host_of(const struct unmatched *unmatched, const char **host, size_t *length)
{
    const char *colon = memrchr(unmatched->name, ':', unmatched->length);

    *host = unmatched->name;
    *length = colon ? (size_t)(colon - unmatched->name) : unmatched->length;
    if (*length >= 2 && (*host)[0] == '[' && (*host)[*length - 1] == ']') {
        (*host)++;
        *length -= 2;
    }
}

static bool is_loopback(const char *host, size_t length)
{
    return (length == 3 && memcmp(host, "::1", 3) == 0) ||
           (length > 4 && memcmp(host, "127.", 4) == 0);
}

static void compare_endpoint(struct best *best, const struct rule *rule,
                             const struct unmatched *unmatched)
{
    struct fit fit = {.section = true};
    const char *host;
    size_t length;

    host_of(unmatched, &host, &length);
    if (rule->endpoint == POLICY_ENDPOINT_LOOPBACK)
        fit.whole = is_loopback(host, length);
    else if (rule->endpoint == POLICY_ENDPOINT_UNIX || rule->endpoint == POLICY_ENDPOINT_NETLINK)
        fit.whole = false;
    else
        fit.whole = match_text(rule->pattern, strlen(rule->pattern), host, length);
    if (fit.whole)
        consider(best, rule, &fit);
    else if (rule->endpoint == POLICY_ENDPOINT_UNIX && unmatched->length > 5 &&
             memcmp(unmatched->name, "unix:", 5) == 0)
        compare_spelling(best, rule, unmatched->name + 5, unmatched->length - 5);
    else
        compare_spelling(best, rule, host, length);
}

static void compare(struct best *best, const struct rule *rule, const struct unmatched *unmatched)
{
    switch (channel_of[unmatched->kind]) {
    case CHANNEL_FILESYSTEM:
        if (is_path_rule(rule) && unmatched->length && unmatched->name[0] == '/')
            compare_path(best, rule, unmatched);
        break;
    case CHANNEL_ENVIRONMENT:
        if (rule->section == POLICY_ENVIRONMENT && rule->pattern)
            compare_spelling(best, rule, unmatched->name, unmatched->length);
        break;
    case CHANNEL_NETWORK:
        if (rule->section == POLICY_ENDPOINT && rule->pattern)
            compare_endpoint(best, rule, unmatched);
        break;
    default:
        break;
    }
}

static enum nearest_why reason(const struct best *best, const struct unmatched *unmatched)
{
    if (channel_of[unmatched->kind] == CHANNEL_NETWORK)
        return best->fit.whole ? NEAREST_PORT : NEAREST_SPELLED;
    if (channel_of[unmatched->kind] != CHANNEL_FILESYSTEM)
        return NEAREST_SPELLED;
    if (!best->fit.whole)
        return NEAREST_PARTS;
    return best->fit.section && best->rule->action != POLICY_NONE ? NEAREST_ACTION
                                                                  : NEAREST_SECTION;
}

static void describe(const struct manifest *manifest, const struct best *best,
                     const struct unmatched *unmatched, struct nearest *nearest)
{
    nearest->why = reason(best, unmatched);
    nearest->common = best->fit.common;
    nearest->line = best->rule->line;
    model_add_text(best->rule, &nearest->rule);
    if (best->rule->action < manifest->action_count)
        buffer_add_text(&nearest->part, manifest->actions[best->rule->action].name);
}

/* Uses that are declared by a value and not by a name; NULL for the others. */
static const char *key_of(const struct unmatched *unmatched)
{
    static const char *const devices[] = {"/dev/urandom", "/dev/random", "/dev/hwrng"};
    enum channel channel = channel_of[unmatched->kind];

    if (unmatched->kind == EVENT_LOCALE)
        return "environment: LC_ALL";
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (class_of[unmatched->kind] == ACCESS_READ && unmatched->length == strlen(devices[i]) &&
            memcmp(unmatched->name, devices[i], unmatched->length) == 0)
            return channel_names[CHANNEL_RANDOMNESS];
    if (channel == CHANNEL_FILESYSTEM || channel == CHANNEL_NETWORK ||
        channel == CHANNEL_ENVIRONMENT || channel == CHANNEL_NONE)
        return NULL;
    return channel_names[channel];
}

void nearest_find(const struct manifest *manifest, const struct unmatched *unmatched,
                  struct nearest *nearest)
{
    struct best best = {0};
    const char *key = key_of(unmatched);

    *nearest = (struct nearest){.why = NEAREST_NONE};
    if (key) {
        nearest->why = NEAREST_KEY;
        buffer_add_text(&nearest->rule, key);
        return;
    }
    for (size_t i = 0; i < manifest->rule_count; i++)
        if (manifest->rules[i].section != POLICY_WAIVER)
            compare(&best, &manifest->rules[i], unmatched);
    if (best.rule && (channel_of[unmatched->kind] != CHANNEL_FILESYSTEM || best.fit.whole ||
                      best.fit.components))
        describe(manifest, &best, unmatched, nearest);
}

void nearest_fini(struct nearest *nearest)
{
    buffer_fini(&nearest->rule);
    buffer_fini(&nearest->part);
}
