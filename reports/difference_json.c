/* SPDX-License-Identifier: MIT
 *
 * The document that docs/diff.schema.json describes. Field names and their meaning are a contract:
 * they are added to, never changed, within one schema_version.
 */
#include <string.h>

#include "difference_words.h"
#include "json_writer.h"
#include "operation.h"

#define SCHEMA_VERSION 1

static const char *side_name(int side)
{
    static const char *const names[] = {"a", "b", "both"};

    return names[side];
}

static int64_t process_id(const struct comparison *comparison, int side, uint32_t process)
{
    return process == ANALYSIS_NONE ? -1 : comparison->runs[side]->processes[process].id;
}

static void add_evidence(struct json_writer *writer, const struct analysis *run)
{
    json_word(writer, "evidence", run->complete ? "complete" : "incomplete");
    json_open(writer, "blind_spots", '[');
    for (size_t i = 0; i < run->blind_class_count; i++) {
        json_open(writer, NULL, '{');
        json_word(writer, "class", run->blind_classes[i].name);
        json_word(writer, "text", run->blind_classes[i].text);
        json_number(writer, "count", run->blind_classes[i].count);
        json_close(writer, '}');
    }
    json_close(writer, ']');
}

static void add_run(struct json_writer *writer, const struct comparison *comparison,
                    const struct difference_settings *settings, int side)
{
    const struct analysis *run = comparison->runs[side];

    json_open(writer, side_name(side), '{');
    json_text(writer, "database",
              (struct text){settings->databases[side], strlen(settings->databases[side])});
    json_number(writer, "run", run->run);
    json_text(writer, "command", run->command);
    json_arguments(writer, "argv", run->argv);
    json_text(writer, "cwd", run->cwd);
    json_text(writer, "root", run->root);
    json_text(writer, "home", run->home);
    json_text(writer, "user", run->user);
    json_text(writer, "host", run->host);
    json_text(writer, "machine", run->machine);
    json_time(writer, "started", run->started);
    json_time(writer, "ended", run->ended);
    json_text(writer, "mode", run->mode);
    json_text(writer, "witness", run->witness);
    json_text(writer, "manifest", run->manifest);
    json_known(writer, "exit_status", run->exit_status, -1);
    json_number(writer, "signal", run->signal);
    add_evidence(writer, run);
    json_number(writer, "processes_alone", comparison->alone[side]);
    json_close(writer, '}');
}

static void add_process(struct json_writer *writer, const struct comparison *comparison, int side,
                        uint32_t process)
{
    const struct analysis_process *row;
    cleanup_buffer struct buffer end = BUFFER_INIT;
    cleanup_buffer struct buffer chain = BUFFER_INIT;

    if (process == ANALYSIS_NONE) {
        json_text(writer, side_name(side), (struct text){NULL, 0});
        return;
    }
    row = &comparison->runs[side]->processes[process];
    json_open(writer, side_name(side), '{');
    json_number(writer, "id", row->id);
    json_text(writer, "exe", row->exe);
    json_text(writer, "command", row->command);
    json_text(writer, "cwd", row->cwd);
    difference_add_end(comparison, side, process, &end);
    json_word(writer, "end", end.data);
    analysis_chain(comparison->runs[side], process, 16, 200, &chain);
    json_word(writer, "chain", chain.data ? chain.data : "");
    json_close(writer, '}');
}

static void add_end(struct json_writer *writer, const struct comparison *comparison,
                    const char *key, const struct comparison_end *end)
{
    if (!difference_end_is(end)) {
        json_text(writer, key, (struct text){NULL, 0});
        return;
    }
    json_open(writer, key, '{');
    for (int side = 0; side < SIDE_COUNT; side++)
        add_process(writer, comparison, side, end->process[side]);
    json_close(writer, '}');
}

static void add_member(struct json_writer *writer, const struct difference_member *member)
{
    json_open(writer, NULL, '{');
    json_text(writer, "subject", member->subject);
    for (int side = 0; side < SIDE_COUNT; side++)
        json_text(writer, side_name(side), member->actual[side]);
    json_close(writer, '}');
}

static void add_side_of(struct json_writer *writer, const struct comparison *comparison,
                        const struct difference *difference, int side)
{
    json_open(writer, side_name(side), '{');
    json_text(writer, "value",
              difference->value[side].length ? difference->value[side] : (struct text){NULL, 0});
    json_known(writer, "process", process_id(comparison, side, difference->process[side]), -1);
    json_number(writer, "processes", difference->processes[side]);
    json_close(writer, '}');
}

static void add_difference(struct json_writer *writer, const struct comparison *comparison,
                           const struct difference *difference)
{
    cleanup_buffer struct buffer title = BUFFER_INIT;

    json_open(writer, NULL, '{');
    json_word(writer, "kind", difference_name(difference->kind));
    difference_add_title(difference, &title);
    json_word(writer, "title", title.data);
    json_word(writer, "side", side_name(difference->side));
    json_text(writer, "channel",
              difference->channel < CHANNEL_COUNT
                  ? (struct text){channel_name(difference->channel),
                                  strlen(channel_name(difference->channel))}
                  : (struct text){NULL, 0});
    json_word(writer, "group", difference->group);
    json_text(writer, "subject", difference->subject);
    json_number(writer, "distance", difference->distance);
    json_bool(writer, "follows", difference_follows(difference->kind));
    json_bool(writer, "later", difference->later);
    json_bool(writer, "counts", difference->counts);
    json_bool(writer, "proven", comparison_is_proven(comparison, difference));
    for (int side = 0; side < SIDE_COUNT; side++)
        add_side_of(writer, comparison, difference, side);
    json_open(writer, "members", '[');
    for (size_t i = 0; i < difference->member_count; i++)
        add_member(writer, &difference->members[i]);
    json_close(writer, ']');
    json_close(writer, '}');
}

void difference_render_json(const struct comparison *comparison,
                            const struct difference_settings *settings, struct buffer *out)
{
    struct json_writer writer = {out, 0, true};

    json_open(&writer, NULL, '{');
    json_number(&writer, "schema_version", SCHEMA_VERSION);
    json_bool(&writer, "different", comparison_differs(comparison));
    json_bool(&writer, "command_differs", comparison->command_differs);
    json_bool(&writer, "witness_differs", comparison->witness_differs);
    for (int side = 0; side < SIDE_COUNT; side++)
        add_run(&writer, comparison, settings, side);
    json_number(&writer, "processes_paired", comparison->paired);
    json_number(&writer, "processes_watched_differently", comparison->watched_differently);
    add_end(&writer, comparison, "first", &comparison->first);
    add_end(&writer, comparison, "fatal", &comparison->fatal);
    json_open(&writer, "differences", '[');
    for (size_t i = 0; i < comparison->difference_count; i++)
        add_difference(&writer, comparison, &comparison->differences[i]);
    json_close(&writer, ']');
    json_close(&writer, '}');
    buffer_add_char(out, '\n');
}
