/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unistd.h>

#include "buffer.h"
#include "command.h"
#include "judged_run.h"
#include "quote.h"
#include "reports.h"
#include "tallyman/status.h"

static long run;
static const char *format = "text";
static const char *output;
static const char *manifest;
static bool all;
static struct option_list accepted;

const struct option cmd_report_options[] = {
    {0, "run", OPTION_NUMBER, &run, "ID", NULL, "the run to show; without it the newest"},
    {'f', "format", OPTION_CHOICE, &format, "FORMAT", REPORT_FORMAT_CHOICES, "the output format"},
    {'o', "output", OPTION_TEXT, &output, "FILE", NULL,
     "write there, under a temporary name until all is written, instead of to standard output"},
    {'m', "manifest", OPTION_TEXT, &manifest, "FILE", NULL,
     "judge the run by this manifest, without changing the database; without it the run's own"},
    {0, "accept-blind-spot", OPTION_LIST, &accepted, "CLASS", BLIND_SPOT_CHOICES,
     "list blind spots of this class as accepted"},
    {'a', "all", OPTION_FLAG, &all, NULL, NULL, "show every access, the declared ones too"},
    {0, NULL, OPTION_FLAG, NULL, NULL, NULL, NULL}};

static bool is_standard_output(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

static int show(const struct judged_run *judged, const struct report_settings *settings)
{
    cleanup_buffer struct buffer document = BUFFER_INIT;

    if (report_format_find(format)->render(judged->analysis, judged->db, settings, &document) !=
        0) {
        warn("cannot read the run: %s", sqlite3_errmsg(judged->db));
        return TALLY_EXIT_FAILURE;
    }
    if (report_write(output, &document) != 0) {
        cleanup_buffer struct buffer shown = BUFFER_INIT;

        if (is_standard_output(output))
            buffer_add_text(&shown, "standard output");
        else
            quote_display(&shown, output, strlen(output));
        warn_errno("cannot write the report to %s", shown.data);
        return TALLY_EXIT_FAILURE;
    }
    return TALLY_EXIT_CLEAN;
}

int cmd_report(int argc, char **argv)
{
    int word = option_parse(cmd_report_options, argc, argv, false);
    struct report_settings settings = {.all = all, .database = DEFAULT_DATABASE};
    cleanup_judged_run struct judged_run judged = {NULL, NULL};
    int status;

    if (argc - word > 1)
        usage("report takes one database, not %d", argc - word);
    if (word < argc)
        settings.database = argv[word];
    if (is_standard_output(output))
        report_settings_for(STDOUT_FILENO, &settings);
    status = judged_run_open(&judged, settings.database, run, manifest);
    if (status)
        return status;
    judged_run_accept(&judged, &accepted);
    return show(&judged, &settings);
}
