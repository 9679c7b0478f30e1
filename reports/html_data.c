/* SPDX-License-Identifier: MIT
 *
 * The data of the page, for page/data.js: objects where there are few, and rows of columns where
 * there are many. Strings are numbers in a table (html_values.h).
 */
#include "html.h"

#include <string.h>

#include "cleanup.h"
#include "endpoint.h"
#include "html_values.h"
#include "operation.h"
#include "text_parts.h"

static void add_buffer(struct html_values *values, const char *key, const struct buffer *text)
{
    html_string(values, key, (struct text){text->data, text->length});
}

static void add_run(struct html_values *values, const struct analysis *analysis)
{
    html_open(values, "run", '{');
    html_number(values, "id", analysis->run);
    html_string(values, "tool", analysis->tool);
    html_string(values, "cwd", analysis->cwd);
    html_string(values, "root", analysis->root);
    html_string(values, "host", analysis->host);
    html_string(values, "machine", analysis->machine);
    html_string(values, "mode", analysis->mode);
    html_string(values, "witness", analysis->witness);
    html_string(values, "manifest", analysis->manifest);
    html_number(values, "started", analysis->started / 1000000);
    html_number(values, "ended", analysis->ended / 1000000);
    html_number(values, "status", analysis->exit_status);
    html_word(values, "signal", analysis->signal ? signal_name(analysis->signal) : "");
    html_word(values, "interrupted",
              analysis->interrupted ? signal_name(analysis->interrupted) : "");
    html_number(values, "complete", analysis->complete);
    html_number(values, "sufficient", analysis_suffices(analysis));
    html_close(values, '}');
}

static void add_channels(struct html_values *values, const struct analysis *analysis)
{
    html_open(values, "channels", '[');
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        html_open(values, NULL, '{');
        html_word(values, "name", channel_name((enum channel)i));
        html_word(values, "title", channel_title((enum channel)i));
        html_number(values, "declared", analysis->channels[i].declared);
        html_number(values, "occurrences", analysis->channels[i].occurrences);
        html_close(values, '}');
    }
    html_close(values, ']');
}

static void add_categories(struct html_values *values)
{
    html_open(values, "categories", '[');
    for (int i = 0; i < CATEGORY_COUNT; i++) {
        const struct category *category = category_of_id((enum category_id)i);

        html_open(values, NULL, '{');
        html_word(values, "title", category->title);
        html_word(values, "why", category->why);
        html_word(values, "remedy", category->remedy);
        html_close(values, '}');
    }
    html_close(values, ']');
}

/* subject, resolved, package, digest, operation, outcome, 1 witness | 2 passing, count */
static void add_member(struct html_values *values, const struct analysis_member *member)
{
    cleanup_buffer struct buffer outcome = BUFFER_INIT;

    add_outcome(&outcome, member->outcome);
    html_open(values, NULL, '[');
    html_string(values, NULL, member->subject);
    html_string(values, NULL, member->resolved);
    html_string(values, NULL, member->package);
    html_string(values, NULL, member->digest);
    html_word(values, NULL, operation_name(member->operation));
    add_buffer(values, NULL, &outcome);
    html_number(values, NULL, (member->witness ? 1 : 0) | (member->passing ? 2 : 0));
    html_number(values, NULL, member->count);
    html_close(values, ']');
}

/* What stands in the list: "libc6 2.36", "~/.config", "sccache, 127.0.0.1:4226". */
static void add_label(struct html_values *values, const struct analysis *analysis,
                      const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer label = BUFFER_INIT;

    if (finding->package.length)
        buffer_add(&label, finding->package.bytes, finding->package.length);
    else if (finding->channel == CHANNEL_FILESYSTEM)
        add_place(&label, analysis, finding->subject);
    else
        add_service_name(&label, finding);
    add_buffer(values, "label", &label);
}

static void add_what(struct html_values *values, const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer what = BUFFER_INIT;

    if (finding->channel == CHANNEL_FILESYSTEM)
        add_amount(&what, finding);
    else
        buffer_add_text(&what, finding->operation);
    add_buffer(values, "what", &what);
}

static void add_finding(struct html_values *values, const struct analysis *analysis,
                        const struct analysis_finding *finding, size_t most)
{
    html_open(values, NULL, '{');
    html_word(values, "fingerprint", finding->fingerprint);
    html_number(values, "channel", finding->channel);
    html_number(values, "category", finding->category->id);
    html_number(values, "severity", finding->severity);
    html_number(values, "waived", finding->verdict == VERDICT_WAIVED);
    html_number(values, "known", finding->known);
    html_word(values, "class", analysis_class_name(finding->class));
    html_word(values, "operation", finding->operation);
    html_word(values, "group", finding->group);
    html_string(values, "subject", finding->subject);
    add_label(values, analysis, finding);
    add_what(values, finding);
    html_word(values, "service", finding->service ? finding->service->text : "");
    html_lines(values, "remedy", finding->remedy);
    html_lines(values, "declaration", finding->declaration);
    html_lines(values, "waiver", finding->waiver);
    html_string(values, "path", finding->location.path);
    html_number(values, "line", finding->location.line);
    html_number(values, "count", finding->count);
    html_number(values, "subjects", finding->subjects);
    html_number(values, "process", finding->processes[0]);
    html_number(values, "users", (int64_t)finding->process_count);
    html_number(values, "uses", (int64_t)finding->member_count);
    html_open(values, "members", '[');
    for (size_t i = 0; i < finding->member_count && i < most; i++)
        add_member(values, &finding->members[i]);
    html_close(values, ']');
    html_close(values, '}');
}

