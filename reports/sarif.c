/* SPDX-License-Identifier: MIT
 *
 * SARIF 2.1.0, as GitHub's code scanning takes it: one run, a rule for each category, a result for
 * each finding and a notification for each thing that was not observed.
 *
 * GitHub shows 5,000 results of a run: those that are gravest are written, the rest is counted.
 */
#include "render.h"

#include <inttypes.h>
#include <string.h>

#include "cleanup.h"
#include "finding_text.h"
#include "sarif_parts.h"
#include "uri.h"

#define SCHEMA                                                                                     \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#define MOST_RESULTS 5000

/* Kinds of notifications of ours, beside the classes of blind spots. */
#define LEFT_OUT "results-left-out"
#define UNENDED  "run-never-ended"

static void add_rule(struct json_writer *writer, const struct category *category)
{
    cleanup_buffer struct buffer full = BUFFER_INIT;
    cleanup_buffer struct buffer title = BUFFER_INIT;

    buffer_printf(&title, "%s.", category->title);
    buffer_printf(&full, "%s %s", category->why, category->remedy);
    json_open(writer, NULL, '{');
    json_word(writer, "id", category->name);
    sarif_message(writer, "shortDescription", &title);
    sarif_message(writer, "fullDescription", &full);
    sarif_message(writer, "help", &full);
    json_open(writer, "defaultConfiguration", '{');
    json_word(writer, "level", severity_name(category->severity));
    json_close(writer, '}');
    json_open(writer, "properties", '{');
    json_open(writer, "tags", '[');
    json_word(writer, NULL, "hermetic-build");
    json_close(writer, ']');
    json_close(writer, '}');
    json_close(writer, '}');
}

static void add_driver(struct json_writer *writer, const struct analysis *analysis)
{
    json_open(writer, "tool", '{');
    json_open(writer, "driver", '{');
    json_word(writer, "name", "tallyman");
    if (analysis->tool.length)
        json_text(writer, "version", analysis->tool);
    json_open(writer, "rules", '[');
    for (int i = 0; i < CATEGORY_COUNT; i++)
        add_rule(writer, category_of_id((enum category_id)i));
    json_close(writer, ']');
    json_close(writer, '}');
    json_close(writer, '}');
}

static void add_notification(struct json_writer *writer, const char *kind, const char *level,
                             const struct buffer *text)
{
    json_open(writer, NULL, '{');
    json_open(writer, "descriptor", '{');
    json_word(writer, "id", kind);
    json_close(writer, '}');
    json_word(writer, "level", level);
    sarif_message(writer, "message", text);
    json_close(writer, '}');
}

static void add_notifications(struct json_writer *writer, const struct analysis *analysis)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;

    json_open(writer, "toolExecutionNotifications", '[');
    for (size_t i = 0; i < analysis->blind_class_count; i++) {
        const struct analysis_blind_class *class = &analysis->blind_classes[i];

        buffer_clear(&text);
        blind_class_add(&text, analysis, class);
        buffer_add_char(&text, '.');
        add_notification(writer, class->name, class->accepted ? "note" : "warning", &text);
    }
    if (!analysis->ended) {
        buffer_clear(&text);
        buffer_add_text(&text, "The run never ended: its records may stop anywhere.");
        add_notification(writer, UNENDED, "error", &text);
    }
    if (analysis->finding_count > MOST_RESULTS) {
        buffer_clear(&text);
        buffer_printf(&text, "%zu findings of lower rank are left out.",
                      analysis->finding_count - MOST_RESULTS);
        add_notification(writer, LEFT_OUT, "warning", &text);
    }
    json_close(writer, ']');
}

static void add_folder(struct json_writer *writer, const char *key, struct text path)
{
    cleanup_buffer struct buffer uri = BUFFER_INIT;

    if (!path.length || path.bytes[0] != '/')
        return;
    uri_add_folder(&uri, path);
    json_open(writer, key, '{');
    json_plain(writer, "uri", &uri);
    json_close(writer, '}');
}

static void add_invocation(struct json_writer *writer, const struct analysis *analysis)
{
    json_open(writer, "invocations", '[');
    json_open(writer, NULL, '{');
    json_bool(writer, "executionSuccessful", analysis->ended != 0);
    if (analysis->started)
        json_time(writer, "startTimeUtc", analysis->started);
    if (analysis->ended)
        json_time(writer, "endTimeUtc", analysis->ended);
    add_folder(writer, "workingDirectory", analysis->cwd);
    add_notifications(writer, analysis);
    json_close(writer, '}');
    json_close(writer, ']');
}

static void add_results(struct json_writer *writer, const struct analysis *analysis)
{
    cleanup_free const struct analysis_finding **ranked = findings_ranked(analysis);

    json_open(writer, "results", '[');
    for (size_t i = 0; i < analysis->finding_count && i < MOST_RESULTS; i++)
        sarif_result(writer, analysis, ranked[i]);
    json_close(writer, ']');
}

static void add_run_properties(struct json_writer *writer, const struct analysis *analysis)
{
    size_t count = analysis->finding_count;

    json_open(writer, "properties", '{');
    json_text(writer, "command", analysis->command);
    json_known(writer, "exitStatus", analysis->exit_status, -1);
    json_word(writer, "evidence", analysis->complete ? "complete" : "incomplete");
    json_number(writer, "findings", (int64_t)count);
    json_number(writer, "findingsLeftOut",
                count > MOST_RESULTS ? (int64_t)count - MOST_RESULTS : 0);
    json_close(writer, '}');
}

int render_sarif(const struct analysis *analysis, sqlite3 *db,
                 const struct report_settings *settings, struct buffer *out)
{
    struct json_writer writer = {out, 0, true};

    (void)db, (void)settings;
    json_open(&writer, NULL, '{');
    json_word(&writer, "$schema", SCHEMA);
    json_word(&writer, "version", "2.1.0");
    json_open(&writer, "runs", '[');
    json_open(&writer, NULL, '{');
    add_driver(&writer, analysis);
    add_invocation(&writer, analysis);
    json_open(&writer, "originalUriBaseIds", '{');
    add_folder(&writer, SARIF_ROOT, analysis->root);
    json_close(&writer, '}');
    json_word(&writer, "columnKind", "unicodeCodePoints");
    add_results(&writer, analysis);
    add_run_properties(&writer, analysis);
    json_close(&writer, '}');
    json_close(&writer, ']');
    json_close(&writer, '}');
    buffer_add_char(out, '\n');
    return 0;
}
