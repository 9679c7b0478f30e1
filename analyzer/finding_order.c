/* SPDX-License-Identifier: MIT */
#include "finding_order.h"

#include <stdlib.h>
#include <string.h>

#include "die.h"

static int compare_texts(struct text one, struct text other)
{
    size_t length = one.length < other.length ? one.length : other.length;
    int order = length ? memcmp(one.bytes, other.bytes, length) : 0;

    return order ? order : (one.length > other.length) - (one.length < other.length);
}

static int descending(int64_t one, int64_t other)
{
    return (one < other) - (one > other);
}

static int compare_members(const void *one, const void *other)
{
    const struct analysis_member *a = one;
    const struct analysis_member *b = other;
    int order = descending(a->count, b->count);

    if (!order)
        order = compare_texts(a->subject, b->subject);
    if (!order)
        order = (int)a->operation - (int)b->operation;
    return order ? order : a->outcome - b->outcome;
}

static int compare_findings(const void *one, const void *other)
{
    const struct analysis_finding *a = one;
    const struct analysis_finding *b = other;
    int order = (int)a->channel - (int)b->channel;

    if (!order)
        order = (int)a->verdict - (int)b->verdict;
    if (!order)
        order = (int)a->class - (int)b->class;
    if (!order)
        order = descending(a->subjects, b->subjects);
    if (!order)
        order = descending(a->count, b->count);
    if (!order)
        order = compare_texts(a->subject, b->subject);
    return order ? order : strcmp(a->fingerprint, b->fingerprint);
}

static int compare_numbers(const void *one, const void *other)
{
    uint32_t a = *(const uint32_t *)one;
    uint32_t b = *(const uint32_t *)other;

    return (a > b) - (a < b);
}

static void sort_processes(struct analysis_finding *finding)
{
    size_t kept = 0;

    qsort(finding->processes, finding->process_count, sizeof *finding->processes, compare_numbers);
    for (size_t i = 0; i < finding->process_count; i++)
        if (i == 0 || finding->processes[i] != finding->processes[i - 1])
            finding->processes[kept++] = finding->processes[i];
    finding->process_count = kept;
}

void finding_sort(struct analysis_finding *finding)
{
    qsort(finding->members, finding->member_count, sizeof *finding->members, compare_members);
    sort_processes(finding);
}

void findings_sort(struct analysis *analysis)
{
    qsort(analysis->findings, analysis->finding_count, sizeof *analysis->findings,
          compare_findings);
}

void findings_add(struct analysis *analysis, const struct analysis_finding *findings, size_t count)
{
    size_t all = analysis->finding_count + count;

    if (count == 0)
        return;
    analysis->findings = xrealloc(analysis->findings, all * sizeof *analysis->findings);
    for (size_t i = 0; i < count; i++) {
        struct analysis_finding *added = &analysis->findings[analysis->finding_count++];

        *added = findings[i];
        finding_sort(added);
        if (added->verdict == VERDICT_UNDECLARED)
            analysis->channels[added->channel].findings++;
        else
            analysis->channels[added->channel].waived_findings++;
    }
    findings_sort(analysis);
}
