/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "doctor.h"
#include "quote.h"

#define TITLE_WIDTH  36
#define ANSWER_WIDTH 8

static const char *const colours[] = {"\033[31m", "\033[33m", "\033[32m"};
#define RESET "\033[0m"

static void print_line(const char *name, const char *text, struct buffer *out)
{
    buffer_printf(out, "%*s%s: ", ANSWER_WIDTH, "", name);
    quote_display(out, text, strlen(text));
    buffer_add_char(out, '\n');
}

static void print_row(const struct doctor_row *row, const struct doctor_finding *finding,
                      bool colour, struct buffer *out)
{
    const char *word = doctor_answer_word(finding->answer), *cure = doctor_cure(row, finding);

    buffer_printf(out, "%s%-*s%s%-*s", colour ? colours[finding->answer] : "", ANSWER_WIDTH, word,
                  colour ? RESET : "", finding->detail[0] ? TITLE_WIDTH : 0, row->title);
    quote_display(out, finding->detail, strlen(finding->detail));
    buffer_add_char(out, '\n');
    if (finding->answer == DOCTOR_NO)
        print_line("costs", row->cost, out);
    if (cure)
        print_line("to get it", cure, out);
}

static void print_head(const struct doctor_report *report, struct buffer *out)
{
    buffer_printf(out, "tallyman %s, %s, %s, user %u%s", TALLYMAN_VERSION, report->kernel,
                  report->machine, report->user, report->administrator ? " (administrator)" : "");
    if (report->filters > 0)
        buffer_printf(out, ", %d seccomp filter%s around us", report->filters,
                      report->filters == 1 ? "" : "s");
    buffer_add_char(out, '\n');
}

void doctor_print_text(const struct doctor_report *report, bool colour, struct buffer *out)
{
    print_head(report, out);
    for (size_t i = 0; i < doctor_row_count; i++)
        print_row(&doctor_rows[i], &report->findings[i], colour, out);
    buffer_add_text(out, doctor_is_well(report)
                             ? "tallyman does its main job here: shim and witness work\n"
                             : "tallyman cannot do its main job here; essential and not there:");
    if (doctor_is_well(report))
        return;
    for (size_t i = 0, count = 0; i < doctor_row_count; i++) {
        if (doctor_rows[i].essential && report->findings[i].answer == DOCTOR_NO)
            buffer_printf(out, "%s %s", count++ ? "," : "", doctor_rows[i].title);
    }
    buffer_add_char(out, '\n');
}
