/* SPDX-License-Identifier: MIT */
#include "declaration.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "die.h"
#include "endpoint.h"
#include "group.h"
#include "manifest_text.h"
#include "map.h"
#include "operation.h"

#define MOST_NAMES    5  /* single names in one folder, before the folder stands for them */
#define MOST_OF_OWNER 25 /* the same of one package: others have files in its folders */

static struct places places_of(const struct analysis *analysis)
{
    return (struct places){analysis->root, analysis->home, analysis->user, analysis->host};
}

/* Where a waiver has to stand: reading /dev/urandom is waived as a file. */
static enum channel channel_of(const struct analysis_finding *finding)
{
    return finding->member_count ? operation_channel(finding->members[0].operation)
                                 : finding->channel;
}

/* --- which paths ---------------------------------------------------------------------------- */

/* By member: the first with its subject? The caller frees. */
static bool *first_of_subject(const struct analysis_finding *finding)
{
    bool *first = xcalloc(finding->member_count, sizeof *first);
    struct map seen = {0};

    for (size_t i = 0; i < finding->member_count; i++) {
        uint32_t *slot = map_slot(&seen, (struct map_key){0, finding->members[i].subject_number});

        first[i] = *slot == MAP_NONE;
        *slot = 0;
    }
    map_fini(&seen);
    return first;
}

/* Folders that are named alone only when few of a finding's members are in them. */
struct folders {
    size_t most; /* members that are named one by one */
    struct names names;
    struct folder {
        struct text path;
        size_t members;
    } * rows; /* by the numbers in `names` */
};

static struct text folder_of_member(const struct places *places,
                                    const struct analysis_finding *finding, size_t number)
{
    const struct analysis_member *member = &finding->members[number];

    /* As if nobody owned it, so that it is the place that counts. */
    return group_of(places, CHANNEL_FILESYSTEM, member->operation, finding->class, member->subject,
                    (struct text){"", 0})
        .name;
}

static void sort_into_folders(struct folders *folders, const struct places *places,
                              const struct analysis_finding *finding, const bool *first)
{
    folders->rows = xcalloc(finding->member_count, sizeof *folders->rows);
    for (size_t i = 0; i < finding->member_count; i++) {
        struct text path = folder_of_member(places, finding, i);
        struct folder *folder = &folders->rows[names_add(&folders->names, path.bytes, path.length)];

        folder->path = path;
        folder->members += first[i];
    }
}

/* Lies in a larger folder that stands for all below it? */
static bool is_covered(const struct folders *folders, struct text path, bool is_member)
{
    for (size_t i = 0; i < folders->names.count; i++) {
        const struct folder *folder = &folders->rows[i];

        if (folder->members > folders->most && path_is_within(path, folder->path) &&
            (is_member || path.length > folder->path.length))
            return true;
    }
    return false;
}

/* Calls for each path that stands for the members: for themselves where they are few. */
static void each_path(const struct places *places, const struct analysis_finding *finding,
                      void (*add)(struct text path, bool below, void *data), void *data)
{
    cleanup_free bool *first = first_of_subject(finding);
    struct folders folders = {.most = finding->package.length ? MOST_OF_OWNER : MOST_NAMES};

    if (finding->subjects > folders.most)
        sort_into_folders(&folders, places, finding, first);
    for (size_t i = 0; i < folders.names.count; i++)
        if (folders.rows[i].members > folders.most &&
            !is_covered(&folders, folders.rows[i].path, false))
            add(folders.rows[i].path, true, data);
    for (size_t i = 0; i < finding->member_count; i++)
        if (first[i] && !is_covered(&folders, finding->members[i].subject, true))
            add(finding->members[i].subject, false, data);
    names_fini(&folders.names);
    free(folders.rows);
}

/* --- declarations --------------------------------------------------------------------------- */

struct lines {
    struct buffer *out;
    struct places places;
    const char *start, *end; /* around each */
};

static void add_path_line(struct text path, bool below, void *data)
{
    const struct lines *lines = data;

    buffer_add_text(lines->out, lines->start);
    manifest_add_path(lines->out, &lines->places, path, below);
    buffer_add_text(lines->out, lines->end);
}

bool package_is_debian(struct text package)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789+.-";
    const char *space = memchr(package.bytes, ' ', package.length);
    size_t length = space ? (size_t)(space - package.bytes) : 0;

    return length && strspn(package.bytes, letters) == length;
}

void declaration_add_package(struct buffer *out, struct text package, bool pinned)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;
    const char *space = memchr(package.bytes, ' ', package.length);
    size_t name = (size_t)(space - package.bytes);
    const char *dash = memrchr(space, '-', package.length - name);

    buffer_add(&text, package.bytes, name);
    if (pinned) {
        buffer_add_char(&text, '=');
        buffer_add(&text, space + 1,
                   (dash ? (size_t)(dash - package.bytes) : package.length) - name - 1);
        buffer_add_char(&text, '*');
    }
    buffer_add_text(out, "{package: ");
    manifest_add_scalar(out, text.data, text.length);
    buffer_add_char(out, '}');
}

