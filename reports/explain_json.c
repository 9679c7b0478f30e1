/* SPDX-License-Identifier: MIT
 *
 * Field names and their meaning are a contract: they are added to, never changed, within one
 * schema_version.
 */
#include "explain_document.h"
#include "json_writer.h"
#include "operation.h"
#include "render.h"

#define SCHEMA_VERSION 1

static struct text or_null(struct text text)
{
    return text.length ? text : (struct text){NULL, 0};
}

static struct text text_of(const struct buffer *buffer)
{
    return (struct text){buffer->length ? buffer->data : NULL, buffer->length};
}

static void add_run(struct json_writer *writer, const struct analysis *analysis)
{
    json_open(writer, "run", '{');
    json_number(writer, "id", analysis->run);
    json_text(writer, "uuid", analysis->uuid);
    json_text(writer, "command", analysis->command);
    json_text(writer, "root", analysis->root);
    json_text(writer, "manifest", analysis->manifest);
    json_close(writer, '}');
}

static const char *verdict_of(const struct explanation_part *part)
{
    if (part->confirmed)
        return "confirmed";
    if (part->declared)
        return "declared";
    return part->finding.verdict == VERDICT_WAIVED ? "waived" : "undeclared";
}

static const char *why_of(enum nearest_why why)
{
    static const char *const names[] = {
        [NEAREST_NONE] = "none",     [NEAREST_PARTS] = "parts",     [NEAREST_SECTION] = "section",
        [NEAREST_ACTION] = "action", [NEAREST_SPELLED] = "spelled", [NEAREST_PORT] = "port",
        [NEAREST_KEY] = "key",
    };

    return names[why];
}

static void add_rule(struct json_writer *writer, const struct explanation_part *part)
{
    cleanup_buffer struct buffer sentence = BUFFER_INIT;

    if (part->rule.bytes) {
        json_open(writer, "rule", '{');
        json_text(writer, "text", part->rule);
        json_known(writer, "line", part->rule_line, 0);
        json_close(writer, '}');
    }
    if (!part->searched)
        return;
    explain_add_nearest(&sentence, part);
    json_open(writer, "nearest", '{');
    json_word(writer, "why", why_of(part->nearest.why));
    json_text(writer, "text", text_of(&part->nearest.rule));
    json_known(writer, "line", part->nearest.line, 0);
    json_word(writer, "sentence", sentence.data);
    json_close(writer, '}');
}

static void add_members(struct json_writer *writer, const struct analysis_finding *finding)
{
    json_open(writer, "members", '[');
    for (size_t i = 0; i < finding->member_count; i++) {
        const struct analysis_member *member = &finding->members[i];
        cleanup_buffer struct buffer outcome = BUFFER_INIT;

        add_outcome(&outcome, member->outcome);
        json_open(writer, NULL, '{');
        json_text(writer, "subject", member->subject);
        json_text(writer, "resolved", or_null(member->resolved));
        json_word(writer, "operation", operation_name(member->operation));
        json_word(writer, "outcome", outcome.data);
        json_number(writer, "count", member->count);
        json_text(writer, "package", or_null(member->package));
        json_text(writer, "digest", or_null(member->digest));
        json_close(writer, '}');
    }
    json_close(writer, ']');
}

static void add_uses(struct json_writer *writer, const struct explanation_process *process)
{
    json_open(writer, "uses", '[');
    for (size_t i = 0; i < process->use_count; i++) {
        const struct explanation_use *use = &process->uses[i];

        json_open(writer, NULL, '{');
        json_number(writer, "member", use->member);
        json_number(writer, "count", use->count);
        json_number(writer, "first_ns", use->first);
        json_bool(writer, "shim", use->shim);
        json_bool(writer, "witness", use->witness);
        json_close(writer, '}');
    }
    json_close(writer, ']');
}

static void add_chain(struct json_writer *writer, const struct analysis *analysis, uint32_t process)
{
    json_open(writer, "chain", '[');
    for (; process != ANALYSIS_NONE; process = analysis->processes[process].parent) {
        const struct analysis_process *row = &analysis->processes[process];

        json_open(writer, NULL, '{');
        json_number(writer, "id", row->id);
        json_number(writer, "pid", row->pid);
        json_word(writer, "how", row->how);
        json_text(writer, "exe", row->exe);
        json_arguments(writer, "argv", row->argv);
        json_text(writer, "cwd", row->cwd);
        json_number(writer, "started_ns", row->started);
        json_known(writer, "ended_ns", row->ended, -1);
        json_known(writer, "exit_status", row->exit_status, -1);
        json_close(writer, '}');
    }
    json_close(writer, ']');
}

