/* SPDX-License-Identifier: MIT
 *
 * Workflow commands of GitHub Actions: what a step prints becomes annotations of the files. GitHub
 * keeps ten of each kind and step; the gravest are printed, and a last line counts the others.
 */
#include "render.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "finding_text.h"
#include "markdown_report.h"
#include "quote.h"

#define MOST_OF_A_KIND  10
#define MOST_IN_SUMMARY 50
#define MOST_BYTES      1000000 /* of the 1 MiB that GitHub takes for the summary of a step */

static const char *const kinds[SEVERITY_COUNT] = {
    [SEVERITY_NOTE] = "notice",
    [SEVERITY_WARNING] = "warning",
    [SEVERITY_ERROR] = "error",
};

/* A value ends at a comma or two colons, a message at the end of its line. */
static void add_escaped(struct buffer *out, const struct buffer *text, const char *special)
{
    for (size_t i = 0; i < text->length; i++) {
        char character = text->data[i];

        if (character && strchr(special, character))
            buffer_printf(out, "%%%02X", (unsigned char)character);
        else
            buffer_add_char(out, character);
    }
}

static void add_value(struct buffer *out, const char *name, const struct buffer *text)
{
    buffer_printf(out, "%s=", name);
    add_escaped(out, text, "%\r\n:,");
}

static void add_message(struct buffer *out, const struct buffer *text)
{
    buffer_add_text(out, "::");
    add_escaped(out, text, "%\r\n");
    buffer_add_char(out, '\n');
}

static void add_annotation(struct buffer *out, const struct analysis *analysis,
                           const struct analysis_finding *finding)
{
    struct analysis_location place = finding_place(analysis, finding);
    cleanup_buffer struct buffer path = BUFFER_INIT;
    cleanup_buffer struct buffer title = BUFFER_INIT;
    cleanup_buffer struct buffer text = BUFFER_INIT;

    quote_display(&path, place.path.bytes, place.path.length);
    buffer_add_text(&title, finding->category->title);
    finding_add_name(&text, analysis, finding);
    buffer_add_text(&text, ": ");
    finding_add_facts(&text, analysis, finding);
    buffer_add_char(&text, '\n');
    finding_add_remedy(&text, finding);
    buffer_printf(out, "::%s ", kinds[finding->severity]);
    add_value(out, "file", &path);
    buffer_printf(out, ",line=%" PRId64 ",", place.line);
    add_value(out, "title", &title);
    add_message(out, &text);
}

static void add_evidence(struct buffer *out, const struct analysis *analysis)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;

    buffer_add_text(&text, "There may be more than was seen.");
    for (size_t i = 0; i < analysis->blind_class_count; i++) {
        if (analysis->blind_classes[i].accepted)
            continue;
        buffer_add_char(&text, '\n');
        blind_class_add(&text, analysis, &analysis->blind_classes[i]);
    }
    buffer_add_text(out, "::warning title=Incomplete evidence");
    add_message(out, &text);
}

static void add_rest(struct buffer *out, const size_t rest[SEVERITY_COUNT])
{
    size_t all = 0, shown = 0;

    for (int i = 0; i < SEVERITY_COUNT; i++)
        all += rest[i];
    if (!all)
        return;
    buffer_printf(out, "tallyman: %zu more:", all);
    for (int i = SEVERITY_COUNT - 1; i >= 0; i--)
        if (rest[i])
            buffer_printf(out, "%s %zu %s%s", shown++ ? "," : "", rest[i], kinds[i],
                          rest[i] == 1 ? "" : "s");
    buffer_add_char(out, '\n');
}

int render_github(const struct analysis *analysis, sqlite3 *db,
                  const struct report_settings *settings, struct buffer *out)
{
    cleanup_free const struct analysis_finding **ranked = findings_ranked(analysis);
    size_t shown[SEVERITY_COUNT] = {0}, rest[SEVERITY_COUNT] = {0};

    (void)db, (void)settings;
    if (!analysis_suffices(analysis)) {
        add_evidence(out, analysis);
        shown[SEVERITY_WARNING]++;
    }
    for (size_t i = 0; i < analysis->finding_count; i++) {
        enum severity severity = ranked[i]->severity;

        if (!finding_is_new(ranked[i]))
            continue;
        if (shown[severity] == MOST_OF_A_KIND) {
            rest[severity]++;
            continue;
        }
        add_annotation(out, analysis, ranked[i]);
        shown[severity]++;
    }
    add_rest(out, rest);
    return 0;
}

void report_step_summary(const struct analysis *analysis, struct buffer *out)
{
    for (size_t most = MOST_IN_SUMMARY;; most /= 2) {
        buffer_clear(out);
        markdown_report(analysis, most, out);
        if (out->length <= MOST_BYTES || most == 0)
            break;
    }
}
