/* SPDX-License-Identifier: MIT
 *
 * Keys are added within one schema_version, never changed or taken away.
 */
#include <string.h>

#include "doctor.h"
#include "quote.h"

/* Bytes that are not UTF-8 are shown as quote_display shows them. */
static void print_string(const char *text, struct buffer *out)
{
    cleanup_buffer struct buffer shown = BUFFER_INIT;

    quote_display(&shown, text, strlen(text));
    buffer_add_char(out, '"');
    for (size_t i = 0; i < shown.length; i++) {
        if (strchr("\"\\", shown.data[i]))
            buffer_add_char(out, '\\');
        buffer_add_char(out, shown.data[i]);
    }
    buffer_add_char(out, '"');
}

static void print_text(const char *name, const char *text, struct buffer *out)
{
    buffer_printf(out, "\"%s\": ", name);
    if (text)
        print_string(text, out);
    else
        buffer_add_text(out, "null");
}

static void print_row(const struct doctor_row *row, const struct doctor_finding *finding,
                      struct buffer *out)
{
    buffer_add_text(out, "    {");
    print_text("id", row->id, out);
    buffer_add_text(out, ", ");
    print_text("title", row->title, out);
    buffer_printf(out, ", \"essential\": %s, ", row->essential ? "true" : "false");
    print_text("answer", doctor_answer_word(finding->answer), out);
    buffer_add_text(out, ",\n     ");
    print_text("detail", finding->detail, out);
    buffer_add_text(out, ",\n     ");
    print_text("cost", row->cost, out);
    buffer_add_text(out, ",\n     ");
    print_text("cure", doctor_cure(row, finding), out);
    buffer_add_text(out, ",\n     \"numbers\": {");
    for (int i = 0; i < finding->number_count; i++)
        buffer_printf(out, "%s\"%s\": %.15g", i ? ", " : "", finding->numbers[i].name,
                      finding->numbers[i].value);
    buffer_add_text(out, "}}");
}

void doctor_print_json(const struct doctor_report *report, struct buffer *out)
{
    buffer_printf(out, "{\n  \"schema_version\": %d,\n  ", DOCTOR_SCHEMA_VERSION);
    print_text("tool", "tallyman " TALLYMAN_VERSION, out);
    buffer_add_text(out, ",\n  ");
    print_text("kernel", report->kernel, out);
    buffer_add_text(out, ",\n  ");
    print_text("machine", report->machine, out);
    buffer_printf(out, ",\n  \"user\": %u,\n  \"administrator\": %s,\n  \"seccomp_filters\": ",
                  report->user, report->administrator ? "true" : "false");
    if (report->filters >= 0)
        buffer_printf(out, "%d", report->filters);
    else
        buffer_add_text(out, "null");
    buffer_printf(out, ",\n  \"works\": %s,\n  \"probes\": [\n",
                  doctor_is_well(report) ? "true" : "false");
    for (size_t i = 0; i < doctor_row_count; i++) {
        print_row(&doctor_rows[i], &report->findings[i], out);
        buffer_add_text(out, i + 1 < doctor_row_count ? ",\n" : "\n");
    }
    buffer_add_text(out, "  ]\n}\n");
}
