/* SPDX-License-Identifier: MIT
 *
 * The document that docs/report.schema.json describes. Field names and their meaning are a
 * contract: they are added to, never changed, within one schema_version.
 *
 * Names are bytes, JSON strings are not: a byte that is not part of valid UTF-8 is written \xNN and
 * a backslash is doubled, so that a reader who undoes both has the name back, byte for byte.
 */
#include "render.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "endpoint.h"
#include "operation.h"
#include "quote.h"

#define SCHEMA_VERSION 1

/* Writes commas and indentation; `depth` counts open brackets. */
struct writer {
    struct buffer *out;
    int depth;
    bool first; /* nothing in the innermost bracket yet */
};

static void separate(struct writer *writer)
{
    if (!writer->first)
        buffer_add_char(writer->out, ',');
    if (writer->depth)
        buffer_printf(writer->out, "\n%*s", writer->depth, "");
    writer->first = false;
}

static void add_key(struct writer *writer, const char *key)
{
    separate(writer);
    if (key)
        buffer_printf(writer->out, "\"%s\": ", key);
}

static void open_bracket(struct writer *writer, const char *key, char bracket)
{
    add_key(writer, key);
    buffer_add_char(writer->out, bracket);
    writer->depth++;
    writer->first = true;
}

static void close_bracket(struct writer *writer, char bracket)
{
    writer->depth--;
    if (!writer->first)
        buffer_printf(writer->out, "\n%*s", writer->depth, "");
    buffer_add_char(writer->out, bracket);
    writer->first = false;
}

static void add_character(struct buffer *out, const char *bytes, size_t length)
{
    unsigned char byte = (unsigned char)bytes[0];

    if (byte == '\\')
        buffer_add_text(out, "\\\\\\\\");
    else if (byte == '"')
        buffer_add_text(out, "\\\"");
    else if (byte < 0x20 || byte == 0x7f)
        buffer_printf(out, "\\u%04x", byte);
    else
        buffer_add(out, bytes, length);
}

static void add_string(struct buffer *out, struct text text)
{
    size_t at = 0;

    buffer_add_char(out, '"');
    while (at < text.length) {
        size_t step = text_character(text.bytes + at, text.length - at);

        if (step == 0)
            buffer_printf(out, "\\\\x%02x", (unsigned char)text.bytes[at]);
        else
            add_character(out, text.bytes + at, step);
        at += step ? step : 1;
    }
    buffer_add_char(out, '"');
}

static void add_text(struct writer *writer, const char *key, struct text text)
{
    add_key(writer, key);
    if (text.bytes)
        add_string(writer->out, text);
    else
        buffer_add_text(writer->out, "null");
}

static void add_word(struct writer *writer, const char *key, const char *word)
{
    add_text(writer, key, (struct text){word, word ? strlen(word) : 0});
}

static void add_number(struct writer *writer, const char *key, int64_t number)
{
    add_key(writer, key);
    buffer_printf(writer->out, "%" PRId64, number);
}

/* `number`, or null when it is the one that stands for "not known". */
static void add_known(struct writer *writer, const char *key, int64_t number, int64_t unknown)
{
    if (number == unknown)
        add_text(writer, key, (struct text){NULL, 0});
    else
        add_number(writer, key, number);
}

static void add_bool(struct writer *writer, const char *key, bool value)
{
    add_key(writer, key);
    buffer_add_text(writer->out, value ? "true" : "false");
}

/* Unix time in nanoseconds as RFC 3339; 0 is null. */
static void add_time(struct writer *writer, const char *key, int64_t time)
{
    char text[64];
    time_t seconds = (time_t)(time / 1000000000);
    struct tm parts;
    size_t length;

    if (!time || !gmtime_r(&seconds, &parts)) {
        add_text(writer, key, (struct text){NULL, 0});
        return;
    }
    length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + length, sizeof text - length, ".%03dZ", (int)(time / 1000000 % 1000));
    add_word(writer, key, text);
}

/* Arguments with a NUL after each, as an array; null when they are not known. */
static void add_arguments(struct writer *writer, const char *key, struct text argv)
{
    if (!argv.bytes) {
        add_text(writer, key, argv);
        return;
    }
    add_key(writer, key);
    buffer_add_char(writer->out, '[');
    for (size_t at = 0; at < argv.length;) {
        size_t length = strnlen(argv.bytes + at, argv.length - at);

        if (at)
            buffer_add_text(writer->out, ", ");
        add_string(writer->out, (struct text){argv.bytes + at, length});
        at += length + 1;
    }
    buffer_add_char(writer->out, ']');
}

