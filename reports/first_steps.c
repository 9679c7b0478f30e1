/* SPDX-License-Identifier: MIT
 *
 * The section of the report for people that says what to do first: a paragraph for each kind of
 * ambient state, the gravest first.
 */
#include "text_parts.h"

#include <stdlib.h>
#include <string.h>

#include "category.h"
#include "cleanup.h"
#include "die.h"
#include "finding_text.h"

#define MOST_KINDS 3
#define MOST_NAMES 3

/* Findings of one category; installed files are one kind, for one rule declares a package with all
 * that it has. */
struct kind {
    const struct category *category;
    enum severity severity;
    const struct analysis_finding **findings; /* ranked; `count` of them */
    size_t count;
};

static bool is_of(const struct kind *kind, const struct analysis_finding *finding)
{
    return category_is_installed(kind->category->id) ? category_is_installed(finding->category->id)
                                                     : kind->category == finding->category;
}

/* The ranked findings that count, by kind. The caller frees the array and its arrays. */
static struct kind *sort_into_kinds(const struct analysis *analysis, size_t *count)
{
    cleanup_free const struct analysis_finding **ranked = findings_ranked(analysis);
    struct kind *kinds = xcalloc(CATEGORY_COUNT, sizeof *kinds);

    *count = 0;
    for (size_t i = 0; i < analysis->finding_count; i++) {
        const struct analysis_finding *finding = ranked[i];
        size_t at = 0;

        if (!finding_is_new(finding) || finding->severity == SEVERITY_NOTE)
            continue;
        while (at < *count && !is_of(&kinds[at], finding))
            at++;
        if (at == *count) {
            kinds[at] = (struct kind){.category = finding->category, .severity = finding->severity};
            kinds[at].findings = xcalloc(analysis->finding_count, sizeof(struct finding *));
            (*count)++;
        }
        kinds[at].findings[kinds[at].count++] = finding;
    }
    return kinds;
}

static int compare_kinds(const void *one, const void *other)
{
    const struct kind *a = one;
    const struct kind *b = other;
    int order = (int)b->severity - (int)a->severity;

    /* What every build has comes last. */
    if (!order)
        order = (int)category_is_installed(a->category->id) -
                (int)category_is_installed(b->category->id);
    if (!order)
        order = (a->count < b->count) - (a->count > b->count);
    return order ? order : (int)a->category->id - (int)b->category->id;
}

static void add_names(struct buffer *out, const struct analysis *analysis, const struct kind *kind)
{
    for (size_t i = 0; i < kind->count && i < MOST_NAMES; i++) {
        buffer_add_text(out, i ? ", " : "");
        finding_add_name(out, analysis, kind->findings[i]);
    }
    if (kind->count > MOST_NAMES)
        buffer_printf(out, " and %zu more", kind->count - MOST_NAMES);
}

static void show_kind(struct page *page, const struct analysis *analysis, const struct kind *kind)
{
    cleanup_buffer struct buffer line = BUFFER_INIT;

    if (category_is_installed(kind->category->id)) {
        buffer_add_text(&line, "  Tools, headers and libraries: ");
        add_names(&line, analysis, kind);
        buffer_add_text(&line, ". Declare the packages that own them, or the folders; \"tallyman "
                               "manifest sets\" lists rules for the usual ones.");
    } else {
        buffer_printf(&line, "  %s: ", kind->category->title);
        add_names(&line, analysis, kind);
        buffer_add_text(&line, ". ");
        finding_add_remedy(&line, kind->findings[0]);
    }
    page_paragraph(page, 4, line.data);
}

void show_first_steps(struct page *page, const struct analysis *analysis)
{
    size_t count;
    cleanup_free struct kind *kinds = sort_into_kinds(analysis, &count);

    qsort(kinds, count, sizeof *kinds, compare_kinds);
    if (count)
        page_heading(page, "What to do first", "");
    for (size_t i = 0; i < count && i < MOST_KINDS; i++)
        show_kind(page, analysis, &kinds[i]);
    for (size_t i = 0; i < count; i++)
        free(kinds[i].findings);
}
