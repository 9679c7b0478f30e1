/* SPDX-License-Identifier: MIT
 *
 * CSV (RFC 4180): a row for each member of each finding.
 *
 * Names are written as in JSON: a byte that cannot be shown is \xNN and a backslash is doubled. A
 * spreadsheet takes what starts with one of = + - @ for a formula: an apostrophe in front of it
 * makes it text.
 */
#include "render.h"

#include <inttypes.h>
#include <string.h>

#include "cleanup.h"
#include "finding_text.h"
#include "operation.h"
#include "quote.h"

#define LINE_END   "\r\n"
#define MOST_USERS 20

/* Every cell of a row, in this order. */
#define COLUMNS                                                                                    \
    "fingerprint,channel,class,category,severity,verdict,known,finding,package,name,resolved,"     \
    "operation,outcome,count,source,sha256,file,line,processes,programs,remedy" LINE_END

/* The full-width forms count as well where a keyboard writes them. */
static bool starts_formula(const char *bytes, size_t length)
{
    static const char *const signs[] = {"=", "+", "-", "@", "＝", "＋", "－", "＠"};

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (length >= strlen(signs[i]) && memcmp(bytes, signs[i], strlen(signs[i])) == 0)
            return true;
    return false;
}

static void add_quoted(struct buffer *out, const char *bytes, size_t length)
{
    buffer_add_char(out, '"');
    if (starts_formula(bytes, length))
        buffer_add_char(out, '\'');
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '"')
            buffer_add_char(out, '"');
        buffer_add_char(out, bytes[i]);
    }
    buffer_add_char(out, '"');
}

/* What is printable already. */
static void add_shown(struct buffer *out, const struct buffer *text)
{
    buffer_add_char(out, ',');
    add_quoted(out, text->length ? text->data : "", text->length);
}

static void add_name(struct buffer *out, struct text text)
{
    cleanup_buffer struct buffer shown = BUFFER_INIT;

    for (size_t at = 0; at < text.length;) {
        const char *backslash = memchr(text.bytes + at, '\\', text.length - at);
        size_t end = backslash ? (size_t)(backslash - text.bytes) : text.length;

        quote_display(&shown, text.bytes + at, end - at);
        if (backslash)
            buffer_add_text(&shown, "\\\\");
        at = end + 1;
    }
    add_shown(out, &shown);
}

static void add_word(struct buffer *out, const char *word)
{
    buffer_printf(out, ",%s", word);
}

static void add_programs(struct buffer *out, const struct analysis *analysis,
                         const struct analysis_finding *finding)
{
    size_t count;
    cleanup_free struct analysis_users *users = analysis_programs(analysis, finding, &count);
    cleanup_buffer struct buffer text = BUFFER_INIT;

    for (size_t i = 0; i < count && i < MOST_USERS; i++) {
        buffer_add_text(&text, i ? ", " : "");
        quote_display(&text, users[i].program.bytes, users[i].program.length);
    }
    if (count > MOST_USERS)
        buffer_printf(&text, " and %zu more", count - MOST_USERS);
    add_shown(out, &text);
}

/* The cells that stand in front of the member's, and those behind them. */
static void add_head(struct buffer *out, const struct analysis_finding *finding)
{
    buffer_add_text(out, finding->fingerprint);
    add_word(out, channel_name(finding->channel));
    add_word(out, analysis_class_name(finding->class));
    add_word(out, finding->category->name);
    add_word(out, severity_name(finding->severity));
    add_word(out, finding->verdict == VERDICT_WAIVED ? "waived" : "undeclared");
    add_word(out, finding->known ? "true" : "false");
    add_name(out, finding->subject);
    add_name(out, finding->package);
}

static void add_tail(struct buffer *out, const struct analysis *analysis,
                     const struct analysis_finding *finding)
{
    struct analysis_location place = finding_place(analysis, finding);
    cleanup_buffer struct buffer remedy = BUFFER_INIT;

    add_name(out, place.path);
    buffer_printf(out, ",%" PRId64 ",%zu", place.line, finding->process_count);
    add_programs(out, analysis, finding);
    finding_add_remedy(&remedy, finding);
    add_shown(out, &remedy);
    buffer_add_text(out, LINE_END);
}

static void add_member(struct buffer *out, const struct analysis_member *member)
{
    cleanup_buffer struct buffer outcome = BUFFER_INIT;

    add_outcome(&outcome, member->outcome);
    add_name(out, member->subject);
    add_name(out, member->resolved);
    add_word(out, operation_name(member->operation));
    add_word(out, outcome.data);
    buffer_printf(out, ",%" PRId64, member->count);
    add_word(out, member->witness ? "witness" : "shim");
    add_name(out, member->digest);
}

int render_csv(const struct analysis *analysis, sqlite3 *db, const struct report_settings *settings,
               struct buffer *out)
{
    (void)db, (void)settings;
    buffer_add_text(out, COLUMNS);
    for (size_t i = 0; i < analysis->finding_count; i++) {
        const struct analysis_finding *finding = &analysis->findings[i];
        cleanup_buffer struct buffer head = BUFFER_INIT;
        cleanup_buffer struct buffer tail = BUFFER_INIT;

        add_head(&head, finding);
        add_tail(&tail, analysis, finding);
        for (size_t j = 0; j < finding->member_count; j++) {
            buffer_add(out, head.data, head.length);
            add_member(out, &finding->members[j]);
            buffer_add(out, tail.data, tail.length);
        }
    }
    return 0;
}
