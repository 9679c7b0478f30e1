/* SPDX-License-Identifier: MIT
 *
 * One pass over the uses; the work for each does not grow with their number.
 */
#include "findings.h"

#include <stdlib.h>
#include <string.h>

#include "category.h"
#include "cleanup.h"
#include "database.h"
#include "declaration.h"
#include "die.h"
#include "endpoint.h"
#include "finding_order.h"
#include "group.h"
#include "operation.h"
#include "passing.h"
#include "summaries.h"
#include "tallyman/status.h"
#include "uses.h"

/* A finding that is still growing. */
struct draft {
    struct analysis_finding finding;
    size_t member_room;
    unsigned char *processes;                     /* a bit each */
    int telling;                                  /* rank of finding.operation */
    uint32_t installed[CATEGORY_INSTALLED_COUNT]; /* different subjects by kind */
};

struct gathering {
    struct analysis *analysis;
    const struct subjects *subjects;
    const struct processes *processes;
    struct places places;
    struct passing passing;
    struct names keys;    /* number of a draft */
    struct map routes;    /* (subject, how it was used) -> draft */
    struct map members;   /* (draft and subject, operation and outcome) -> member in its draft */
    struct map different; /* (draft and subject) seen */
    struct draft *drafts;
};

static enum finding_class class_of(const struct gathering *gathering, const struct use *use)
{
    return group_class(use->kind, gathering->subjects->rows[use->subject].name, use->outcome);
}

const char *analysis_class_name(enum finding_class class)
{
    static const char *const names[] = {
        [FINDING_READ] = "read",
        [FINDING_WRITE] = "write",
        [FINDING_PROBE] = "probe",
        [FINDING_SERVICE] = "ambient-service",
    };

    return names[class];
}

static uint32_t start_draft(struct gathering *gathering, const struct use *use,
                            enum channel channel, enum finding_class class,
                            const struct group *group, const char *what)
{
    uint32_t number = (uint32_t)gathering->keys.count - 1;
    struct analysis_finding *finding;

    if ((number & (number - 1)) == 0)
        gathering->drafts =
            xrealloc(gathering->drafts, (number ? number * 2ul : 1ul) * sizeof *gathering->drafts);
    gathering->drafts[number] = (struct draft){.telling = -1};
    finding = &gathering->drafts[number].finding;
    finding->channel = channel;
    finding->class = class;
    finding->verdict = use->verdict;
    finding->category = category_of_id(group->category);
    finding->group = group->kind;
    finding->subject = group->name;
    if (channel == CHANNEL_NETWORK)
        finding->service = endpoint_service(group->name);
    finding->package = finding->remedy = finding->declaration = finding->waiver =
        finding->location.path = (struct text){"", 0};
    if (strcmp(group->kind, "package") == 0)
        finding->package = gathering->subjects->rows[use->subject].package;
    group_fingerprint(&gathering->places, channel, what, group, finding->fingerprint);
    return number;
}

/* The name that places a file: where ".." crosses a link, only the resolved one says where it is.
 */
static struct text place_of(const struct gathering *gathering, const struct subject *subject)
{
    if (subject->channel == CHANNEL_FILESYSTEM && subject->resolved != MAP_NONE &&
        memmem(subject->name.bytes, subject->name.length, "/../", 4))
        return gathering->subjects->rows[subject->resolved].name;
    return subject->name;
}

