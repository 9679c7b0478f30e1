/* SPDX-License-Identifier: MIT */
#include "explain_parts.h"

#include <stdlib.h>
#include <string.h>

#include "endpoint.h"
#include "memory.h"
#include "operation.h"
#include "sources.h"

#define NOWHERE (MAP_NONE - 1) /* of another finding than the one that was asked for */

void parts_init(struct parts *parts, struct analysis *analysis,
                const struct finding_subjects *found)
{
    parts->analysis = analysis;
    parts->found = found;
    parts->places = (struct places){analysis->root, analysis->home, analysis->user, analysis->host};
}

void parts_add(struct parts *parts, const struct access_row_of *row)
{
    if (parts->row_count == parts->row_room) {
        parts->row_room = parts->row_room ? parts->row_room * 2 : 64;
        parts->rows = xrealloc(parts->rows, parts->row_room * sizeof *parts->rows);
    }
    parts->rows[parts->row_count++] = (struct part_row){*row, parts->subject, 0, 0, false};
}

/* --- which part ----------------------------------------------------------------------------- */

static struct text place_of(const struct part_subject *subject)
{
    if (subject->resolved.bytes && memmem(subject->name.bytes, subject->name.length, "/../", 4))
        return subject->resolved;
    return subject->name;
}

/* As the grouping has it: what is not known is empty. */
static struct text or_empty(struct text text)
{
    return text.bytes ? text : (struct text){"", 0};
}

static bool is_wanted(const struct parts *parts, const struct group *group, const char *fingerprint,
                      const struct access_row_of *row)
{
    bool finding = row->verdict == VERDICT_UNDECLARED || row->verdict == VERDICT_WAIVED;

    if (parts->found->all)
        return true;
    switch (parts->found->by) {
    case FOUND_FINGERPRINT:
        return finding && strcmp(parts->found->fingerprint, fingerprint) == 0;
    case FOUND_CATEGORY:
        return finding && group->category == parts->found->category;
    default:
        return true;
    }
}

static bool is_of_draft(const struct part_draft *draft, const struct access_row_of *row,
                        const char *fingerprint)
{
    const struct explanation_part *part = &draft->part;

    return strcmp(part->finding.fingerprint, fingerprint) == 0 && draft->rule == row->rule &&
           part->confirmed == (row->verdict == VERDICT_CONFIRMED) &&
           part->declared == (row->verdict == VERDICT_DECLARED) &&
           (part->finding.verdict == VERDICT_WAIVED) == (row->verdict == VERDICT_WAIVED);
}

static void start_draft(struct parts *parts, const struct part_row *row, const struct group *group,
                        const char *fingerprint)
{
    struct part_draft *draft;
    struct analysis_finding *finding;
    const struct part_subject *subject = &parts->subjects[row->subject];

    parts->drafts = xrealloc(parts->drafts, (parts->count + 1) * sizeof *parts->drafts);
    draft = &parts->drafts[parts->count++];
    *draft = (struct part_draft){.rule = row->row.rule, .telling = -1};
    draft->part.declared = row->row.verdict == VERDICT_DECLARED;
    draft->part.confirmed = row->row.verdict == VERDICT_CONFIRMED;
    draft->part.mine = draft->part.declared && !row->row.rule;
    finding = &draft->part.finding;
    finding->channel = group_channel(row->row.kind, subject->name);
    finding->class = group_class(row->row.kind, subject->name, row->row.outcome);
    finding->verdict = row->row.verdict == VERDICT_WAIVED ? VERDICT_WAIVED : VERDICT_UNDECLARED;
    finding->category = category_of_id(group->category);
    finding->severity = finding->category->severity;
    finding->group = group->kind;
    finding->subject = group->name;
    finding->package = finding->remedy = finding->declaration = finding->waiver =
        finding->location.path = (struct text){"", 0};
    if (finding->channel == CHANNEL_NETWORK)
        finding->service = endpoint_service(group->name);
    if (strcmp(group->kind, "package") == 0)
        finding->package = or_empty(subject->package);
    memcpy(finding->fingerprint, fingerprint, sizeof finding->fingerprint);
}

