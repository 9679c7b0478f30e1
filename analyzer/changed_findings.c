/* SPDX-License-Identifier: MIT */
#include "changed_findings.h"

#include <stdlib.h>

#include "buffer.h"
#include "category.h"
#include "finding_order.h"
#include "memory.h"
#include "operation.h"
#include "quote.h"

#define PROGRAM_WIDTH 40
#define PATH_WIDTH    80

static const struct text none = {"", 0};

/* The words are in fingerprints. */
static const char *const change_words[] = {
    [CHANGE_USED] = "input-changed",
    [CHANGE_DECIDED] = "input-changed decided",
    [CHANGE_OUTSIDE] = "input-changed outside",
};

struct changed_findings changed_findings_new(struct analysis *analysis,
                                             const struct subjects *subjects)
{
    return (struct changed_findings){
        .analysis = analysis,
        .subjects = subjects,
        .places = {analysis->root, analysis->home, analysis->user, analysis->host},
    };
}

void changed_findings_fini(struct changed_findings *findings)
{
    free(findings->findings);
    names_fini(&findings->keys);
}

static struct analysis_finding start_finding(const struct changed_findings *findings,
                                             enum change change, const struct group *group)
{
    const struct category *category = category_of_id(CATEGORY_INPUT_CHANGED);
    enum event_kind kind = change == CHANGE_OUTSIDE ? EVENT_READ : EVENT_WRITE;
    struct analysis_finding finding = {
        .channel = CHANNEL_FILESYSTEM,
        .class = change == CHANGE_OUTSIDE ? FINDING_READ : FINDING_WRITE,
        .verdict = VERDICT_UNDECLARED,
        .operation = operation_name(kind),
        .category = category,
        .severity = change == CHANGE_DECIDED ? SEVERITY_NOTE : category->severity,
        .group = group->kind,
        .subject = group->name,
        .package = none,
        .remedy = none,
        .declaration = none,
        .waiver = none,
        .location = {none, 0},
        .kinds = 1u << operation_class(kind) | 1u << ACCESS_READ,
    };

    group_fingerprint(&findings->places, finding.channel, change_words[change], group,
                      finding.fingerprint);
    return finding;
}

static struct analysis_finding *finding_for(struct changed_findings *findings, enum change change,
                                            struct text path)
{
    struct group group =
        group_of(&findings->places, CHANNEL_FILESYSTEM, EVENT_WRITE, FINDING_WRITE, path, none);
    cleanup_buffer struct buffer key = BUFFER_INIT;
    size_t number, before = findings->keys.count;

    group.category = CATEGORY_INPUT_CHANGED;
    buffer_printf(&key, "%d %s%c", (int)change, group.kind, 0);
    buffer_add(&key, group.name.bytes, group.name.length);
    number = names_find(&findings->keys, key.data, key.length);
    if (number != MAP_NONE)
        return &findings->findings[number];
    names_add(&findings->keys, memory_copy(findings->analysis->memory, key.data, key.length),
              key.length);
    if ((before & (before - 1)) == 0)
        findings->findings =
            xrealloc(findings->findings, (before ? 2 * before : 1) * sizeof *findings->findings);
    findings->findings[before] = start_finding(findings, change, &group);
    return &findings->findings[before];
}

static void add_process(struct analysis_finding *finding, uint32_t process)
{
    size_t number = finding->process_count;

    if (process == ANALYSIS_NONE)
        return;
    if ((number & (number - 1)) == 0)
        finding->processes =
            xrealloc(finding->processes, (number ? 2 * number : 1) * sizeof *finding->processes);
    finding->processes[finding->process_count++] = process;
}

static void add_member(struct analysis_finding *finding, const struct subject *subject,
                       uint32_t subject_number, enum event_kind kind, size_t count)
{
    size_t number = finding->member_count++;

    if ((number & (number - 1)) == 0)
        finding->members =
            xrealloc(finding->members, (number ? 2 * number : 1) * sizeof *finding->members);
    finding->members[number] = (struct analysis_member){
        .subject = subject->name,
        .resolved = none,
        .package = subject->package.bytes ? subject->package : none,
        .digest = none,
        .operation = kind,
        .count = (int64_t)count,
        .subject_number = subject_number,
    };
    finding->count += (int64_t)count;
}

static void add_program(const struct analysis *analysis, struct buffer *out, uint32_t process)
{
    struct text program = analysis_program(&analysis->processes[process]);

    quote_shortened(out, program.bytes, program.length, PROGRAM_WIDTH);
}

/* The sentence about a finding's first file; the others are counted in the end. */
static void tell(const struct changed_findings *findings, struct analysis_finding *finding,
                 struct changed_pair pair, enum change change)
{
    const struct analysis *analysis = findings->analysis;
    cleanup_buffer struct buffer text = BUFFER_INIT;
    struct text path = finding->members[0].subject;
    struct text rest;

    if (places_find(&findings->places, path, &rest) == PLACE_ROOT && rest.length > 1)
        path = finding->location.path = (struct text){rest.bytes + 1, rest.length - 1};
    quote_shortened(&text, path.bytes, path.length, PATH_WIDTH);
    buffer_add_text(&text, " was read by ");
    add_program(analysis, &text, pair.reader);
    if (pair.writer != ANALYSIS_NONE) {
        buffer_add_text(&text, " and after that written by ");
        add_program(analysis, &text, pair.writer);
    } else {
        buffer_add_text(&text, " and after that changed by somebody who is not of the run, or who "
                               "was not seen");
    }
    if (change == CHANGE_DECIDED)
        buffer_add_text(&text, "; the old content decided what was done, or the new one was read "
                               "as well");
    buffer_add_char(&text, '.');
    finding->remedy =
        (struct text){memory_copy(analysis->memory, text.data, text.length), text.length};
}

void changed_findings_add(struct changed_findings *findings, enum change change, uint32_t subject,
                          const struct changed_pair *pairs, size_t count)
{
    const struct subject *row = &findings->subjects->rows[subject];
    struct analysis_finding *finding = finding_for(findings, change, row->name);

    add_member(finding, row, subject, EVENT_READ, count);
    if (change != CHANGE_OUTSIDE)
        add_member(finding, row, subject, EVENT_WRITE, 1);
    for (size_t i = 0; i < count; i++) {
        add_process(finding, pairs[i].reader);
        add_process(finding, pairs[i].writer);
    }
    if (finding->subjects++ == 0)
        tell(findings, finding, pairs[0], change);
}

void changed_findings_finish(struct changed_findings *findings)
{
    for (size_t i = 0; i < findings->keys.count; i++) {
        struct analysis_finding *finding = &findings->findings[i];
        cleanup_buffer struct buffer text = BUFFER_INIT;

        buffer_add(&text, finding->remedy.bytes, finding->remedy.length);
        if (finding->subjects > 1)
            buffer_printf(&text, " The same holds for %u more.", finding->subjects - 1);
        buffer_printf(&text, " %s", finding->category->remedy);
        finding->remedy = (struct text){
            memory_copy(findings->analysis->memory, text.data, text.length), text.length};
        if (finding->subjects > 1)
            continue;
        /* The fingerprint is the folder's all the same, and does not depend on the number. */
        finding->subject = finding->members[0].subject;
        finding->group = "file";
    }
    findings_add(findings->analysis, findings->findings, findings->keys.count);
}