static void add_run(struct writer *writer, const struct analysis *analysis)
{
    open_bracket(writer, "run", '{');
    add_number(writer, "id", analysis->run);
    add_text(writer, "uuid", analysis->uuid);
    add_text(writer, "tool", analysis->tool);
    add_text(writer, "command", analysis->command);
    add_arguments(writer, "argv", analysis->argv);
    add_text(writer, "cwd", analysis->cwd);
    add_text(writer, "root", analysis->root);
    add_text(writer, "home", analysis->home);
    add_text(writer, "user", analysis->user);
    add_text(writer, "host", analysis->host);
    add_text(writer, "machine", analysis->machine);
    add_time(writer, "started", analysis->started);
    add_time(writer, "ended", analysis->ended);
    add_text(writer, "mode", analysis->mode);
    add_text(writer, "witness", analysis->witness);
    add_text(writer, "manifest", analysis->manifest);
    add_known(writer, "exit_status", analysis->exit_status, -1);
    add_number(writer, "signal", analysis->signal);
    add_number(writer, "interrupted", analysis->interrupted);
    add_word(writer, "evidence", analysis->complete ? "complete" : "incomplete");
    add_bool(writer, "finished", analysis->ended != 0);
    close_bracket(writer, '}');
}

static void add_channels(struct writer *writer, const struct analysis *analysis)
{
    open_bracket(writer, "channels", '[');
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        const struct analysis_channel *channel = &analysis->channels[i];

        open_bracket(writer, NULL, '{');
        add_word(writer, "name", channel_name((enum channel)i));
        add_word(writer, "title", channel_title((enum channel)i));
        add_number(writer, "declared", channel->declared);
        add_number(writer, "undeclared", channel->undeclared);
        add_number(writer, "waived", channel->waived);
        add_number(writer, "probes", channel->probes);
        add_number(writer, "occurrences", channel->occurrences);
        add_number(writer, "findings", channel->findings);
        add_number(writer, "waived_findings", channel->waived_findings);
        close_bracket(writer, '}');
    }
    close_bracket(writer, ']');
}

static void add_member(struct writer *writer, const struct analysis_member *member)
{
    cleanup_buffer struct buffer outcome = BUFFER_INIT;

    add_outcome(&outcome, member->outcome);
    separate(writer);
    buffer_add_text(writer->out, "{\"subject\": ");
    add_string(writer->out, member->subject);
    if (member->resolved.length) {
        buffer_add_text(writer->out, ", \"resolved\": ");
        add_string(writer->out, member->resolved);
    }
    buffer_printf(writer->out,
                  ", \"operation\": \"%s\", \"outcome\": \"%s\", \"count\": %" PRId64
                  ", \"source\": \"%s\"%s}",
                  operation_name(member->operation), outcome.data, member->count,
                  member->witness ? "witness" : "shim",
                  member->passing ? ", \"passing\": true" : "");
}

static void add_service(struct writer *writer, const struct service *service)
{
    open_bracket(writer, "service", '{');
    add_word(writer, "name", service->name);
    add_word(writer, "text", service->text);
    close_bracket(writer, '}');
}

static void add_finding(struct writer *writer, const struct analysis *analysis,
                        const struct analysis_finding *finding)
{
    open_bracket(writer, NULL, '{');
    add_word(writer, "fingerprint", finding->fingerprint);
    add_word(writer, "channel", channel_name(finding->channel));
    add_word(writer, "class", analysis_class_name(finding->class));
    add_word(writer, "operation", finding->operation);
    add_text(writer, "subject", finding->subject);
    if (finding->service)
        add_service(writer, finding->service);
    add_word(writer, "category", finding->category);
    add_word(writer, "verdict", finding->verdict == VERDICT_WAIVED ? "waived" : "undeclared");
    add_number(writer, "count", finding->count);
    add_number(writer, "subjects", finding->subjects);
    add_text(writer, "package",
             finding->package.length ? finding->package : (struct text){NULL, 0});
    add_number(writer, "first_process", analysis->processes[finding->processes[0]].id);
    add_key(writer, "processes");
    buffer_add_char(writer->out, '[');
    for (size_t i = 0; i < finding->process_count; i++)
        buffer_printf(writer->out, "%s%" PRId64, i ? ", " : "",
                      analysis->processes[finding->processes[i]].id);
    buffer_add_char(writer->out, ']');
    open_bracket(writer, "members", '[');
    for (size_t i = 0; i < finding->member_count; i++)
        add_member(writer, &finding->members[i]);
    close_bracket(writer, ']');
    close_bracket(writer, '}');
}

