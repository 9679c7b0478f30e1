/* SPDX-License-Identifier: MIT */
#include "finding_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "group.h"
#include "quote.h"
#include "text_parts.h"

#define MOST_USERS     4
#define MOST_NAMES     5
#define LONGEST_NAME   300 /* characters */
#define MANIFEST_TO_BE "tallyman.yaml"

void finding_add_name(struct buffer *out, const struct analysis *analysis,
                      const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer name = BUFFER_INIT;

    if (finding->package.length)
        quote_display(&name, finding->package.bytes, finding->package.length);
    else if (finding->service)
        add_service_name(&name, finding);
    else
        add_place(&name, analysis, finding->subject);
    quote_shortened(out, name.length ? name.data : "", name.length, LONGEST_NAME);
}

void finding_add_facts(struct buffer *out, const struct analysis *analysis,
                       const struct analysis_finding *finding)
{
    if (finding->channel == CHANNEL_FILESYSTEM)
        add_amount(out, finding);
    else
        buffer_printf(out, "%s, %" PRId64 " time%s", finding->operation, finding->count,
                      finding->count == 1 ? "" : "s");
    if (finding->class == FINDING_PROBE)
        buffer_add_text(out, ", not found");
    if (finding->class == FINDING_SERVICE)
        buffer_add_text(out, ", an ambient service");
    if (finding->process_count)
        add_users(out, analysis, finding, MOST_USERS);
}

void finding_add_remedy(struct buffer *out, const struct analysis_finding *finding)
{
    if (finding->remedy.length)
        quote_display(out, finding->remedy.bytes, finding->remedy.length);
    else
        buffer_add_text(out, finding->category->remedy);
}

void finding_add_lines(struct buffer *out, struct text lines)
{
    while (lines.length) {
        const char *end = memchr(lines.bytes, '\n', lines.length);
        size_t length = end ? (size_t)(end - lines.bytes) : lines.length;

        quote_display(out, lines.bytes, length);
        length += end != NULL;
        lines.bytes += length;
        lines.length -= length;
        if (lines.length)
            buffer_add_char(out, '\n');
    }
}

static bool is_listed(const struct analysis_finding *finding, const size_t *members, size_t count,
                      uint32_t subject)
{
    for (size_t i = 0; i < count; i++)
        if (finding->members[members[i]].subject_number == subject)
            return true;
    return false;
}

size_t finding_distinct(const struct analysis_finding *finding, size_t *members, size_t most)
{
    size_t count = 0;

    for (size_t i = 0; i < finding->member_count && count < most; i++)
        if (!is_listed(finding, members, count, finding->members[i].subject_number))
            members[count++] = i;
    return count;
}

bool finding_is_new(const struct analysis_finding *finding)
{
    return finding->verdict == VERDICT_UNDECLARED && !finding->known;
}

static int standing(const struct analysis_finding *finding)
{
    return finding->verdict == VERDICT_WAIVED ? 2 : finding->known;
}

static int compare_rank(const void *one, const void *other)
{
    const struct analysis_finding *a = *(const struct analysis_finding *const *)one;
    const struct analysis_finding *b = *(const struct analysis_finding *const *)other;
    int order = (int)b->severity - (int)a->severity;

    if (!order)
        order = standing(a) - standing(b);
    if (!order)
        order = (a->count < b->count) - (a->count > b->count);
    return order ? order : strcmp(a->fingerprint, b->fingerprint);
}

const struct analysis_finding **findings_ranked(const struct analysis *analysis)
{
    const struct analysis_finding **ranked = xcalloc(analysis->finding_count + 1, sizeof *ranked);

    for (size_t i = 0; i < analysis->finding_count; i++)
        ranked[i] = &analysis->findings[i];
    qsort(ranked, analysis->finding_count, sizeof *ranked, compare_rank);
    return ranked;
}

/* The manifest, when it is a file of the project. */
static struct text manifest_place(const struct analysis *analysis)
{
    struct text path = analysis->manifest, root = analysis->root;

    if (!path.length || !root.length)
        return (struct text){"", 0};
    if (path.bytes[0] != '/')
        return path;
    if (root.length < 2 || !path_is_within(path, root) || path.length <= root.length + 1)
        return (struct text){"", 0};
    return (struct text){path.bytes + root.length + 1, path.length - root.length - 1};
}

static bool same(struct text one, struct text other)
{
    return one.length == other.length && memcmp(one.bytes, other.bytes, one.length) == 0;
}

/* Boyer and Moore's vote: the one that most findings have, if there is such a one. */
static struct text usual_place(const struct analysis *analysis)
{
    struct text chosen = {"", 0};
    size_t votes = 0;

    for (size_t i = 0; i < analysis->finding_count; i++) {
        struct text path = analysis->findings[i].location.path;

        if (!path.length)
            continue;
        if (votes == 0)
            chosen = path;
        votes = same(path, chosen) ? votes + 1 : votes - 1;
    }
    return chosen;
}

struct analysis_location finding_place(const struct analysis *analysis,
                                       const struct analysis_finding *finding)
{
    struct analysis_location place = finding->location;

    if (!place.path.length)
        place = (struct analysis_location){manifest_place(analysis), 1};
    if (!place.path.length)
        place.path = usual_place(analysis);
    if (!place.path.length)
        place.path = (struct text){MANIFEST_TO_BE, strlen(MANIFEST_TO_BE)};
    if (place.line < 1)
        place.line = 1;
    return place;
}

void blind_class_add(struct buffer *out, const struct analysis *analysis,
                     const struct analysis_blind_class *class)
{
    size_t count;
    cleanup_free struct text *names =
        analysis_blind_names(analysis, class, BLIND_NAME_EITHER, &count);

    quote_display(out, class->name, strlen(class->name));
    if (strcmp(class->text, class->name) != 0)
        buffer_printf(out, ": %s", class->text);
    if (class->count > 1)
        buffer_printf(out, ", %" PRId64 " times", class->count);
    for (size_t i = 0; i < count && i < MOST_NAMES; i++) {
        buffer_add_text(out, i ? ", " : " (");
        quote_shortened(out, names[i].bytes, names[i].length, 80);
    }
    if (count)
        buffer_add_text(out, count > MOST_NAMES ? ", …)" : ")");
    if (*class->remedy)
        buffer_printf(out, "; what to do: %s", class->remedy);
}
