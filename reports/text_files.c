/* SPDX-License-Identifier: MIT
 *
 * The section on files of the report for people.
 */
#include "text_parts.h"

#include <inttypes.h>
#include <string.h>

#include "cleanup.h"
#include "map.h"
#include "quote.h"

#define MOST_PLACES   6 /* rows of files that no package owns */
#define MOST_PACKAGES 5

/* How a finding of files is shown: what was only looked at or listed says the least. */
enum row_kind { ROW_PLACE, ROW_PACKAGE, ROW_GLANCE, ROW_DEVICE, ROW_TEMPORARY };

static bool is_of(const struct analysis_finding *finding, const char *group)
{
    return strcmp(finding->group, group) == 0;
}

static enum row_kind row_kind(const struct analysis_finding *finding)
{
    const uint32_t glances = 1u << ACCESS_LOOK | 1u << ACCESS_LIST;

    if (finding->package.length)
        return ROW_PACKAGE;
    if (is_of(finding, "device") || is_of(finding, "kernel"))
        return ROW_DEVICE;
    if (is_of(finding, "temporary") && finding->class == FINDING_WRITE &&
        finding->passing == finding->subjects)
        return ROW_TEMPORARY;
    return finding->class == FINDING_READ && !(finding->kinds & ~glances) ? ROW_GLANCE : ROW_PLACE;
}

static void show_place(struct page *page, const struct analysis *analysis,
                       const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer name = BUFFER_INIT;
    cleanup_buffer struct buffer rest = BUFFER_INIT;

    add_place(&name, analysis, finding->subject);
    add_amount(&rest, finding);
    if (finding->passing)
        buffer_printf(&rest, " (%" PRIu32 " temporary)", finding->passing);
    add_users(&rest, analysis, finding, 3);
    page_row(page, NAME_COLUMN, name.data, rest.data);
    buffer_clear(&rest);
    add_examples(&rest, finding, 3);
    buffer_add_text(&rest, ": ");
    analysis_chain(analysis, finding->processes[0], 4, 28, &rest);
    page_detail(page, rest.data);
}

static void show_package(struct page *page, const struct analysis *analysis,
                         const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer name = BUFFER_INIT;
    cleanup_buffer struct buffer rest = BUFFER_INIT;

    quote_display(&name, finding->package.bytes, finding->package.length);
    add_amount(&rest, finding);
    add_users(&rest, analysis, finding, 3);
    page_row(page, NAME_COLUMN, name.data, rest.data);
}

static void add_place_and_number(struct buffer *out, const struct analysis *analysis,
                                 const struct analysis_finding *finding)
{
    add_place(out, analysis, finding->subject);
    buffer_printf(out, " (%" PRIu32 ")", finding->subjects);
}

/* Rows for up to `most` findings of a kind, the names of the others in a list. */
static void show_files(struct page *page, const struct analysis *analysis, struct span span,
                       enum row_kind kind, size_t most)
{
    static const struct {
        const char *head;
        size_t lines;
    } lists[] = {
        [ROW_PLACE] = {"also:", LIST_LINES},
        [ROW_PACKAGE] = {"other packages:", LIST_LINES + 1},
        [ROW_GLANCE] = {"only listed or looked at:", 1},
    };
    struct list list;
    size_t seen = 0;

    for (size_t i = span.start; i < span.end; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];
        cleanup_buffer struct buffer name = BUFFER_INIT;

        if (row_kind(finding) != kind)
            continue;
        if (seen++ < most) {
            if (kind == ROW_PACKAGE)
                show_package(page, analysis, finding);
            else
                show_place(page, analysis, finding);
            continue;
        }
        if (seen == most + 1)
            list_start(&list, page, lists[kind].head, lists[kind].lines);
        add_place_and_number(&name, analysis, finding);
        list_add(&list, name.data);
    }
    if (seen > most)
        list_end(&list);
}

/* "looked for and not found, 312 names: /usr/local/include (35), ..." */
static void show_probes(struct page *page, const struct analysis *analysis, struct span span)
{
    cleanup_buffer struct buffer head = BUFFER_INIT;
    size_t names = 0;
    struct list list;

    if (span.start == span.end)
        return;
    for (size_t i = span.start; i < span.end; i++)
        names += analysis->findings[i].subjects;
    buffer_printf(&head, "looked for and not found, %zu name%s:", names, names == 1 ? "" : "s");
    list_start(&list, page, head.data, LIST_LINES);
    for (size_t i = span.start; i < span.end; i++) {
        cleanup_buffer struct buffer name = BUFFER_INIT;

        add_place_and_number(&name, analysis, &analysis->findings[i]);
        list_add(&list, name.data);
    }
    list_end(&list);
}

/* Where the build kept what it removed again, as one line: there are often hundreds. */
static void show_temporary(struct page *page, const struct analysis *analysis, struct span span)
{
    for (size_t i = span.start; i < span.end; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];
        cleanup_buffer struct buffer line = BUFFER_INIT;

        if (row_kind(finding) != ROW_TEMPORARY)
            continue;
        buffer_printf(&line, "  temporary files, %" PRIu32 ": ", finding->subjects);
        add_place(&line, analysis, finding->subject);
        add_users(&line, analysis, finding, 3);
        page_paragraph(page, 4, line.data);
    }
}

/* Adds the different names of the findings that are devices, or counts them where there is no list.
 */
static size_t each_device(const struct analysis *analysis, struct span span, struct names *seen,
                          struct list *list)
{
    for (size_t i = span.start; i < span.end; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];

        for (size_t j = 0; row_kind(finding) == ROW_DEVICE && j < finding->member_count; j++) {
            struct text subject = finding->members[j].subject;
            cleanup_buffer struct buffer name = BUFFER_INIT;
            size_t before = seen->count;

            names_add(seen, subject.bytes, subject.length);
            if (seen->count == before || !list)
                continue;
            quote_shortened(&name, subject.bytes, subject.length, 40);
            list_add(list, name.data);
        }
    }
    return seen->count;
}

static void show_devices(struct page *page, const struct analysis *analysis, struct span read,
                         struct span write)
{
    cleanup_buffer struct buffer head = BUFFER_INIT;
    struct names counted = {0}, listed = {0};
    struct list list;
    size_t count;

    each_device(analysis, read, &counted, NULL);
    count = each_device(analysis, write, &counted, NULL);
    if (count) {
        buffer_printf(&head, "devices and kernel, %zu:", count);
        list_start(&list, page, head.data, 1);
        each_device(analysis, read, &listed, &list);
        each_device(analysis, write, &listed, &list);
        list_end(&list);
    }
    names_fini(&counted);
    names_fini(&listed);
}

/* What a person acts on first: what was changed outside, what no package accounts for; what every
 * build has comes last, in a line each. */
void show_filesystem(struct page *page, const struct analysis *analysis)
{
    struct span read = span_of(analysis, CHANNEL_FILESYSTEM, FINDING_READ);
    struct span write = span_of(analysis, CHANNEL_FILESYSTEM, FINDING_WRITE);

    show_files(page, analysis, write, ROW_PLACE, MOST_PLACES);
    show_files(page, analysis, read, ROW_PLACE, MOST_PLACES);
    show_files(page, analysis, read, ROW_PACKAGE, MOST_PACKAGES);
    show_temporary(page, analysis, write);
    show_devices(page, analysis, read, write);
    show_files(page, analysis, read, ROW_GLANCE, 0);
    show_probes(page, analysis, span_of(analysis, CHANNEL_FILESYSTEM, FINDING_PROBE));
}