/* The draft for a use, made when it is the first of its group. */
static uint32_t find_draft(struct gathering *gathering, const struct use *use)
{
    const struct subject *subject = &gathering->subjects->rows[use->subject];
    enum channel channel = group_channel(use->kind, subject->name);
    enum finding_class class = class_of(gathering, use);
    struct group group =
        group_of(&gathering->places, channel, use->kind, class, place_of(gathering, subject),
                 subject->package.bytes ? subject->package : (struct text){"", 0});
    cleanup_buffer struct buffer key = BUFFER_INIT;
    cleanup_buffer struct buffer what = BUFFER_INIT;
    uint32_t number;

    group_add_what(&what, channel, class, use->kind);
    buffer_printf(&key, "%d %d %s%c%s%c%s%c", channel, use->verdict, what.data, 0,
                  group_category_word(group.category), 0, group.kind, 0);
    buffer_add(&key, group.name.bytes, group.name.length);
    number = names_find(&gathering->keys, key.data, key.length);
    if (number == MAP_NONE) {
        names_add(&gathering->keys, memory_copy(gathering->analysis->memory, key.data, key.length),
                  key.length);
        number = start_draft(gathering, use, channel, class, &group, what.data);
    }
    if (category_is_installed(group.category))
        gathering->drafts[number].installed[group.category]++;
    else if (group.category == CATEGORY_ENVIRONMENT_READ)
        gathering->drafts[number].finding.category = category_of_id(group.category);
    return number;
}

static uint32_t route(struct gathering *gathering, const struct use *use)
{
    struct map_key key = {use->subject, (uint64_t)use->kind << 8 |
                                            (uint64_t)class_of(gathering, use) << 4 | use->verdict};
    uint32_t number = map_get(&gathering->routes, key);

    if (number == MAP_NONE) {
        number = find_draft(gathering, use);
        *map_slot(&gathering->routes, key) = number;
    }
    return number;
}

static struct analysis_member *add_member(struct gathering *gathering, struct draft *draft,
                                          const struct use *use)
{
    const struct subject *subject = &gathering->subjects->rows[use->subject];
    struct analysis_finding *finding = &draft->finding;
    struct text resolved = {"", 0};

    if (subject->resolved != MAP_NONE)
        resolved = gathering->subjects->rows[subject->resolved].name;
    if (finding->member_count == draft->member_room) {
        draft->member_room = draft->member_room ? draft->member_room * 2 : 4;
        finding->members =
            xrealloc(finding->members, draft->member_room * sizeof *finding->members);
    }
    finding->members[finding->member_count] = (struct analysis_member){
        .subject = subject->name,
        .resolved = resolved,
        .package = subject->package.bytes ? subject->package : (struct text){"", 0},
        .digest = {"", 0},
        .operation = use->kind,
        .outcome = use->outcome,
        .witness = use->witness,
        .subject_number = use->subject,
    };
    return &finding->members[finding->member_count++];
}

static void add_processes(const struct gathering *gathering, struct draft *draft,
                          const struct use *use)
{
    if (!draft->processes)
        draft->processes = xcalloc(gathering->processes->count / 8 + 1, 1);
    for (uint32_t i = 0; i < use->process_count; i++)
        draft->processes[use->processes[i] / 8] |= (unsigned char)(1u << use->processes[i] % 8);
}

/* A change that did not happen because the thing was there (mkdir -p) was a look at it. */
static enum access_class access_class_of(const struct gathering *gathering, const struct use *use)
{
    enum access_class class = operation_class(use->kind);

    return class == ACCESS_WRITE && class_of(gathering, use) == FINDING_READ ? ACCESS_LOOK : class;
}

static void add_use(struct gathering *gathering, const struct use *use)
{
    uint32_t number = route(gathering, use);
    struct draft *draft = &gathering->drafts[number];
    struct map_key thing = {number, use->subject};
    struct map_key key = {(uint64_t)number << 32 | use->subject,
                          (uint64_t)use->kind << 32 | (uint32_t)use->outcome};
    uint32_t *slot = map_slot(&gathering->members, key);
    uint32_t *seen = map_slot(&gathering->different, thing);
    struct analysis_member *member;

    if (*slot == MAP_NONE) {
        *slot = (uint32_t)draft->finding.member_count;
        member = add_member(gathering, draft, use);
    } else {
        member = &draft->finding.members[*slot];
    }
    if (*seen == MAP_NONE) {
        *seen = 0;
        draft->finding.subjects++;
    }
    member->witness = member->witness && use->witness;
    member->count = count_sum(member->count, use->count);
    draft->finding.count = count_sum(draft->finding.count, use->count);
    draft->finding.kinds |= 1u << access_class_of(gathering, use);
    add_processes(gathering, draft, use);
    /* One that was answered at last is a service, whatever came before. */
    if (class_of(gathering, use) == FINDING_SERVICE)
        draft->finding.class = FINDING_SERVICE;
    if (operation_telling(use->kind) > draft->telling) {
        draft->telling = operation_telling(use->kind);
        draft->finding.operation = operation_name(use->kind);
    }
}