static void add_findings(struct writer *writer, const struct analysis *analysis)
{
    open_bracket(writer, "findings", '[');
    for (size_t i = 0; i < analysis->finding_count; i++)
        add_finding(writer, analysis, &analysis->findings[i]);
    close_bracket(writer, ']');
}

static int64_t process_id(const struct analysis *analysis, uint32_t process)
{
    return process == ANALYSIS_NONE ? -1 : analysis->processes[process].id;
}

static void add_blind_spots(struct writer *writer, const struct analysis *analysis)
{
    open_bracket(writer, "blind_spots", '[');
    for (size_t i = 0; i < analysis->blind_spot_count; i++) {
        const struct analysis_blind_spot *spot = &analysis->blind_spots[i];

        open_bracket(writer, NULL, '{');
        add_word(writer, "class", spot->class);
        add_word(writer, "text", spot->text);
        add_text(writer, "detail", spot->detail);
        add_number(writer, "count", spot->count);
        add_known(writer, "process", process_id(analysis, spot->process), -1);
        close_bracket(writer, '}');
    }
    close_bracket(writer, ']');
    open_bracket(writer, "unused_waivers", '[');
    for (size_t i = 0; i < analysis->unused_waiver_count; i++) {
        open_bracket(writer, NULL, '{');
        add_text(writer, "rule", analysis->unused_waivers[i].text);
        add_number(writer, "line", analysis->unused_waivers[i].line);
        close_bracket(writer, '}');
    }
    close_bracket(writer, ']');
}

static void add_processes(struct writer *writer, const struct analysis *analysis)
{
    open_bracket(writer, "processes", '[');
    for (size_t i = 0; i < analysis->process_count; i++) {
        const struct analysis_process *process = &analysis->processes[i];

        open_bracket(writer, NULL, '{');
        add_number(writer, "id", process->id);
        add_known(writer, "parent", process_id(analysis, process->parent), -1);
        add_number(writer, "pid", process->pid);
        add_word(writer, "how", process->how);
        add_text(writer, "exe", process->exe);
        add_arguments(writer, "argv", process->argv);
        add_text(writer, "cwd", process->cwd);
        add_known(writer, "exit_status", process->exit_status, -1);
        add_known(writer, "signal", process->signal, -1);
        add_word(writer, "shim", process->shim);
        close_bracket(writer, '}');
    }
    close_bracket(writer, ']');
}

static void add_access(const struct access_row *row, void *data)
{
    struct writer *writer = data;
    cleanup_buffer struct buffer outcome = BUFFER_INIT;

    add_outcome(&outcome, row->outcome);
    open_bracket(writer, NULL, '{');
    add_text(writer, "channel", row->channel);
    add_text(writer, "operation", row->operation);
    add_text(writer, "subject", row->subject);
    add_word(writer, "outcome", outcome.data);
    add_text(writer, "verdict", row->verdict);
    add_text(writer, "rule", row->rule.length ? row->rule : (struct text){NULL, 0});
    add_text(writer, "source", row->source);
    add_number(writer, "count", row->count);
    add_number(writer, "processes", row->processes);
    add_number(writer, "first_process", row->process);
    close_bracket(writer, '}');
}

int render_json(const struct analysis *analysis, sqlite3 *db,
                const struct report_settings *settings, struct buffer *out)
{
    struct writer writer = {out, 0, true};
    int result = 0;

    open_bracket(&writer, NULL, '{');
    add_number(&writer, "schema_version", SCHEMA_VERSION);
    add_run(&writer, analysis);
    add_channels(&writer, analysis);
    add_findings(&writer, analysis);
    add_blind_spots(&writer, analysis);
    add_processes(&writer, analysis);
    if (settings->all) {
        open_bracket(&writer, "accesses", '[');
        result = each_access(db, analysis->run, add_access, &writer);
        close_bracket(&writer, ']');
    }
    close_bracket(&writer, '}');
    buffer_add_char(out, '\n');
    return result;
}
