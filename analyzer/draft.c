/* SPDX-License-Identifier: MIT */
#include "draft.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "manifest.h"
#include "manifest_text.h"
#include "tallyman/status.h"

#define WIDTH          100
#define COMMENT_COLUMN 40

static const struct {
    const char *key, *title;
} sections[] = {
#define SECTION(id, key, title) {key, title},
#include "draft_sections.def"
#undef SECTION
};

struct draft *draft_new(void)
{
    struct draft *draft = xcalloc(1, sizeof *draft);

    draft->sets = xcalloc((size_t)manifest_set_count(), sizeof *draft->sets);
    return draft;
}

void draft_free(struct draft *draft)
{
    if (!draft)
        return;
    for (size_t i = 0; i < draft->rule_count; i++) {
        free(draft->rules[i].text);
        free(draft->rules[i].why);
    }
    free(draft->rules);
    free(draft->sets);
    buffer_fini(&draft->head);
    free(draft);
}

static bool is_of_paths(enum draft_section section)
{
    return section <= DRAFT_ABSENT;
}

/* The same path in two lists is an error in a manifest. */
static bool excludes(const struct draft_rule *rule, enum draft_section section, const char *text)
{
    bool comparable = is_of_paths(section) ? is_of_paths(rule->section) : rule->section == section;

    return !rule->dropped && comparable && strcmp(rule->text, text) == 0;
}

struct draft_rule *draft_add(struct draft *draft, enum draft_section section, char *text)
{
    bool writable = section == DRAFT_OUTPUTS || section == DRAFT_SCRATCH;

    for (size_t i = 0; i < draft->rule_count; i++) {
        struct draft_rule *rule = &draft->rules[i];

        if (!excludes(rule, section, text))
            continue;
        if (!writable || rule->section == DRAFT_OUTPUTS || rule->section == DRAFT_SCRATCH) {
            free(text);
            return NULL;
        }
        rule->dropped = true;
    }
    if (draft->rule_count == draft->room) {
        draft->room = draft->room ? draft->room * 2 : 64;
        draft->rules = xrealloc(draft->rules, draft->room * sizeof *draft->rules);
    }
    draft->rules[draft->rule_count] = (struct draft_rule){.section = section, .text = text};
    return &draft->rules[draft->rule_count++];
}

/* --- the text ------------------------------------------------------------------------------- */

struct writer {
    struct draft *draft;
    struct buffer *out;
    bool comments;
    uint32_t line; /* that is being written */
};

static void end_line(struct writer *writer)
{
    buffer_add_char(writer->out, '\n');
    writer->line++;
}

static size_t column(const struct buffer *out)
{
    const char *start = out->length ? memrchr(out->data, '\n', out->length) : NULL;

    return start ? out->length - (size_t)(start + 1 - out->data) : out->length;
}

static void add_counts(struct writer *writer, size_t names, int64_t count, const char *why,
                       size_t excess)
{
    if (!writer->comments)
        return;
    do
        buffer_add_char(writer->out, ' ');
    while (column(writer->out) < COMMENT_COLUMN);
    buffer_add_text(writer->out, "# ");
    if (why)
        buffer_printf(writer->out, "%s: ", why);
    buffer_printf(writer->out, "%zu %s, %lld time%s", names, names == 1 ? "use" : "uses",
                  (long long)count, count == 1 ? "" : "s");
    if (excess)
        buffer_printf(writer->out, "; %zu unused", excess);
}

static void write_sets(struct writer *writer)
{
    const struct draft *draft = writer->draft;
    const char *separator = "use: [";

    for (int i = 0; i < manifest_set_count(); i++) {
        if (!draft->sets[i])
            continue;
        buffer_printf(writer->out, "%s%s", separator, manifest_set_name(i));
        separator = ", ";
    }
    if (*separator == 'u')
        return;
    buffer_add_char(writer->out, ']');
    add_counts(writer, draft->set_names, draft->set_count, NULL, 0);
    end_line(writer);
}

