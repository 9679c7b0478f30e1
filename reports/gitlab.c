/* SPDX-License-Identifier: MIT
 *
 * GitLab's Code Quality report: an array of what is undeclared and new. GitLab itself compares it
 * with the report of the target branch, by fingerprint.
 */
#include "render.h"

#include "cleanup.h"
#include "finding_text.h"
#include "json_writer.h"
#include "quote.h"

static const char *const severities[SEVERITY_COUNT] = {
    [SEVERITY_NOTE] = "minor",
    [SEVERITY_WARNING] = "major",
    [SEVERITY_ERROR] = "critical",
};

static void add_finding(struct json_writer *writer, const struct analysis *analysis,
                        const struct analysis_finding *finding)
{
    struct analysis_location place = finding_place(analysis, finding);
    cleanup_buffer struct buffer text = BUFFER_INIT;
    cleanup_buffer struct buffer path = BUFFER_INIT;

    buffer_printf(&text, "%s: ", finding->category->title);
    finding_add_name(&text, analysis, finding);
    buffer_add_text(&text, ", ");
    finding_add_facts(&text, analysis, finding);
    quote_display(&path, place.path.bytes, place.path.length);
    json_open(writer, NULL, '{');
    json_plain(writer, "description", &text);
    json_word(writer, "check_name", finding->category->name);
    json_word(writer, "fingerprint", finding->fingerprint);
    json_word(writer, "severity", severities[finding->severity]);
    json_open(writer, "location", '{');
    json_plain(writer, "path", &path);
    json_open(writer, "lines", '{');
    json_number(writer, "begin", place.line);
    json_close(writer, '}');
    json_close(writer, '}');
    json_close(writer, '}');
}

int render_gitlab(const struct analysis *analysis, sqlite3 *db,
                  const struct report_settings *settings, struct buffer *out)
{
    cleanup_free const struct analysis_finding **ranked = findings_ranked(analysis);
    struct json_writer writer = {out, 0, true};

    (void)db, (void)settings;
    json_open(&writer, NULL, '[');
    for (size_t i = 0; i < analysis->finding_count; i++)
        if (finding_is_new(ranked[i]))
            add_finding(&writer, analysis, ranked[i]);
    json_close(&writer, ']');
    buffer_add_char(out, '\n');
    return 0;
}
