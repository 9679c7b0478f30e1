/* SPDX-License-Identifier: MIT
 *
 * A finding as a result of SARIF.
 *
 * GitHub shows at most 1,000 steps of a flow and takes no location without a file, so each process
 * of the chain stands at the file where a reviewer looks; what it ran is the message of the step.
 */
#include "sarif_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "finding_text.h"
#include "operation.h"
#include "quote.h"
#include "render.h"
#include "uri.h"

#define MOST_STEPS      1000
#define MOST_MEMBERS    100
#define LONGEST_COMMAND 1000 /* characters */

void sarif_message(struct json_writer *writer, const char *key, const struct buffer *text)
{
    json_open(writer, key, '{');
    json_plain(writer, "text", text);
    json_close(writer, '}');
}

void sarif_words(struct json_writer *writer, const char *key, const char *words)
{
    json_open(writer, key, '{');
    json_word(writer, "text", words);
    json_close(writer, '}');
}

static void add_place(struct json_writer *writer, const struct analysis_location *place)
{
    cleanup_buffer struct buffer uri = BUFFER_INIT;

    uri_add_path(&uri, place->path);
    json_open(writer, "physicalLocation", '{');
    json_open(writer, "artifactLocation", '{');
    json_plain(writer, "uri", &uri);
    json_word(writer, "uriBaseId", SARIF_ROOT);
    json_close(writer, '}');
    json_open(writer, "region", '{');
    json_number(writer, "startLine", place->line);
    json_close(writer, '}');
    json_close(writer, '}');
}

static void add_message(struct json_writer *writer, const struct analysis *analysis,
                        const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;

    buffer_printf(&text, "%s: ", finding->category->title);
    finding_add_name(&text, analysis, finding);
    buffer_add_text(&text, ", ");
    finding_add_facts(&text, analysis, finding);
    buffer_add_text(&text, ". ");
    finding_add_remedy(&text, finding);
    sarif_message(writer, "message", &text);
}

static void add_step(struct json_writer *writer, const struct analysis *analysis,
                     const struct analysis_location *place, uint32_t process, size_t depth)
{
    const struct analysis_process *row = &analysis->processes[process];
    struct text command = row->command.length ? row->command : row->exe;
    cleanup_buffer struct buffer text = BUFFER_INIT;

    if (command.length)
        quote_shortened(&text, command.bytes, command.length, LONGEST_COMMAND);
    else
        buffer_printf(&text, "process %" PRId64, row->id);
    json_open(writer, NULL, '{');
    json_number(writer, "nestingLevel", (int64_t)depth);
    json_open(writer, "location", '{');
    add_place(writer, place);
    sarif_message(writer, "message", &text);
    json_close(writer, '}');
    json_close(writer, '}');
}

/* From the command down to the first process that did it; of a chain that is too long its end. A
 * fork on the way has nothing of its own to show. */
static void add_flow(struct json_writer *writer, const struct analysis *analysis,
                     const struct analysis_finding *finding, const struct analysis_location *place)
{
    cleanup_free uint32_t *chain = xcalloc(MOST_STEPS, sizeof *chain);
    size_t count = 0;

    if (!finding->process_count)
        return;
    for (uint32_t at = finding->processes[0]; at != ANALYSIS_NONE && count < MOST_STEPS;
         at = analysis->processes[at].parent)
        if (count == 0 || strcmp(analysis->processes[at].how, "fork") != 0)
            chain[count++] = at;
    json_open(writer, "codeFlows", '[');
    json_open(writer, NULL, '{');
    json_open(writer, "threadFlows", '[');
    json_open(writer, NULL, '{');
    json_open(writer, "locations", '[');
    for (size_t i = 0; i < count; i++)
        add_step(writer, analysis, place, chain[count - 1 - i], i);
    json_close(writer, ']');
    json_close(writer, '}');
    json_close(writer, ']');
    json_close(writer, '}');
    json_close(writer, ']');
}

/* A waiver accepts a finding for now, so it is a suppression from outside the sources. */
static void add_standing(struct json_writer *writer, const struct analysis *analysis,
                         const struct analysis_finding *finding)
{
    json_open(writer, "suppressions", '[');
    if (finding->verdict == VERDICT_WAIVED) {
        json_open(writer, NULL, '{');
        json_word(writer, "kind", "external");
        json_word(writer, "status", "accepted");
        json_word(writer, "justification", "A waiver of the manifest covers it.");
        json_close(writer, '}');
    }
    json_close(writer, ']');
    if (analysis->baseline)
        json_word(writer, "baselineState", finding->known ? "unchanged" : "new");
}

static void add_members(struct json_writer *writer, const struct analysis_finding *finding)
{
    json_open(writer, "members", '[');
    for (size_t i = 0; i < finding->member_count && i < MOST_MEMBERS; i++) {
        const struct analysis_member *member = &finding->members[i];
        cleanup_buffer struct buffer outcome = BUFFER_INIT;

        add_outcome(&outcome, member->outcome);
        json_open(writer, NULL, '{');
        json_text(writer, "subject", member->subject);
        json_word(writer, "operation", operation_name(member->operation));
        json_word(writer, "outcome", outcome.data);
        json_number(writer, "count", member->count);
        json_close(writer, '}');
    }
    json_close(writer, ']');
    if (finding->member_count > MOST_MEMBERS)
        json_number(writer, "membersLeftOut", (int64_t)(finding->member_count - MOST_MEMBERS));
}

static void add_lines(struct json_writer *writer, const char *key, struct text lines)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;

    finding_add_lines(&text, lines);
    if (text.length)
        json_plain(writer, key, &text);
}

static void add_properties(struct json_writer *writer, const struct analysis_finding *finding)
{
    json_open(writer, "properties", '{');
    json_word(writer, "channel", channel_name(finding->channel));
    json_word(writer, "class", analysis_class_name(finding->class));
    json_word(writer, "operation", finding->operation);
    json_text(writer, "subject", finding->subject);
    if (finding->package.length)
        json_text(writer, "package", finding->package);
    add_lines(writer, "declaration", finding->declaration);
    add_lines(writer, "waiver", finding->waiver);
    json_number(writer, "processes", (int64_t)finding->process_count);
    add_members(writer, finding);
    json_close(writer, '}');
}

/* GitHub looks at primaryLocationLineHash alone, "HASH:1" by its convention; with it an alert stays
 * the same one when the file that it is shown at changes. */
static void add_fingerprints(struct json_writer *writer, const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer hash = BUFFER_INIT;

    buffer_printf(&hash, "%s:1", finding->fingerprint);
    json_open(writer, "partialFingerprints", '{');
    json_plain(writer, "primaryLocationLineHash", &hash);
    json_word(writer, "tallymanFingerprint/v1", finding->fingerprint);
    json_close(writer, '}');
}

void sarif_result(struct json_writer *writer, const struct analysis *analysis,
                  const struct analysis_finding *finding)
{
    struct analysis_location place = finding_place(analysis, finding);

    json_open(writer, NULL, '{');
    json_word(writer, "ruleId", finding->category->name);
    json_number(writer, "ruleIndex", (int64_t)finding->category->id);
    json_word(writer, "level", severity_name(finding->severity));
    add_message(writer, analysis, finding);
    json_open(writer, "locations", '[');
    json_open(writer, NULL, '{');
    add_place(writer, &place);
    json_close(writer, '}');
    json_close(writer, ']');
    add_fingerprints(writer, finding);
    json_number(writer, "occurrenceCount", finding->count);
    add_standing(writer, analysis, finding);
    add_flow(writer, analysis, finding, &place);
    add_properties(writer, finding);
    json_close(writer, '}');
}