static void add_processes(struct json_writer *writer, const struct analysis *analysis,
                          const struct explanation_part *part)
{
    json_number(writer, "process_count", (int64_t)part->process_total);
    json_open(writer, "processes", '[');
    for (size_t i = 0; i < part->process_count; i++) {
        const struct explanation_process *process = &part->processes[i];

        json_open(writer, NULL, '{');
        json_number(writer, "id", analysis->processes[process->process].id);
        add_uses(writer, process);
        add_chain(writer, analysis, process->process);
        json_open(writer, "written", '[');
        for (size_t j = 0; j < process->written_count; j++)
            json_text(writer, NULL, process->written[j]);
        json_close(writer, ']');
        json_number(writer, "written_count", process->written_total);
        json_close(writer, '}');
    }
    json_close(writer, ']');
}

static void add_category(struct json_writer *writer, const struct category *category)
{
    json_open(writer, "category", '{');
    json_word(writer, "name", category->name);
    json_word(writer, "title", category->title);
    json_word(writer, "why", category->why);
    json_close(writer, '}');
}

static void add_part(struct json_writer *writer, const struct analysis *analysis,
                     const struct explanation_part *part)
{
    const struct analysis_finding *finding = &part->finding;

    json_open(writer, NULL, '{');
    json_word(writer, "channel", channel_name(finding->channel));
    json_word(writer, "class", analysis_class_name(finding->class));
    json_word(writer, "verdict", verdict_of(part));
    add_rule(writer, part);
    if (!part->declared && !part->confirmed) {
        json_word(writer, "fingerprint", finding->fingerprint);
        add_category(writer, finding->category);
        json_text(writer, "remedy", or_null(finding->remedy));
        json_lines(writer, "declaration", finding->declaration);
        json_lines(writer, "waiver", finding->waiver);
    }
    json_number(writer, "count", finding->count);
    json_number(writer, "subjects", finding->subjects);
    json_number(writer, "first_ns", part->first);
    add_members(writer, finding);
    add_processes(writer, analysis, part);
    json_close(writer, '}');
}

static void add_told(struct json_writer *writer, const struct analysis *whole,
                     const struct analysis_finding *finding)
{
    json_open(writer, NULL, '{');
    json_word(writer, "channel", channel_name(finding->channel));
    json_word(writer, "verdict", finding->verdict == VERDICT_WAIVED ? "waived" : "undeclared");
    json_word(writer, "fingerprint", finding->fingerprint);
    add_category(writer, finding->category);
    json_text(writer, "remedy", or_null(finding->remedy));
    json_open(writer, "members", '[');
    for (size_t i = 0; i < finding->member_count; i++)
        json_text(writer, NULL, finding->members[i].subject);
    json_close(writer, ']');
    json_open(writer, "processes", '[');
    for (size_t i = 0; i < finding->process_count; i++) {
        json_open(writer, NULL, '{');
        add_chain(writer, whole, finding->processes[i]);
        json_close(writer, '}');
    }
    json_close(writer, ']');
    json_close(writer, '}');
}

void explain_json(const struct explanation *explanation, struct buffer *out)
{
    struct json_writer writer = {out, 0, true};

    json_open(&writer, NULL, '{');
    json_number(&writer, "schema_version", SCHEMA_VERSION);
    add_run(&writer, explanation->analysis);
    json_text(&writer, "subject", explanation->subject);
    json_word(&writer, "found_by", explanation->found_by);
    json_number(&writer, "subjects", (int64_t)explanation->subject_count);
    if (explanation->told_count) {
        json_open(&writer, "told", '[');
        for (size_t i = 0; i < explanation->told_count; i++)
            add_told(&writer, explanation->whole, explanation->told[i]);
        json_close(&writer, ']');
    }
    json_open(&writer, "parts", '[');
    for (size_t i = 0; i < explanation->part_count; i++)
        add_part(&writer, explanation->analysis, &explanation->parts[i]);
    json_close(&writer, ']');
    json_close(&writer, '}');
    buffer_add_char(out, '\n');
}