static uint32_t find_draft(struct parts *parts, const struct part_row *row)
{
    const struct part_subject *subject = &parts->subjects[row->subject];
    enum channel channel = group_channel(row->row.kind, subject->name);
    enum finding_class class = group_class(row->row.kind, subject->name, row->row.outcome);
    struct group group = group_of(&parts->places, channel, row->row.kind, class, place_of(subject),
                                  or_empty(subject->package));
    cleanup_buffer struct buffer what = BUFFER_INIT;
    char fingerprint[17];
    uint32_t number = 0;

    group_add_what(&what, channel, class, row->row.kind);
    group_fingerprint(&parts->places, channel, what.data, &group, fingerprint);
    if (!is_wanted(parts, &group, fingerprint, &row->row))
        return NOWHERE;
    while (number < parts->count && !is_of_draft(&parts->drafts[number], &row->row, fingerprint))
        number++;
    if (number == parts->count)
        start_draft(parts, row, &group, fingerprint);
    if (category_is_installed(group.category))
        parts->drafts[number].installed[group.category]++;
    else if (group.category == CATEGORY_ENVIRONMENT_READ)
        parts->drafts[number].part.finding.category = category_of_id(group.category);
    return number;
}

static uint32_t route(struct parts *parts, const struct part_row *row)
{
    struct map_key key = {(uint64_t)row->subject << 32 | (uint32_t)row->row.outcome,
                          (uint64_t)row->row.rule << 16 | (uint64_t)(row->row.verdict + 1) << 8 |
                              (uint64_t)row->row.kind};
    uint32_t number = map_get(&parts->routes, key);

    if (number == MAP_NONE) {
        number = find_draft(parts, row);
        *map_slot(&parts->routes, key) = number;
    }
    return number;
}

/* --- what is in it -------------------------------------------------------------------------- */

static struct analysis_member *
add_member(struct part_draft *draft, const struct part_subject *subject, const struct part_row *row)
{
    struct analysis_finding *finding = &draft->part.finding;

    if (finding->member_count == draft->member_room) {
        draft->member_room = draft->member_room ? draft->member_room * 2 : 4;
        finding->members =
            xrealloc(finding->members, draft->member_room * sizeof *finding->members);
    }
    finding->members[finding->member_count] = (struct analysis_member){
        .subject = subject->name,
        .resolved = or_empty(subject->resolved),
        .package = or_empty(subject->package),
        .digest = or_empty(subject->digest),
        .operation = row->row.kind,
        .outcome = row->row.outcome,
        .witness = row->row.witness,
        .subject_number = row->subject,
    };
    return &finding->members[finding->member_count++];
}

static void count_row(struct parts *parts, struct part_row *row)
{
    struct part_draft *draft = &parts->drafts[row->draft];
    struct analysis_finding *finding = &draft->part.finding;
    struct map_key key = {(uint64_t)row->draft << 32 | row->subject,
                          (uint64_t)row->row.kind << 32 | (uint32_t)row->row.outcome};
    struct map_key thing = {(uint64_t)row->draft << 32 | row->subject, UINT64_MAX};
    uint32_t *seen = map_slot(&parts->members, thing);
    uint32_t *slot;

    if (*seen == MAP_NONE) {
        *seen = 0;
        finding->subjects++;
    }
    slot = map_slot(&parts->members, key);
    if (*slot == MAP_NONE) {
        *slot = (uint32_t)finding->member_count;
        add_member(draft, &parts->subjects[row->subject], row);
    }
    row->member = *slot;
    finding->members[row->member].count += row->row.count;
    finding->members[row->member].witness =
        finding->members[row->member].witness && row->row.witness;
    finding->count += row->row.count;
    finding->kinds |= 1u << operation_class(row->row.kind);
    if (finding->class != FINDING_SERVICE)
        finding->class = group_class(row->row.kind, parts->subjects[row->subject].name,
                                     row->row.outcome) == FINDING_SERVICE
                             ? FINDING_SERVICE
                             : finding->class;
    if (operation_telling(row->row.kind) > draft->telling) {
        draft->telling = operation_telling(row->row.kind);
        finding->operation = operation_name(row->row.kind);
    }
}

