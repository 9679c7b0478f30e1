/* SPDX-License-Identifier: MIT
 *
 * Fingerprints are written into baselines and compared over years: what goes into the hash, and in
 * which order, only changes together with VERSION.
 */
#include "group.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "category.h"
#include "operation.h"

#define VERSION "tallyman finding 2"

static void add_path(struct buffer *out, const struct places *places, struct text path)
{
    static const char *const signs[] = {
        [PLACE_ROOT] = "{root}",
        [PLACE_BESIDE] = "{root}/..",
        [PLACE_HOME] = "~",
        [PLACE_ELSEWHERE] = "",
    };
    struct text rest;

    buffer_add_text(out, signs[places_find(places, path, &rest)]);
    buffer_add(out, rest.bytes, rest.length);
}

static bool same(struct text one, struct text other)
{
    return one.length == other.length && one.length > 0 &&
           memcmp(one.bytes, other.bytes, one.length) == 0;
}

static void add_name(struct buffer *out, const struct places *places, struct text name)
{
    const char *colon = memchr(name.bytes, ':', name.length);
    struct text rest = name;

    if (colon) {
        rest.bytes = colon + 1;
        rest.length = name.length - (size_t)(rest.bytes - name.bytes);
        buffer_add(out, name.bytes, name.length - rest.length);
    }
    if (same(rest, places->user))
        buffer_add_text(out, "{user}");
    else if (same(rest, places->host))
        buffer_add_text(out, "{host}");
    else if (rest.length && rest.bytes[0] == '/')
        add_path(out, places, rest);
    else
        buffer_add(out, rest.bytes, rest.length);
}

const char *group_category_word(enum category_id category)
{
    if (category_is_installed(category))
        return "installed";
    if (category == CATEGORY_ENVIRONMENT_READ || category == CATEGORY_ENVIRONMENT_VISIBLE)
        return "variable";
    return category_of_id(category)->name;
}

void group_add_stable_name(const struct places *places, enum channel channel, struct text name,
                           struct buffer *out)
{
    if (channel == CHANNEL_FILESYSTEM)
        add_path(out, places, name);
    else
        add_name(out, places, name);
}

void group_add_what(struct buffer *out, enum channel channel, enum finding_class class,
                    enum event_kind kind)
{
    if (channel == CHANNEL_FILESYSTEM || channel == CHANNEL_ENVIRONMENT)
        buffer_add_text(out, analysis_class_name(class));
    else
        buffer_printf(out, "%s%s", operation_name(kind), class == FINDING_PROBE ? " probe" : "");
}

void group_fingerprint(const struct places *places, enum channel channel, const char *what,
                       const struct group *group, char fingerprint[17])
{
    cleanup_buffer struct buffer text = BUFFER_INIT;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;

    buffer_printf(&text, "%s%c%s%c%s%c%s%c%s%c", VERSION, 0, channel_name(channel), 0, what, 0,
                  group_category_word(group->category), 0, group->kind, 0);
    group_add_stable_name(places, channel, group->name, &text);
    if (!EVP_Digest(text.data, text.length, digest, &length, EVP_sha256(), NULL))
        die("cannot compute a SHA-256");
    for (unsigned i = 0; i < 8; i++)
        snprintf(fingerprint + 2 * i, 3, "%02x", digest[i]);
}