static bool has_rules(const struct draft *draft, enum draft_section section)
{
    for (size_t i = 0; i < draft->rule_count; i++)
        if (draft->rules[i].section == section && !draft->rules[i].dropped)
            return true;
    return false;
}

static void write_title(struct writer *writer, const char *title)
{
    if (!*title)
        return;
    buffer_printf(writer->out, "  # %s", title);
    end_line(writer);
}

static void write_list(struct writer *writer, enum draft_section section)
{
    for (size_t i = 0; i < writer->draft->rule_count; i++) {
        struct draft_rule *rule = &writer->draft->rules[i];

        if (rule->section != section || rule->dropped)
            continue;
        rule->line = writer->line;
        buffer_printf(writer->out, "  - %s", rule->text);
        add_counts(writer, rule->names, rule->count, rule->why, rule->excess);
        end_line(writer);
    }
}

/* In flow style: there are many, and all say the same. */
static void write_variables(struct writer *writer, enum draft_section section)
{
    for (size_t i = 0; i < writer->draft->rule_count; i++) {
        struct draft_rule *rule = &writer->draft->rules[i];

        if (rule->section != section || rule->dropped)
            continue;
        if (column(writer->out) + strlen(rule->text) + 18 > WIDTH)
            end_line(writer);
        buffer_add_text(writer->out, column(writer->out) ? " " : "  ");
        rule->line = writer->line;
        buffer_printf(writer->out, "%s: {pass: true},", rule->text);
    }
    if (column(writer->out))
        end_line(writer);
}

static void write_value(struct writer *writer, enum draft_section section)
{
    for (size_t i = 0; i < writer->draft->rule_count; i++) {
        struct draft_rule *rule = &writer->draft->rules[i];

        if (rule->section != section || rule->dropped)
            continue;
        rule->line = writer->line;
        buffer_printf(writer->out, "%s: %s", sections[section].key, rule->text);
        add_counts(writer, rule->names, rule->count, rule->why, 0);
        end_line(writer);
    }
}

static void write_environment(struct writer *writer)
{
    if (!has_rules(writer->draft, DRAFT_ASKED) && !has_rules(writer->draft, DRAFT_VISIBLE))
        return;
    buffer_add_text(writer->out, "environment: {");
    end_line(writer);
    for (enum draft_section section = DRAFT_ASKED; section <= DRAFT_VISIBLE; section++) {
        if (!has_rules(writer->draft, section))
            continue;
        write_title(writer, sections[section].title);
        write_variables(writer, section);
    }
    buffer_add_char(writer->out, '}');
    end_line(writer);
}

static void write_lists(struct writer *writer)
{
    const char *key = "";

    for (enum draft_section section = DRAFT_PROJECT; section <= DRAFT_NETWORK; section++) {
        if (section == DRAFT_ASKED)
            write_environment(writer);
        if (section == DRAFT_ASKED || section == DRAFT_VISIBLE ||
            !has_rules(writer->draft, section))
            continue;
        if (strcmp(key, sections[section].key) != 0) {
            key = sections[section].key;
            buffer_printf(writer->out, "%s:", key);
            end_line(writer);
        }
        write_title(writer, sections[section].title);
        write_list(writer, section);
    }
}

static void write_head(struct writer *writer)
{
    const char *at = writer->draft->head.length ? writer->draft->head.data : "";

    while (*at) {
        size_t length = strcspn(at, "\n");

        buffer_printf(writer->out, "# %.*s", (int)length, at);
        end_line(writer);
        at += length + (at[length] == '\n');
    }
}

void draft_write(struct draft *draft, bool comments, struct buffer *out)
{
    struct writer writer = {draft, out, comments, 1};

    write_head(&writer);
    buffer_add_text(out, "version: 1");
    end_line(&writer);
    if (draft->root) {
        buffer_add_text(out, "root: ");
        manifest_add_scalar(out, draft->root, strlen(draft->root));
        end_line(&writer);
    }
    write_sets(&writer);
    write_lists(&writer);
    for (enum draft_section section = DRAFT_CLOCK; section < DRAFT_SECTION_COUNT; section++)
        write_value(&writer, section);
}