/* parent or -1, pid, how, program, exe, cwd, exit status or -1, signal, started and ended in µs
 * since the run's start (ended -1: unknown), shim, environment or -1, arguments... */
static void add_process(struct html_values *values, const struct analysis *analysis,
                        const struct html_uses *uses, size_t number)
{
    const struct analysis_process *process = &analysis->processes[number];

    html_open(values, NULL, '[');
    html_number(values, NULL, process->parent == ANALYSIS_NONE ? -1 : (int64_t)process->parent);
    html_number(values, NULL, process->pid);
    html_word(values, NULL, process->how);
    html_string(values, NULL, analysis_program(process));
    html_string(values, NULL, process->exe);
    html_string(values, NULL, process->cwd);
    html_number(values, NULL, process->exit_status);
    html_word(values, NULL, process->signal > 0 ? signal_name(process->signal) : "");
    html_number(values, NULL, process->started / 1000);
    html_number(values, NULL, process->ended < 0 ? -1 : process->ended / 1000);
    html_word(values, NULL, process->shim);
    html_number(values, NULL,
                uses->block[number] == ANALYSIS_NONE ? -1 : (int64_t)uses->block[number]);
    if (process->argv.bytes) {
        html_arguments(values, process->argv);
    } else {
        html_open(values, NULL, '[');
        html_string(values, NULL, process->command);
        html_close(values, ']');
    }
    html_close(values, ']');
}

static int add_processes(struct html_values *values, const struct analysis *analysis, sqlite3 *db)
{
    struct html_uses uses;
    int result = html_uses_load(&uses, analysis, db);

    if (result == 0) {
        html_open(values, "processes", '[');
        for (size_t i = 0; i < analysis->process_count; i++)
            add_process(values, analysis, &uses, i);
        html_close(values, ']');
        html_raw(values, "uses", &uses.processes);
        html_raw(values, "blocks", &uses.blocks);
        html_number(values, "cut", uses.cut);
    }
    html_uses_fini(&uses);
    return result;
}

static void add_names(struct html_values *values, const char *key, const struct analysis *analysis,
                      const struct analysis_blind_class *class, enum analysis_blind_name which)
{
    size_t count;
    cleanup_free struct text *names = analysis_blind_names(analysis, class, which, &count);

    html_open(values, key, '[');
    for (size_t i = 0; i < count; i++)
        html_string(values, NULL, names[i]);
    html_close(values, ']');
}

static void add_blind_spots(struct html_values *values, const struct analysis *analysis)
{
    html_open(values, "blind", '[');
    for (size_t i = 0; i < analysis->blind_class_count; i++) {
        const struct analysis_blind_class *class = &analysis->blind_classes[i];

        html_open(values, NULL, '{');
        html_word(values, "name", class->name);
        html_word(values, "text", class->text);
        html_word(values, "remedy", class->remedy);
        html_number(values, "count", class->count);
        html_number(values, "accepted", class->accepted);
        add_names(values, "where", analysis, class, BLIND_NAME_EITHER);
        html_close(values, '}');
    }
    html_close(values, ']');
    html_open(values, "waivers", '[');
    for (size_t i = 0; i < analysis->unused_waiver_count; i++) {
        html_open(values, NULL, '{');
        html_string(values, "text", analysis->unused_waivers[i].text);
        html_number(values, "line", analysis->unused_waivers[i].line);
        html_close(values, '}');
    }
    html_close(values, ']');
}

static void add_recall(struct html_values *values, const struct analysis_certificate *certificate)
{
    html_open(values, "recall", '[');
    for (int i = 0; certificate->measured && i < CHANNEL_COUNT; i++) {
        html_open(values, NULL, '{');
        html_number(values, "seen", certificate->channels[i].seen);
        html_number(values, "recorded", certificate->channels[i].recorded);
        html_close(values, '}');
    }
    html_close(values, ']');
    html_open(values, "missed", '[');
    for (size_t i = 0; i < certificate->missed_count; i++) {
        const struct analysis_missed *missed = &certificate->missed[i];

        html_open(values, NULL, '{');
        html_string(values, "subject", missed->subject);
        html_word(values, "operation", operation_name(missed->operation));
        html_number(values, "processes", missed->processes);
        html_close(values, '}');
    }
    html_close(values, ']');
}

static void add_certificate(struct html_values *values, const struct analysis *analysis)
{
    const struct analysis_certificate *certificate = &analysis->certificate;

    html_open(values, "certificate", '{');
    html_open(values, "shims", '[');
    for (size_t i = 0; i < certificate->shim_count; i++) {
        html_open(values, NULL, '{');
        html_word(values, "name", certificate->shims[i].name);
        html_number(values, "processes", certificate->shims[i].processes);
        html_close(values, '}');
    }
    html_close(values, ']');
    html_number(values, "shim", certificate->shim);
    html_number(values, "witness", certificate->witness);
    html_number(values, "confirmed", certificate->confirmed);
    add_recall(values, certificate);
    html_close(values, '}');
}

int html_add_data(struct buffer *out, const struct analysis *analysis, sqlite3 *db)
{
    size_t most = html_most_members(analysis);
    struct html_values values;
    int result;

    html_values_init(&values, out);
    html_open(&values, NULL, '{');
    add_run(&values, analysis);
    add_channels(&values, analysis);
    add_categories(&values);
    html_open(&values, "findings", '[');
    for (size_t i = 0; i < analysis->finding_count; i++)
        add_finding(&values, analysis, &analysis->findings[i], most);
    html_close(&values, ']');
    result = add_processes(&values, analysis, db);
    add_blind_spots(&values, analysis);
    add_certificate(&values, analysis);
    html_table(&values, "strings");
    html_close(&values, '}');
    html_values_fini(&values);
    return result;
}