/* Counts the use for its channel; false when it is declared and there is no more to do. */
static bool count_use(struct gathering *gathering, const struct use *use)
{
    const struct subject *subject = &gathering->subjects->rows[use->subject];
    struct analysis_channel *channel =
        &gathering->analysis->channels[group_channel(use->kind, subject->name)];

    switch (use->verdict) {
    case VERDICT_DECLARED:
        channel->declared = count_sum(channel->declared, use->rows);
        return false;
    case VERDICT_WAIVED:
        channel->waived = count_sum(channel->waived, use->rows);
        return true;
    case VERDICT_UNDECLARED:
        break;
    }
    channel->undeclared = count_sum(channel->undeclared, use->rows);
    channel->occurrences = count_sum(channel->occurrences, use->count);
    if (class_of(gathering, use) == FINDING_PROBE)
        channel->probes = count_sum(channel->probes, use->rows);
    return true;
}

/* A program that a shell put in its own place writes to what the shell opened for it. */
static void pass_writing_on(const struct processes *processes)
{
    for (uint32_t i = 0; i < processes->count; i++) {
        struct analysis_process *process = &processes->rows[i];

        if (process->parent != ANALYSIS_NONE && strcmp(process->how, "exec") == 0 &&
            processes->rows[process->parent].wrote)
            process->wrote = true;
    }
}

static void take_use(const struct use *use, void *data)
{
    struct gathering *gathering = data;

    if (!use->judged)
        gathering->analysis->judged = false;
    passing_note(&gathering->passing, use->subject, use->kind, use->outcome, use->flags);
    if (count_use(gathering, use))
        add_use(gathering, use);
}

static int compare_subjects(const void *one, const void *other)
{
    const struct analysis_member *a = one;
    const struct analysis_member *b = other;

    return (a->subject_number > b->subject_number) - (a->subject_number < b->subject_number);
}

static void mark_passing(const struct passing *passing, struct analysis_finding *finding)
{
    uint32_t last = MAP_NONE;

    if (finding->channel != CHANNEL_FILESYSTEM)
        return;
    qsort(finding->members, finding->member_count, sizeof *finding->members, compare_subjects);
    for (size_t i = 0; i < finding->member_count; i++) {
        struct analysis_member *member = &finding->members[i];

        member->passing = passing_is(passing, member->subject_number);
        if (member->passing && member->subject_number != last)
            finding->passing++;
        last = member->subject_number;
    }
}

static void settle_category(struct analysis_finding *finding, const struct draft *draft)
{
    enum category_id most = finding->category->id;

    for (int i = 0; category_is_installed(most) && i < CATEGORY_INSTALLED_COUNT; i++)
        if (draft->installed[i] > draft->installed[most] ||
            (draft->installed[i] == draft->installed[most] && i < (int)most))
            most = (enum category_id)i;
    finding->category = category_of_id(most);
}

/* Processes that wrote a file, and all above them: what those know can have been passed down. The
 * caller frees. */
static bool *lead_to_output(const struct analysis *analysis)
{
    bool *lead = xcalloc(analysis->process_count, sizeof *lead);

    for (size_t i = 0; i < analysis->process_count; i++) {
        uint32_t at = analysis->processes[i].wrote ? (uint32_t)i : ANALYSIS_NONE;

        for (; at != ANALYSIS_NONE && !lead[at]; at = analysis->processes[at].parent)
            lead[at] = true;
    }
    return lead;
}

