/* SPDX-License-Identifier: MIT */
#include "survivor.h"

#include <stdlib.h>
#include <string.h>

#include "category.h"
#include "die.h"
#include "finding_order.h"
#include "map.h"
#include "operation.h"
#include "tallyman/event.h"

/* What the supervisor wrote without the "pid 123: " in front. */
static struct text command_of(const struct analysis_blind_spot *spot)
{
    static const char head[] = "pid ";
    struct text text = spot->detail;
    size_t at = sizeof head - 1;

    if (text.length < at || memcmp(text.bytes, head, at) != 0)
        return text;
    while (at < text.length && text.bytes[at] >= '0' && text.bytes[at] <= '9')
        at++;
    if (at + 2 <= text.length && memcmp(text.bytes + at, ": ", 2) == 0)
        return (struct text){text.bytes + at + 2, text.length - at - 2};
    return text;
}

/* The program's name without its folder. */
static struct text program_of(const struct analysis *analysis,
                              const struct analysis_blind_spot *spot)
{
    struct text name = command_of(spot);
    const char *end, *slash;

    if (spot->process != ANALYSIS_NONE)
        return analysis_program(&analysis->processes[spot->process]);
    end = memchr(name.bytes, ' ', name.length);
    name.length = end ? (size_t)(end - name.bytes) : name.length;
    slash = memrchr(name.bytes, '/', name.length);
    if (slash)
        name = (struct text){slash + 1, name.length - (size_t)(slash + 1 - name.bytes)};
    return name;
}

static struct analysis_finding start_finding(const struct analysis *analysis, struct text program)
{
    static const struct text none = {"", 0};
    const struct places places = {analysis->root, analysis->home, analysis->user, analysis->host};
    const struct category *category = category_of_id(CATEGORY_SURVIVOR);
    const struct group group = {"process", program, CATEGORY_SURVIVOR};
    struct analysis_finding finding = {
        .channel = CHANNEL_RESOURCES,
        .class = FINDING_READ,
        .verdict = VERDICT_UNDECLARED,
        .operation = operation_name(EVENT_EXECUTE),
        .category = category,
        .severity = category->severity,
        .group = group.kind,
        .subject = program,
        .package = none,
        .remedy = {category->remedy, strlen(category->remedy)},
        .declaration = none,
        .waiver = none,
        .location = {none, 0},
        .kinds = 1u << ACCESS_EXECUTE,
    };

    group_fingerprint(&places, finding.channel, SURVIVOR_CLASS, &group, finding.fingerprint);
    return finding;
}

static void add_process(struct analysis_finding *finding, const struct analysis_blind_spot *spot)
{
    size_t number = finding->member_count++;
    size_t process = finding->process_count++;
    static const struct text none = {"", 0};

    finding->members = xrealloc(finding->members, finding->member_count * sizeof *finding->members);
    finding->members[number] = (struct analysis_member){
        .subject = command_of(spot),
        .resolved = none,
        .package = none,
        .digest = none,
        .operation = EVENT_EXECUTE,
        .count = 1,
        .subject_number = (uint32_t)number,
    };
    finding->processes =
        xrealloc(finding->processes, finding->process_count * sizeof *finding->processes);
    /* One that nobody saw start: the command is what it came from. */
    finding->processes[process] = spot->process == ANALYSIS_NONE ? 0 : spot->process;
    finding->subjects++;
    finding->count++;
}

void survivors_add_findings(struct analysis *analysis)
{
    struct names programs = {0};
    struct analysis_finding *findings = NULL;

    for (size_t i = 0; analysis->process_count && i < analysis->blind_spot_count; i++) {
        const struct analysis_blind_spot *spot = &analysis->blind_spots[i];
        struct text program;
        size_t number, before = programs.count;

        if (strcmp(spot->class, SURVIVOR_CLASS) != 0 || !spot->detail.length)
            continue;
        program = program_of(analysis, spot);
        number = names_add(&programs, program.bytes, program.length);
        if (number == before) {
            findings = xrealloc(findings, programs.count * sizeof *findings);
            findings[number] = start_finding(analysis, program);
        }
        add_process(&findings[number], spot);
    }
    findings_add(analysis, findings, programs.count);
    free(findings);
    names_fini(&programs);
}

void survivors_accept(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->finding_count; i++) {
        struct analysis_finding *finding = &analysis->findings[i];

        if (finding->category->id != CATEGORY_SURVIVOR || finding->verdict == VERDICT_WAIVED)
            continue;
        finding->verdict = VERDICT_WAIVED;
        analysis->channels[finding->channel].findings--;
        analysis->channels[finding->channel].waived_findings++;
    }
    findings_sort(analysis);
}
