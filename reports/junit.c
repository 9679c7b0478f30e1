/* SPDX-License-Identifier: MIT
 *
 * JUnit's XML, as Jenkins and GitLab read it: a suite for each channel and one for the evidence.
 *
 * A finding is a test that failed; one that is waived or known is a test that was skipped. A
 * channel without findings has one test that passed, since a report without tests counts as broken.
 * The name of a test is the same in every run, so that a server can follow it: no count and no
 * version in it.
 */
#include "render.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "finding_text.h"
#include "operation.h"
#include "quote.h"
#include "text_parts.h"
#include "xml.h"

#define MOST_NAMES    20
#define MOST_COMMANDS 8
#define LONGEST_NAME  120 /* characters */
#define LONGEST_STEP  200
#define NOTHING_SEEN  "nothing undeclared"

struct tally {
    size_t tests, failures, errors, skipped;
};

static void add_counts(struct buffer *out, const struct tally *tally)
{
    buffer_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", tally->tests,
                  tally->failures, tally->errors);
}

static void open_suite(struct buffer *out, const struct analysis *analysis, const char *name,
                       const struct tally *tally)
{
    time_t seconds = (time_t)(analysis->started / 1000000000);
    struct tm parts;
    char text[32] = "";

    buffer_printf(out, "  <testsuite name=\"tallyman.%s\"", name);
    add_counts(out, tally);
    buffer_printf(out, " skipped=\"%zu\" time=\"0\"", tally->skipped);
    if (gmtime_r(&seconds, &parts) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts))
        buffer_printf(out, " timestamp=\"%s\"", text);
    buffer_add_text(out, ">\n");
}

/* "libc6-dev (read) 0123456789abcdef" */
static void open_case(struct buffer *out, const struct analysis *analysis,
                      const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer subject = BUFFER_INIT;
    cleanup_buffer struct buffer name = BUFFER_INIT;

    add_place(&subject, analysis, finding->subject);
    quote_shortened(&name, subject.length ? subject.data : "", subject.length, LONGEST_NAME);
    buffer_printf(&name, " (%s) %s", finding->operation, finding->fingerprint);
    buffer_add_text(out, "    <testcase");
    xml_add_attribute(out, "name", &name);
    buffer_printf(out, " classname=\"tallyman.%s.%s\" time=\"0\">\n",
                  channel_name(finding->channel), finding->category->name);
}

static void add_names(struct buffer *out, const struct analysis_finding *finding)
{
    size_t members[MOST_NAMES];
    size_t count = finding_distinct(finding, members, MOST_NAMES);

    for (size_t i = 0; i < count; i++) {
        struct text name = finding->members[members[i]].subject;

        buffer_add_text(out, "\n  ");
        quote_display(out, name.bytes, name.length);
    }
    if (finding->subjects > count)
        buffer_printf(out, "\n  and %zu more", finding->subjects - count);
}

static void add_lines(struct buffer *out, const char *title, struct text lines)
{
    if (!lines.length)
        return;
    buffer_printf(out, "\n%s:\n", title);
    finding_add_lines(out, lines);
}

/* What a person reads who opens the failed test. */
static void add_story(struct buffer *out, const struct analysis *analysis,
                      const struct analysis_finding *finding)
{
    struct analysis_location place = finding_place(analysis, finding);

    buffer_printf(out, "%s\n", finding->category->why);
    finding_add_remedy(out, finding);
    add_lines(out, "To declare it", finding->declaration);
    add_lines(out, "To waive it", finding->waiver);
    buffer_add_text(out, "\nWhere to look: ");
    quote_display(out, place.path.bytes, place.path.length);
    if (finding->process_count) {
        buffer_add_text(out, "\nFirst used by: ");
        analysis_chain(analysis, finding->processes[0], MOST_COMMANDS, LONGEST_STEP, out);
    }
    add_names(out, finding);
}