size_t draft_lines(const struct draft *draft)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;
    struct draft copy = *draft;
    size_t lines = 0;
    const char *next;

    draft_write(&copy, false, &text);
    for (const char *at = text.data; *at; at = next) {
        next = strchr(at, '\n') + 1;
        at += strspn(at, " ");
        lines += *at != '#';
    }
    return lines;
}

/* --- judging -------------------------------------------------------------------------------- */

static struct policy *compile_for(const struct manifest *manifest, const struct needs_run *run,
                                  struct buffer *why)
{
    struct manifest *moved = manifest_at(manifest, run->facts->root.bytes, why);
    struct policy *policy = NULL;
    size_t size;

    if (moved)
        policy = policy_compile(moved, &size, why);
    manifest_free(moved);
    return policy;
}

/* By line: the rule, NULL one of a named set or none. The caller frees. */
static struct draft_rule **rules_by_line(struct draft *draft, uint32_t lines)
{
    struct draft_rule **rules = xcalloc(lines + 1, sizeof *rules);

    for (size_t i = 0; i < draft->rule_count; i++) {
        struct draft_rule *rule = &draft->rules[i];

        rule->names = 0;
        rule->count = 0;
        if (!rule->dropped && rule->line <= lines)
            rules[rule->line] = rule;
    }
    draft->set_names = 0;
    draft->set_count = 0;
    return rules;
}

static void count_need(struct draft *draft, struct draft_rule **rules, const struct need *need)
{
    struct draft_rule *rule = rules[need->line];

    if (rule) {
        rule->names++;
        rule->count = count_sum(rule->count, need->count);
    } else {
        draft->set_names++;
        draft->set_count = count_sum(draft->set_count, need->count);
    }
}

static int64_t judge_run(struct needs *needs, uint32_t run, const struct policy *policy,
                         uint32_t lines)
{
    int64_t open = 0;

    for (uint32_t i = 0; i < needs->count; i++) {
        struct need *need = &needs->rows[i];
        struct judgement judgement;

        if (need->run != run)
            continue;
        judgement = matter_judge(&need->matter, policy, &needs->runs[run].subjects);
        need->covered = judgement.verdict == VERDICT_DECLARED;
        need->ruled = need->covered && judgement.rule != JUDGE_NO_RULE;
        need->line = need->ruled ? policy_rule_line(policy, judgement.rule) : 0;
        if (need->line > lines)
            need->line = 0;
        open += !need->covered && need->use != NEED_PROGRAM;
    }
    return open;
}

static uint32_t count_lines(const struct buffer *text)
{
    uint32_t lines = 0;

    for (size_t i = 0; i < text->length; i++)
        lines += text->data[i] == '\n';
    return lines;
}

int64_t draft_judge(struct draft *draft, struct needs *needs, struct buffer *why)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;
    cleanup_free struct draft_rule **rules = NULL;
    struct manifest *manifest;
    uint32_t lines;
    int64_t open = 0;

    draft_write(draft, false, &text);
    lines = count_lines(&text);
    rules = rules_by_line(draft, lines);
    manifest = manifest_parse("the manifest", text.data, text.length,
                              needs->runs[0].facts->root.bytes, why);
    for (uint32_t run = 0; manifest && run < needs->run_count && open >= 0; run++) {
        cleanup_free struct policy *policy = compile_for(manifest, &needs->runs[run], why);

        open = policy ? open + judge_run(needs, run, policy, lines) : TALLY_ERR_FORMAT;
    }
    if (!manifest)
        open = TALLY_ERR_FORMAT;
    manifest_free(manifest);
    for (uint32_t i = 0; i < needs->count && open >= 0; i++)
        if (needs->rows[i].ruled && needs->rows[i].use != NEED_PROGRAM)
            count_need(draft, rules, &needs->rows[i]);
    return open;
}
