/* SPDX-License-Identifier: MIT
 *
 * The findings as plain HTML, for browsers without a script: what, by whom, what to do.
 */
#include "html.h"

#include <inttypes.h>
#include <string.h>

#include "cleanup.h"
#include "operation.h"
#include "text_parts.h"
#include "xml.h"

#define MOST_NAMES 20
#define MOST_USERS 5

static struct text text_of(const char *string)
{
    return (struct text){string, strlen(string)};
}

static void add_names(struct buffer *out, const struct analysis_finding *finding)
{
    uint32_t before = ANALYSIS_NONE;
    size_t shown = 0;

    buffer_add_text(out, "<ul>\n");
    for (size_t i = 0; i < finding->member_count && shown < MOST_NAMES; i++) {
        if (finding->members[i].subject_number == before)
            continue;
        before = finding->members[i].subject_number;
        buffer_add_text(out, "<li><code>");
        xml_add_text(out, finding->members[i].subject);
        buffer_add_text(out, "</code></li>\n");
        shown++;
    }
    if (finding->subjects > shown)
        buffer_printf(out, "<li>and %zu more</li>\n", finding->subjects - shown);
    buffer_add_text(out, "</ul>\n");
}

static void add_block(struct buffer *out, const char *title, struct text text)
{
    if (!text.length)
        return;
    buffer_printf(out, "<p>%s:</p>\n<pre>", title);
    html_add_lines(out, text);
    buffer_add_text(out, "</pre>\n");
}

static void add_finding(struct buffer *out, const struct analysis *analysis,
                        const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer users = BUFFER_INIT;

    buffer_printf(out, "<li>\n<h3><code>");
    xml_add_text(out, finding->package.length ? finding->package : finding->subject);
    buffer_add_text(out, "</code></h3>\n<p>");
    xml_add_text(out, text_of(severity_name(finding->severity)));
    buffer_printf(out, "%s: ", finding->verdict == VERDICT_WAIVED ? ", waived" : "");
    xml_add_text(out, text_of(finding->category->title));
    buffer_add_text(out, "; ");
    xml_add_text(out, text_of(finding->operation));
    buffer_printf(out, ", %" PRId64 " time%s", finding->count, finding->count == 1 ? "" : "s");
    add_users(&users, analysis, finding, MOST_USERS);
    xml_add_plain(out, &users);
    buffer_add_text(out, ".</p>\n<p>");
    xml_add_text(out, text_of(finding->category->why));
    buffer_add_char(out, ' ');
    html_add_lines(out,
                   finding->remedy.length ? finding->remedy : text_of(finding->category->remedy));
    buffer_add_text(out, "</p>\n");
    if (finding->subjects > 1)
        add_names(out, finding);
    add_block(out, "To declare it", finding->declaration);
    add_block(out, "To waive it", finding->waiver);
    buffer_add_text(out, "</li>\n");
}

void html_add_list(struct buffer *out, const struct analysis *analysis)
{
    if (!analysis->finding_count) {
        buffer_add_text(out, "<p>Nothing undeclared.</p>\n");
        return;
    }
    buffer_add_text(out, "<ol>\n");
    for (size_t i = 0; i < analysis->finding_count; i++)
        add_finding(out, analysis, &analysis->findings[i]);
    buffer_add_text(out, "</ol>\n");
}
