/* SPDX-License-Identifier: MIT
 *
 * The document that docs/report.schema.json describes. Field names and their meaning are a
 * contract: they are added to, never changed, within one schema_version.
 */
#include "render.h"

#include <inttypes.h>
#include <string.h>

#include "cleanup.h"
#include "endpoint.h"
#include "json_writer.h"
#include "operation.h"

#define SCHEMA_VERSION 1

static void add_run(struct json_writer *writer, const struct analysis *analysis)
{
    json_open(writer, "run", '{');
    json_number(writer, "id", analysis->run);
    json_text(writer, "uuid", analysis->uuid);
    json_text(writer, "tool", analysis->tool);
    json_text(writer, "command", analysis->command);
    json_arguments(writer, "argv", analysis->argv);
    json_text(writer, "cwd", analysis->cwd);
    json_text(writer, "root", analysis->root);
    json_text(writer, "home", analysis->home);
    json_text(writer, "user", analysis->user);
    json_text(writer, "host", analysis->host);
    json_text(writer, "machine", analysis->machine);
    json_time(writer, "started", analysis->started);
    json_time(writer, "ended", analysis->ended);
    json_text(writer, "mode", analysis->mode);
    json_text(writer, "witness", analysis->witness);
    json_text(writer, "manifest", analysis->manifest);
    json_known(writer, "exit_status", analysis->exit_status, -1);
    json_number(writer, "signal", analysis->signal);
    json_number(writer, "interrupted", analysis->interrupted);
    json_word(writer, "evidence", analysis->complete ? "complete" : "incomplete");
    json_bool(writer, "finished", analysis->ended != 0);
    json_close(writer, '}');
}

static void add_channels(struct json_writer *writer, const struct analysis *analysis)
{
    json_open(writer, "channels", '[');
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        const struct analysis_channel *channel = &analysis->channels[i];

        json_open(writer, NULL, '{');
        json_word(writer, "name", channel_name((enum channel)i));
        json_word(writer, "title", channel_title((enum channel)i));
        json_number(writer, "declared", channel->declared);
        json_number(writer, "undeclared", channel->undeclared);
        json_number(writer, "waived", channel->waived);
        json_number(writer, "probes", channel->probes);
        json_number(writer, "occurrences", channel->occurrences);
        json_number(writer, "findings", channel->findings);
        json_number(writer, "waived_findings", channel->waived_findings);
        if (analysis->baseline)
            json_number(writer, "known_findings", channel->known);
        json_close(writer, '}');
    }
    json_close(writer, ']');
}

static void add_member(struct json_writer *writer, const struct analysis_member *member)
{
    cleanup_buffer struct buffer outcome = BUFFER_INIT;

    add_outcome(&outcome, member->outcome);
    json_next(writer);
    buffer_add_text(writer->out, "{\"subject\": ");
    json_string(writer->out, member->subject);
    if (member->resolved.length) {
        buffer_add_text(writer->out, ", \"resolved\": ");
        json_string(writer->out, member->resolved);
    }
    if (member->digest.length) {
        buffer_add_text(writer->out, ", \"digest\": ");
        json_string(writer->out, member->digest);
    }
    buffer_printf(writer->out,
                  ", \"operation\": \"%s\", \"outcome\": \"%s\", \"count\": %" PRId64
                  ", \"source\": \"%s\"%s}",
                  operation_name(member->operation), outcome.data, member->count,
                  member->witness ? "witness" : "shim",
                  member->passing ? ", \"passing\": true" : "");
}

static void add_service(struct json_writer *writer, const struct service *service)
{
    json_open(writer, "service", '{');
    json_word(writer, "name", service->name);
    json_word(writer, "text", service->text);
    json_close(writer, '}');
}

static const struct text nothing = {NULL, 0};

static struct text text_or_null(struct text text)
{
    return text.length ? text : nothing;
}

/* What to do, and where to look. */
static void add_advice(struct json_writer *writer, const struct analysis_finding *finding)
{
    json_text(writer, "remedy", text_or_null(finding->remedy));
    json_lines(writer, "declaration", finding->declaration);
    json_lines(writer, "waiver", finding->waiver);
    if (!finding->location.path.length) {
        json_text(writer, "location", nothing);
        return;
    }
    json_open(writer, "location", '{');
    json_text(writer, "path", finding->location.path);
    json_known(writer, "line", finding->location.line, 0);
    json_close(writer, '}');
}

