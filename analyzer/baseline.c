/* SPDX-License-Identifier: MIT */
#include "baseline.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "group.h"
#include "memory.h"
#include "operation.h"
#include "quote.h"

#define HEADER "# tallyman baseline "
#define DIGITS 16

struct entry {
    char fingerprint[DIGITS + 1];
    int64_t line; /* 0: of a database */
    char *words;
    bool found; /* in the run that it was applied to */
};

struct baseline {
    struct entry *entries; /* by fingerprint, each once */
    size_t count, room;
};

static void add_entry(struct baseline *baseline, const char *fingerprint, int64_t line, char *words)
{
    struct entry *entry;

    if (baseline->count == baseline->room) {
        baseline->room = baseline->room ? baseline->room * 2 : 64;
        baseline->entries = xrealloc(baseline->entries, baseline->room * sizeof *baseline->entries);
    }
    entry = &baseline->entries[baseline->count++];
    *entry = (struct entry){.line = line, .words = words};
    memcpy(entry->fingerprint, fingerprint, DIGITS);
}

static int compare_entries(const void *one, const void *other)
{
    const struct entry *a = one, *b = other;
    int order = memcmp(a->fingerprint, b->fingerprint, DIGITS);

    return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* Of equal ones the first line stays. */
static void sort_entries(struct baseline *baseline)
{
    size_t kept = 0;

    if (baseline->count)
        qsort(baseline->entries, baseline->count, sizeof *baseline->entries, compare_entries);
    for (size_t i = 0; i < baseline->count; i++) {
        if (kept && memcmp(baseline->entries[kept - 1].fingerprint,
                           baseline->entries[i].fingerprint, DIGITS) == 0)
            free(baseline->entries[i].words);
        else
            baseline->entries[kept++] = baseline->entries[i];
    }
    baseline->count = kept;
}

/* A line of the text, without its end. */
struct line {
    const char *bytes;
    size_t length;
    int64_t number;
};

static bool starts(const char *bytes, size_t length, const char *text)
{
    return length >= strlen(text) && memcmp(bytes, text, strlen(text)) == 0;
}

bool baseline_is_text(const char *bytes, size_t length)
{
    return starts(bytes, length, HEADER);
}

/* Moves to the line after `at`; false when there is none. */
static bool next_line(const char **at, const char *end, struct line *line)
{
    const char *stop;

    if (*at == end)
        return false;
    stop = memchr(*at, '\n', (size_t)(end - *at));
    line->bytes = *at;
    line->length = (size_t)((stop ? stop : end) - *at);
    line->number++;
    if (line->length && line->bytes[line->length - 1] == '\r')
        line->length--;
    *at = stop ? stop + 1 : end;
    return true;
}

/* What git leaves where two branches changed the same lines. */
static bool is_merge_marker(const struct line *line)
{
    static const char *const markers[] = {"<<<<<<<", "|||||||", "=======", ">>>>>>>"};

    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++)
        if (starts(line->bytes, line->length, markers[i]))
            return true;
    return false;
}

static bool report_merge(const char *name, const struct line *line, struct buffer *why)
{
    buffer_printf(why,
                  "%s:%lld: a conflict of a merge: keep the lines of both sides, in any order, and "
                  "remove the marker lines",
                  name, (long long)line->number);
    return false;
}

static bool check_header(const char *name, const struct line *line, struct buffer *why)
{
    const char *version = line->bytes + strlen(HEADER);
    size_t length;

    if (is_merge_marker(line))
        return report_merge(name, line, why);
    if (!baseline_is_text(line->bytes, line->length)) {
        buffer_printf(why, "%s: not a baseline: its first line is not \"" HEADER "%d\"", name,
                      BASELINE_VERSION);
        return false;
    }
    length = line->length - strlen(HEADER);
    if (length == 1 && version[0] == '0' + BASELINE_VERSION)
        return true;
    buffer_printf(why, "%s:1: a baseline of version ", name);
    quote_shortened(why, version, length, 20);
    buffer_printf(why,
                  "; this tallyman reads version %d: use the tallyman that wrote it, or write "
                  "it anew with check --write-baseline",
                  BASELINE_VERSION);
    return false;
}

static bool has_fingerprint(const struct line *line)
{
    static const char digits[] = "0123456789abcdef";

    if (line->length < DIGITS || (line->length > DIGITS && line->bytes[DIGITS] != ' '))
        return false;
    for (size_t i = 0; i < DIGITS; i++)
        if (!memchr(digits, line->bytes[i], sizeof digits - 1))
            return false;
    return true;
}

static bool read_line(struct baseline *baseline, const char *name, const struct line *line,
                      struct buffer *why)
{
    size_t blank = 0;

    while (blank < line->length && (line->bytes[blank] == ' ' || line->bytes[blank] == '\t'))
        blank++;
    if (blank == line->length || line->bytes[0] == '#')
        return true;
    if (has_fingerprint(line)) {
        size_t rest = line->length - DIGITS;

        add_entry(baseline, line->bytes, line->number,
                  rest > 1 ? xmemdup(line->bytes + DIGITS + 1, rest - 1) : NULL);
        return true;
    }
    if (is_merge_marker(line))
        return report_merge(name, line, why);
    buffer_printf(why, "%s:%lld: expected a fingerprint of %d hexadecimal digits, not \"", name,
                  (long long)line->number, DIGITS);
    quote_shortened(why, line->bytes, line->length, 40);
    buffer_add_char(why, '"');
    return false;
}