/* Can what the process learnt be in a file? It leads to one, or whoever started it wrote one, who
 * may have read its output. */
static bool reaches_output(const struct analysis *analysis, const bool *lead, uint32_t number)
{
    uint32_t parent = analysis->processes[number].parent;

    return lead[number] || (parent != ANALYSIS_NONE && analysis->processes[parent].wrote);
}

/* What is not there, what was only looked at; and numbers of users, which every shell asks for. */
static bool says_little(const struct analysis_finding *finding)
{
    return finding->class == FINDING_PROBE || finding_is_glance(finding) ||
           (finding->channel == CHANNEL_IDENTITY && finding->subject.length > 3 &&
            memcmp(finding->subject.bytes + finding->subject.length - 3, "-id", 3) == 0);
}

static void settle_severity(const struct analysis *analysis, const bool *lead,
                            struct analysis_finding *finding)
{
    finding->severity = finding->category->severity;
    if (finding->class == FINDING_WRITE ||
        (finding->severity == SEVERITY_ERROR && !finding_is_glance(finding)))
        return;
    if (!says_little(finding))
        for (size_t i = 0; i < finding->process_count; i++)
            if (reaches_output(analysis, lead, finding->processes[i]))
                return;
    finding->severity = SEVERITY_NOTE;
}

static void list_processes(const struct gathering *gathering, struct draft *draft)
{
    struct analysis_finding *finding = &draft->finding;
    uint32_t count = gathering->processes->count;

    for (uint32_t i = 0; i < count / 8 + 1; i++)
        finding->process_count += (size_t)__builtin_popcount(draft->processes[i]);
    finding->processes = xcalloc(finding->process_count, sizeof *finding->processes);
    for (uint32_t i = 0, kept = 0; i < count; i++)
        if (draft->processes[i / 8] & 1u << i % 8)
            finding->processes[kept++] = i;
    free(draft->processes);
}

/* Moves the drafts to the analysis, which from here on owns their arrays. */
static void finish(struct gathering *gathering)
{
    struct analysis *analysis = gathering->analysis;
    cleanup_free bool *lead = lead_to_output(analysis);

    analysis->finding_count = gathering->keys.count;
    analysis->findings = xcalloc(analysis->finding_count, sizeof *analysis->findings);
    for (size_t i = 0; i < analysis->finding_count; i++) {
        struct analysis_finding *finding = &analysis->findings[i];

        list_processes(gathering, &gathering->drafts[i]);
        *finding = gathering->drafts[i].finding;
        settle_category(finding, &gathering->drafts[i]);
        mark_passing(&gathering->passing, finding);
        finding_sort(finding);
        settle_severity(analysis, lead, finding);
        if (finding->verdict == VERDICT_UNDECLARED)
            analysis->channels[finding->channel].findings++;
        else
            analysis->channels[finding->channel].waived_findings++;
    }
    findings_sort(analysis);
}

/* A policy has a rule at least. */
static bool is_judged(sqlite3 *db, int64_t run)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT EXISTS (SELECT 1 FROM rule WHERE run = ?1)");

    return row && sqlite3_bind_int64(row, 1, run) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW &&
           sqlite3_column_int(row, 0);
}

int findings_load(struct analysis *analysis, sqlite3 *db, const struct subjects *subjects,
                  const struct processes *processes)
{
    struct gathering gathering = {
        .analysis = analysis,
        .subjects = subjects,
        .processes = processes,
        .places = {analysis->root, analysis->home, analysis->user, analysis->host},
        .passing = passing_new(subjects->count),
    };
    int result;

    analysis->judged = is_judged(db, analysis->run);
    result = uses_each(db, analysis->run, subjects, processes, take_use, &gathering);
    pass_writing_on(processes);
    finish(&gathering);
    names_fini(&gathering.keys);
    passing_fini(&gathering.passing);
    map_fini(&gathering.routes);
    map_fini(&gathering.members);
    map_fini(&gathering.different);
    free(gathering.drafts);
    return result;
}