static void add_failure(struct buffer *out, const struct analysis *analysis,
                        const struct analysis_finding *finding)
{
    cleanup_buffer struct buffer message = BUFFER_INIT;
    cleanup_buffer struct buffer story = BUFFER_INIT;

    buffer_printf(&message, "%s: ", finding->category->title);
    finding_add_name(&message, analysis, finding);
    buffer_add_text(&message, ", ");
    finding_add_facts(&message, analysis, finding);
    add_story(&story, analysis, finding);
    buffer_printf(out, "      <failure type=\"%s\"", severity_name(finding->severity));
    xml_add_attribute(out, "message", &message);
    buffer_add_char(out, '>');
    xml_add_plain(out, &story);
    buffer_add_text(out, "</failure>\n");
}

static void add_case(struct buffer *out, const struct analysis *analysis,
                     const struct analysis_finding *finding)
{
    open_case(out, analysis, finding);
    if (finding_is_new(finding))
        add_failure(out, analysis, finding);
    else
        buffer_printf(out, "      <skipped message=\"%s\"/>\n",
                      finding->verdict == VERDICT_WAIVED ? "waived by the manifest"
                                                         : "known from the baseline");
    buffer_add_text(out, "    </testcase>\n");
}

static struct tally tally_channel(const struct analysis *analysis, enum channel channel)
{
    struct tally tally = {0, 0, 0, 0};

    for (size_t i = 0; i < analysis->finding_count; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];

        if (finding->channel != channel)
            continue;
        tally.tests++;
        if (finding_is_new(finding))
            tally.failures++;
        else
            tally.skipped++;
    }
    tally.tests += tally.tests == 0;
    return tally;
}

static void add_channel(struct buffer *out, const struct analysis *analysis, enum channel channel)
{
    struct tally tally = tally_channel(analysis, channel);
    bool any = false;

    open_suite(out, analysis, channel_name(channel), &tally);
    for (size_t i = 0; i < analysis->finding_count; i++) {
        if (analysis->findings[i].channel != channel)
            continue;
        add_case(out, analysis, &analysis->findings[i]);
        any = true;
    }
    if (!any)
        buffer_printf(
            out, "    <testcase name=\"" NOTHING_SEEN "\" classname=\"tallyman.%s\" time=\"0\"/>\n",
            channel_name(channel));
    buffer_add_text(out, "  </testsuite>\n");
}

static struct tally tally_evidence(const struct analysis *analysis)
{
    return (struct tally){.tests = 1, .errors = !analysis_suffices(analysis)};
}

static void add_evidence(struct buffer *out, const struct analysis *analysis)
{
    struct tally tally = tally_evidence(analysis);
    cleanup_buffer struct buffer story = BUFFER_INIT;

    open_suite(out, analysis, "evidence", &tally);
    buffer_add_text(out, "    <testcase name=\"every process was observed\""
                         " classname=\"tallyman.evidence\" time=\"0\"");
    if (!tally.errors) {
        buffer_add_text(out, "/>\n");
    } else {
        for (size_t i = 0; i < analysis->blind_class_count; i++) {
            if (analysis->blind_classes[i].accepted)
                continue;
            buffer_add_text(&story, story.length ? "\n" : "");
            blind_class_add(&story, analysis, &analysis->blind_classes[i]);
        }
        if (!analysis->ended)
            buffer_add_text(&story, "\nthe run never ended");
        buffer_add_text(out, ">\n      <error type=\"incomplete\" message=\"the evidence is "
                             "incomplete: there may be more than was seen\">");
        xml_add_plain(out, &story);
        buffer_add_text(out, "</error>\n    </testcase>\n");
    }
    buffer_add_text(out, "  </testsuite>\n");
}

int render_junit(const struct analysis *analysis, sqlite3 *db,
                 const struct report_settings *settings, struct buffer *out)
{
    struct tally total = tally_evidence(analysis);

    (void)db, (void)settings;
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        struct tally tally = tally_channel(analysis, (enum channel)i);

        total.tests += tally.tests;
        total.failures += tally.failures;
    }
    buffer_add_text(out,
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tallyman\"");
    add_counts(out, &total);
    buffer_add_text(out, " time=\"0\">\n");
    for (int i = 0; i < CHANNEL_COUNT; i++)
        add_channel(out, analysis, (enum channel)i);
    add_evidence(out, analysis);
    buffer_add_text(out, "</testsuites>\n");
    return 0;
}