static void add_finding(struct json_writer *writer, const struct analysis *analysis,
                        const struct analysis_finding *finding)
{
    json_open(writer, NULL, '{');
    json_word(writer, "fingerprint", finding->fingerprint);
    json_word(writer, "channel", channel_name(finding->channel));
    json_word(writer, "class", analysis_class_name(finding->class));
    json_word(writer, "operation", finding->operation);
    json_text(writer, "subject", finding->subject);
    if (finding->service)
        add_service(writer, finding->service);
    json_word(writer, "category", finding->category->name);
    json_word(writer, "title", finding->category->title);
    json_word(writer, "severity", severity_name(finding->severity));
    json_word(writer, "group", finding->group);
    json_word(writer, "verdict", finding->verdict == VERDICT_WAIVED ? "waived" : "undeclared");
    if (analysis->baseline)
        json_bool(writer, "known", finding->known);
    json_number(writer, "count", finding->count);
    json_number(writer, "subjects", finding->subjects);
    json_text(writer, "package", text_or_null(finding->package));
    add_advice(writer, finding);
    json_known(writer, "first_process",
               finding->process_count ? analysis->processes[finding->processes[0]].id : -1, -1);
    json_key(writer, "processes");
    buffer_add_char(writer->out, '[');
    for (size_t i = 0; i < finding->process_count; i++)
        buffer_printf(writer->out, "%s%" PRId64, i ? ", " : "",
                      analysis->processes[finding->processes[i]].id);
    buffer_add_char(writer->out, ']');
    json_open(writer, "members", '[');
    for (size_t i = 0; i < finding->member_count; i++)
        add_member(writer, &finding->members[i]);
    json_close(writer, ']');
    json_close(writer, '}');
}

static void add_findings(struct json_writer *writer, const struct analysis *analysis)
{
    json_open(writer, "findings", '[');
    for (size_t i = 0; i < analysis->finding_count; i++)
        add_finding(writer, analysis, &analysis->findings[i]);
    json_close(writer, ']');
}

/* The categories that findings have: what they mean, and what can be done in general. */
static void add_categories(struct json_writer *writer, const struct analysis *analysis)
{
    bool used[CATEGORY_COUNT] = {false};

    for (size_t i = 0; i < analysis->finding_count; i++)
        used[analysis->findings[i].category->id] = true;
    json_open(writer, "categories", '[');
    for (int i = 0; i < CATEGORY_COUNT; i++) {
        const struct category *category = category_of_id((enum category_id)i);

        if (!used[i])
            continue;
        json_open(writer, NULL, '{');
        json_word(writer, "name", category->name);
        json_word(writer, "title", category->title);
        json_word(writer, "severity", severity_name(category->severity));
        json_word(writer, "why", category->why);
        json_word(writer, "remedy", category->remedy);
        json_close(writer, '}');
    }
    json_close(writer, ']');
}

static int64_t process_id(const struct analysis *analysis, uint32_t process)
{
    return process == ANALYSIS_NONE ? -1 : analysis->processes[process].id;
}

static void add_blind_spots(struct json_writer *writer, const struct analysis *analysis)
{
    json_open(writer, "blind_spots", '[');
    for (size_t i = 0; i < analysis->blind_spot_count; i++) {
        const struct analysis_blind_spot *spot = &analysis->blind_spots[i];

        json_open(writer, NULL, '{');
        json_word(writer, "class", spot->class);
        json_word(writer, "text", spot->text);
        json_text(writer, "detail", spot->detail);
        json_number(writer, "count", spot->count);
        json_known(writer, "process", process_id(analysis, spot->process), -1);
        json_close(writer, '}');
    }
    json_close(writer, ']');
    json_open(writer, "unused_waivers", '[');
    for (size_t i = 0; i < analysis->unused_waiver_count; i++) {
        json_open(writer, NULL, '{');
        json_text(writer, "rule", analysis->unused_waivers[i].text);
        json_number(writer, "line", analysis->unused_waivers[i].line);
        json_close(writer, '}');
    }
    json_close(writer, ']');
}

static void add_stale(struct json_writer *writer, const struct analysis *analysis)
{
    json_open(writer, "stale_baseline", '[');
    for (size_t i = 0; i < analysis->stale_count; i++) {
        json_open(writer, NULL, '{');
        json_word(writer, "fingerprint", analysis->stale[i].fingerprint);
        json_text(writer, "text", analysis->stale[i].words);
        json_known(writer, "line", analysis->stale[i].line, 0);
        json_close(writer, '}');
    }
    json_close(writer, ']');
}

static void add_names(struct json_writer *writer, const char *key, const struct analysis *analysis,
                      const struct analysis_blind_class *class, enum analysis_blind_name which)
{
    size_t count;
    cleanup_free struct text *names = analysis_blind_names(analysis, class, which, &count);

    json_open(writer, key, '[');
    for (size_t i = 0; i < count; i++)
        json_text(writer, NULL, names[i]);
    json_close(writer, ']');
}

static void add_blind_classes(struct json_writer *writer, const struct analysis *analysis)
{
    json_open(writer, "blind_spots", '[');
    for (size_t i = 0; i < analysis->blind_class_count; i++) {
        const struct analysis_blind_class *class = &analysis->blind_classes[i];

        json_open(writer, NULL, '{');
        json_word(writer, "class", class->name);
        json_word(writer, "text", class->text);
        json_word(writer, "remedy", class->remedy);
        json_number(writer, "count", class->count);
        json_bool(writer, "accepted", class->accepted);
        add_names(writer, "programs", analysis, class, BLIND_NAME_PROGRAM);
        add_names(writer, "details", analysis, class, BLIND_NAME_DETAIL);
        json_close(writer, '}');
    }
    json_close(writer, ']');
}