static const char *section_of(const struct analysis_finding *finding)
{
    switch (finding->class) {
    case FINDING_WRITE:
        return finding->category->id == CATEGORY_TEMPORARY ? "scratch:\n" : "outputs:\n";
    case FINDING_PROBE:
        return "absent:\n";
    default:
        return "inputs:\n";
    }
}

static void declare_files(struct buffer *out, const struct analysis *analysis,
                          const struct analysis_finding *finding)
{
    struct lines lines = {out, places_of(analysis), "  - ", "\n"};

    if (finding->class == FINDING_READ && package_is_debian(finding->package)) {
        buffer_add_text(out, "inputs:\n  - ");
        declaration_add_package(out, finding->package, true);
        buffer_add_char(out, '\n');
        return;
    }
    buffer_add_text(out, section_of(finding));
    /* Temporary names are other ones the next time. */
    if (finding->category->id == CATEGORY_TEMPORARY)
        add_path_line(finding->subject, true, &lines);
    else
        each_path(&lines.places, finding, add_path_line, &lines);
}

/* A host that was looked up has no port; a port of this machine has one name for all its addresses.
 */
bool declaration_add_endpoint(struct buffer *out, enum event_kind kind, struct text subject)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._-";
    struct endpoint endpoint = endpoint_of(subject);
    cleanup_buffer struct buffer text = BUFFER_INIT;

    if (kind == EVENT_LOOKUP) {
        if (strspn(subject.bytes, letters) < subject.length)
            return false;
        buffer_printf(&text, "%s:*", subject.bytes);
    } else if (endpoint.kind == ENDPOINT_LOOPBACK) {
        buffer_printf(&text, "loopback:%" PRId64, endpoint.port);
    } else if (endpoint.kind == ENDPOINT_PATH || endpoint.kind == ENDPOINT_NAME) {
        manifest_add_name(out, subject);
        return true;
    } else {
        buffer_add(&text, subject.bytes, subject.length);
    }
    manifest_add_scalar(out, text.data, text.length);
    return true;
}

static void declare_endpoint(struct buffer *out, const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer endpoint = BUFFER_INIT;

    if (declaration_add_endpoint(&endpoint, finding->members[0].operation, finding->subject))
        buffer_printf(out, "network:\n  - %s\n", endpoint.data);
}

bool finding_is_glance(const struct analysis_finding *finding)
{
    const uint32_t glances = 1u << ACCESS_LOOK | 1u << ACCESS_LIST;

    return finding->channel == CHANNEL_FILESYSTEM && finding->class == FINDING_READ &&
           !(finding->kinds & ~glances);
}

/* What became of inputs and processes is no access, and no rule judges it. */
static bool is_judged(const struct analysis_finding *finding)
{
    return finding->category->id != CATEGORY_INPUT_CHANGED &&
           finding->category->id != CATEGORY_SURVIVOR;
}

/* A rule for a folder that was only looked at would
 * declare all below it; what declares the files there declares the folder as well. */
static bool can_be_declared(const struct analysis_finding *finding)
{
    return is_judged(finding) && !(finding_is_glance(finding) && !finding->package.length &&
                                   strcmp(finding->group, "folder") == 0);
}

void declaration_add(struct buffer *out, const struct analysis *analysis,
                     const struct analysis_finding *finding)
{
    /* Randomness from a device is declared as such. */
    enum channel channel =
        finding->channel == CHANNEL_RANDOMNESS ? CHANNEL_RANDOMNESS : channel_of(finding);

    if (!can_be_declared(finding))
        return;
    switch (channel) {
    case CHANNEL_FILESYSTEM:
        declare_files(out, analysis, finding);
        break;
    case CHANNEL_NETWORK:
        declare_endpoint(out, finding);
        break;
    case CHANNEL_ENVIRONMENT:
        buffer_add_text(out, "environment:\n  ");
        manifest_add_name(out, finding->subject);
        buffer_add_text(out, ": {pass: true}\n");
        break;
    case CHANNEL_COUNT:
        break;
    default:
        buffer_printf(out, "%s: real\n", channel_name(channel));
        break;
    }
}

/* --- waivers -------------------------------------------------------------------------------- */

#define WAIVER_START "- {channel: %s, subject: "
#define WAIVER_END   ", reason: \"say why\", owner: \"say who\"}\n"

void waiver_add(struct buffer *out, const struct analysis *analysis,
                const struct analysis_finding *finding)
{
    const char *channel = channel_name(channel_of(finding));
    cleanup_buffer struct buffer start = BUFFER_INIT;
    struct lines lines = {out, places_of(analysis), NULL, WAIVER_END};

    if (channel_of(finding) == CHANNEL_COUNT || !finding->member_count || !is_judged(finding))
        return;
    buffer_printf(&start, WAIVER_START, channel);
    lines.start = start.data;
    if (channel_of(finding) == CHANNEL_FILESYSTEM) {
        each_path(&lines.places, finding, add_path_line, &lines);
        return;
    }
    buffer_add_text(out, start.data);
    manifest_add_name(out, finding->subject);
    buffer_add_text(out, WAIVER_END);
}