struct baseline *baseline_parse(const char *name, const char *bytes, size_t length,
                                struct buffer *why)
{
    struct baseline *baseline = xcalloc(1, sizeof *baseline);
    cleanup_buffer struct buffer shown = BUFFER_INIT;
    struct line line = {bytes, 0, 0};
    const char *at = bytes, *end = length ? bytes + length : bytes;
    bool good;

    quote_display(&shown, name, strlen(name));
    buffer_add_text(&shown, "");
    if (length)
        next_line(&at, end, &line);
    good = check_header(shown.data, &line, why);
    while (good && next_line(&at, end, &line))
        good = read_line(baseline, shown.data, &line, why);
    if (!good) {
        baseline_free(baseline);
        return NULL;
    }
    sort_entries(baseline);
    return baseline;
}

void baseline_free(struct baseline *baseline)
{
    if (!baseline)
        return;
    for (size_t i = 0; i < baseline->count; i++)
        free(baseline->entries[i].words);
    free(baseline->entries);
    free(baseline);
}

size_t baseline_count(const struct baseline *baseline)
{
    return baseline->count;
}

/* What the fingerprint is made of, for people: the same on every machine as well. */
static void add_words(struct buffer *out, const struct analysis *analysis,
                      const struct analysis_finding *finding)
{
    struct places places = {analysis->root, analysis->home, analysis->user, analysis->host};
    cleanup_buffer struct buffer name = BUFFER_INIT;
    bool by_class =
        finding->channel == CHANNEL_FILESYSTEM || finding->channel == CHANNEL_ENVIRONMENT;

    group_add_stable_name(&places, finding->channel, finding->subject, &name);
    buffer_printf(out, "%s # %s %s", group_category_word(finding->category->id),
                  channel_name(finding->channel),
                  by_class ? analysis_class_name(finding->class) : finding->operation);
    if (strcmp(finding->group, finding->operation) != 0)
        buffer_printf(out, ", %s", finding->group);
    buffer_add_char(out, ' ');
    quote_display(out, name.data ? name.data : "", name.length);
}

struct baseline *baseline_of(const struct analysis *analysis)
{
    struct baseline *baseline = xcalloc(1, sizeof *baseline);

    for (size_t i = 0; i < analysis->finding_count; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];
        struct buffer words = BUFFER_INIT;

        if (finding->verdict != VERDICT_UNDECLARED)
            continue;
        add_words(&words, analysis, finding);
        add_entry(baseline, finding->fingerprint, 0, buffer_take(&words));
    }
    sort_entries(baseline);
    return baseline;
}

void baseline_write(const struct analysis *analysis, struct buffer *out)
{
    struct baseline *baseline = baseline_of(analysis);

    buffer_printf(out, HEADER "%d\n", BASELINE_VERSION);
    for (size_t i = 0; i < baseline->count; i++)
        buffer_printf(out, "%s %s\n", baseline->entries[i].fingerprint, baseline->entries[i].words);
    baseline_free(baseline);
}

static struct entry *find_entry(const struct baseline *baseline, const char *fingerprint)
{
    size_t low = 0, high = baseline->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = memcmp(baseline->entries[middle].fingerprint, fingerprint, DIGITS);

        if (order == 0)
            return &baseline->entries[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static void list_stale(struct analysis *analysis, const struct baseline *baseline)
{
    analysis->stale = memory_take(analysis->memory, baseline->count * sizeof *analysis->stale);
    analysis->stale_count = 0;
    for (size_t i = 0; i < baseline->count; i++) {
        const struct entry *entry = &baseline->entries[i];
        const char *words = entry->words ? entry->words : "";
        struct analysis_stale *stale = &analysis->stale[analysis->stale_count];

        if (entry->found)
            continue;
        memcpy(stale->fingerprint, entry->fingerprint, sizeof stale->fingerprint);
        stale->words =
            (struct text){memory_copy(analysis->memory, words, strlen(words)), strlen(words)};
        stale->line = entry->line;
        analysis->stale_count++;
    }
}

void analysis_apply_baseline(struct analysis *analysis, struct baseline *baseline)
{
    analysis->baseline = true;
    for (size_t i = 0; i < baseline->count; i++)
        baseline->entries[i].found = false;
    for (int i = 0; i < CHANNEL_COUNT; i++)
        analysis->channels[i].known = 0;
    for (size_t i = 0; i < analysis->finding_count; i++) {
        struct analysis_finding *finding = &analysis->findings[i];
        struct entry *entry = finding->verdict == VERDICT_UNDECLARED
                                  ? find_entry(baseline, finding->fingerprint)
                                  : NULL;

        finding->known = entry != NULL;
        if (!entry)
            continue;
        entry->found = true;
        analysis->channels[finding->channel].known++;
    }
    list_stale(analysis, baseline);
}