static void add_recall(struct json_writer *writer, const struct analysis_certificate *certificate)
{
    json_open(writer, "recall", '{');
    json_number(writer, "seen", certificate->recall.seen);
    json_number(writer, "recorded", certificate->recall.recorded);
    json_open(writer, "channels", '[');
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        json_open(writer, NULL, '{');
        json_word(writer, "name", channel_name((enum channel)i));
        json_number(writer, "seen", certificate->channels[i].seen);
        json_number(writer, "recorded", certificate->channels[i].recorded);
        json_close(writer, '}');
    }
    json_close(writer, ']');
    json_open(writer, "missed", '[');
    for (size_t i = 0; i < certificate->missed_count; i++) {
        const struct analysis_missed *missed = &certificate->missed[i];

        json_open(writer, NULL, '{');
        json_text(writer, "subject", missed->subject);
        json_word(writer, "operation", operation_name(missed->operation));
        json_number(writer, "processes", missed->processes);
        json_number(writer, "count", missed->count);
        json_close(writer, '}');
    }
    json_close(writer, ']');
    json_close(writer, '}');
}

static void add_certificate(struct json_writer *writer, const struct analysis *analysis)
{
    const struct analysis_certificate *certificate = &analysis->certificate;

    json_open(writer, "certificate", '{');
    json_word(writer, "evidence", analysis->complete ? "complete" : "incomplete");
    json_bool(writer, "sufficient", analysis_suffices(analysis));
    json_text(writer, "witness", analysis->witness);
    json_open(writer, "processes", '{');
    for (size_t i = 0; i < certificate->shim_count; i++)
        json_number(writer, certificate->shims[i].name, certificate->shims[i].processes);
    json_close(writer, '}');
    json_open(writer, "accesses", '{');
    json_number(writer, "shim", certificate->shim);
    json_number(writer, "witness", certificate->witness);
    json_number(writer, "confirmed", certificate->confirmed);
    json_close(writer, '}');
    if (certificate->measured)
        add_recall(writer, certificate);
    add_blind_classes(writer, analysis);
    json_close(writer, '}');
}

static void add_processes(struct json_writer *writer, const struct analysis *analysis)
{
    json_open(writer, "processes", '[');
    for (size_t i = 0; i < analysis->process_count; i++) {
        const struct analysis_process *process = &analysis->processes[i];

        json_open(writer, NULL, '{');
        json_number(writer, "id", process->id);
        json_known(writer, "parent", process_id(analysis, process->parent), -1);
        json_number(writer, "pid", process->pid);
        json_word(writer, "how", process->how);
        json_text(writer, "exe", process->exe);
        json_arguments(writer, "argv", process->argv);
        json_text(writer, "cwd", process->cwd);
        json_number(writer, "started_ns", process->started);
        json_known(writer, "ended_ns", process->ended, -1);
        json_bool(writer, "wrote", process->wrote);
        json_known(writer, "exit_status", process->exit_status, -1);
        json_known(writer, "signal", process->signal, -1);
        json_word(writer, "shim", process->shim);
        json_close(writer, '}');
    }
    json_close(writer, ']');
}

static void add_access(const struct access_row *row, void *data)
{
    struct json_writer *writer = data;
    cleanup_buffer struct buffer outcome = BUFFER_INIT;

    add_outcome(&outcome, row->outcome);
    json_open(writer, NULL, '{');
    json_text(writer, "channel", row->channel);
    json_text(writer, "operation", row->operation);
    json_text(writer, "subject", row->subject);
    json_word(writer, "outcome", outcome.data);
    json_text(writer, "verdict", row->verdict);
    json_text(writer, "rule", text_or_null(row->rule));
    json_text(writer, "source", row->source);
    json_number(writer, "count", row->count);
    json_number(writer, "processes", row->processes);
    json_number(writer, "first_process", row->process);
    json_close(writer, '}');
}

int render_json(const struct analysis *analysis, sqlite3 *db,
                const struct report_settings *settings, struct buffer *out)
{
    struct json_writer writer = {out, 0, true};
    int result = 0;

    json_open(&writer, NULL, '{');
    json_number(&writer, "schema_version", SCHEMA_VERSION);
    add_run(&writer, analysis);
    add_channels(&writer, analysis);
    add_findings(&writer, analysis);
    add_categories(&writer, analysis);
    add_blind_spots(&writer, analysis);
    if (analysis->baseline)
        add_stale(&writer, analysis);
    add_certificate(&writer, analysis);
    add_processes(&writer, analysis);
    if (settings->all) {
        json_open(&writer, "accesses", '[');
        result = each_access(db, analysis->run, add_access, &writer);
        json_close(&writer, ']');
    }
    json_close(&writer, '}');
    buffer_add_char(out, '\n');
    return result;
}