/* --- confirmed rows ------------------------------------------------------------------------- */

/* What one process did with one subject lies together, confirmed rows last. */
static int compare_uses(const void *one, const void *other)
{
    const struct part_row *a = one, *b = other;
    int order;

    if (a->row.process != b->row.process)
        return a->row.process < b->row.process ? -1 : 1;
    if (a->subject != b->subject)
        return a->subject < b->subject ? -1 : 1;
    order = (a->row.verdict == VERDICT_CONFIRMED) - (b->row.verdict == VERDICT_CONFIRMED);
    if (!order)
        order = (int)a->row.kind - (int)b->row.kind;
    return order ? order : a->row.outcome - b->row.outcome;
}

/* How well a row of the witness is confirmed by another row of the same process and subject. */
static int likeness(const struct part_row *one, const struct part_row *other)
{
    return 1 + (one->row.kind == other->row.kind) +
           2 * (one->row.kind == other->row.kind && one->row.outcome == other->row.outcome);
}

/* The row of a use that a confirmed one only says again; NULL none. */
static struct part_row *confirmed_by(struct part_row *rows, size_t count,
                                     const struct part_row *confirmed)
{
    struct part_row *best = NULL;

    for (size_t i = count; i-- > 0;) {
        struct part_row *row = &rows[i];

        if (row->row.process != confirmed->row.process || row->subject != confirmed->subject)
            break;
        if (row->row.verdict != VERDICT_CONFIRMED &&
            (!best || likeness(row, confirmed) >= likeness(best, confirmed)))
            best = row;
    }
    return best;
}

/* What the witness saw as well is a mark at the other row, and no row of its own. */
static void merge_confirmed(struct parts *parts)
{
    size_t kept = 0;

    if (parts->row_count)
        qsort(parts->rows, parts->row_count, sizeof *parts->rows, compare_uses);
    for (size_t i = 0; i < parts->row_count; i++) {
        struct part_row *by = parts->rows[i].row.verdict == VERDICT_CONFIRMED
                                  ? confirmed_by(parts->rows, kept, &parts->rows[i])
                                  : NULL;

        if (by)
            by->witness_too = true;
        else
            parts->rows[kept++] = parts->rows[i];
    }
    parts->row_count = kept;
}

/* --- order ---------------------------------------------------------------------------------- */

static int rank(const struct explanation_part *part)
{
    if (part->confirmed)
        return 3;
    if (part->declared)
        return 2;
    return part->finding.verdict == VERDICT_WAIVED ? 1 : 0;
}

/* The draft is told by the number in the rows, so these are what is put in order. */
static int compare_rows(const void *one, const void *other)
{
    const struct part_row *a = one, *b = other;

    if (a->draft != b->draft)
        return a->draft < b->draft ? -1 : 1;
    if (a->row.process != b->row.process)
        return a->row.process < b->row.process ? -1 : 1;
    if (a->row.first != b->row.first)
        return a->row.first < b->row.first ? -1 : 1;
    return compare_uses(one, other);
}

static int compare_users(const void *one, const void *other)
{
    const struct part_user *a = one, *b = other;

    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->process > b->process) - (a->process < b->process);
}

static int compare_drafts(const void *one, const void *other)
{
    const struct explanation_part *a = &((const struct part_draft *)one)->part;
    const struct explanation_part *b = &((const struct part_draft *)other)->part;
    int order = rank(a) - rank(b);

    if (!order)
        order = (int)a->finding.channel - (int)b->finding.channel;
    if (!order)
        order = (int)a->finding.class - (int)b->finding.class;
    if (!order)
        order = (a->finding.count < b->finding.count) - (a->finding.count > b->finding.count);
    return order ? order : strcmp(a->finding.fingerprint, b->finding.fingerprint);
}

static void add_user(struct part_draft *draft, const struct part_row *row, size_t at)
{
    struct part_user *last = draft->user_count ? &draft->users[draft->user_count - 1] : NULL;

    if (last && last->process == row->row.process) {
        last->end = at + 1;
        return;
    }
    if ((draft->user_count & (draft->user_count - 1)) == 0)
        draft->users = xrealloc(draft->users, (draft->user_count ? draft->user_count * 2 : 1) *
                                                  sizeof *draft->users);
    draft->users[draft->user_count++] =
        (struct part_user){row->row.process, row->row.first, at, at + 1};
}

static void settle_draft(struct part_draft *draft, int64_t start)
{
    struct analysis_finding *finding = &draft->part.finding;
    enum category_id most = finding->category->id;

    for (int i = 0; category_is_installed(most) && i < CATEGORY_INSTALLED_COUNT; i++)
        if (draft->installed[i] > draft->installed[most])
            most = (enum category_id)i;
    finding->category = category_of_id(most);
    finding->severity = finding->category->severity;
    if (draft->user_count)
        qsort(draft->users, draft->user_count, sizeof *draft->users, compare_users);
    draft->part.process_total = draft->user_count;
    draft->part.first = draft->user_count ? draft->users[0].first - start : 0;
}

void parts_settle(struct parts *parts)
{
    size_t kept = 0;

    merge_confirmed(parts);
    for (size_t i = 0; i < parts->row_count; i++) {
        struct part_row row = parts->rows[i];

        row.draft = route(parts, &row);
        if (row.draft == NOWHERE)
            continue;
        count_row(parts, &row);
        parts->rows[kept++] = row;
    }
    parts->row_count = kept;
    if (kept)
        qsort(parts->rows, kept, sizeof *parts->rows, compare_rows);
    for (size_t i = 0; i < kept; i++)
        add_user(&parts->drafts[parts->rows[i].draft], &parts->rows[i], i);
    for (size_t i = 0; i < parts->count; i++)
        settle_draft(&parts->drafts[i], parts->start);
    if (parts->count)
        qsort(parts->drafts, parts->count, sizeof *parts->drafts, compare_drafts);
}

/* --- who ------------------------------------------------------------------------------------ */

static void show_uses(const struct parts *parts, const struct part_user *user,
                      struct explanation_process *process)
{
    process->uses = xcalloc(user->end - user->start, sizeof *process->uses);
    for (size_t i = user->start; i < user->end; i++) {
        const struct part_row *row = &parts->rows[i];
        struct explanation_use *use = &process->uses[process->use_count++];

        *use = (struct explanation_use){
            .member = row->member,
            .shim = !row->row.witness,
            .witness = row->row.witness || row->witness_too,
            .count = row->row.count,
            .first = row->row.first - parts->start,
        };
    }
}

static int compare_numbers(const void *one, const void *other)
{
    uint32_t a = *(const uint32_t *)one;
    uint32_t b = *(const uint32_t *)other;

    return (a > b) - (a < b);
}

void parts_show(struct parts *parts, struct part_draft *draft, const struct processes *processes)
{
    struct analysis_finding *finding = &draft->part.finding;
    struct explanation_part *part = &draft->part;

    finding->processes = xcalloc(draft->user_count, sizeof *finding->processes);
    part->processes = xcalloc(draft->user_count < parts->most ? draft->user_count : parts->most,
                              sizeof *part->processes);
    for (size_t i = 0; i < draft->user_count; i++) {
        uint32_t number = processes_find(processes, draft->users[i].process);

        if (number == MAP_NONE)
            continue;
        finding->processes[finding->process_count++] = number;
        if (part->process_count == parts->most)
            continue;
        part->processes[part->process_count].process = number;
        show_uses(parts, &draft->users[i], &part->processes[part->process_count++]);
    }
    if (finding->process_count)
        qsort(finding->processes, finding->process_count, sizeof *finding->processes,
              compare_numbers);
}

void parts_fini(struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        free(parts->drafts[i].users);
    free(parts->drafts);
    free(parts->rows);
    free(parts->subjects);
    map_fini(&parts->routes);
    map_fini(&parts->members);
}
