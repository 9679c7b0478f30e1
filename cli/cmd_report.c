/* SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "baseline_file.h"
#include "command.h"
#include "judged_run.h"
#include "report_output.h"
#include "tallyman/status.h"

static long run;
static long baseline_run;
static const char *format = "text";
static const char *output;
static const char *manifest;
static const char *baseline;
static bool all;
static struct option_list accepted;

const struct option cmd_report_options[] = {
    {0, "run", OPTION_NUMBER, &run, "ID", NULL, "the run to show; without it the newest"},
    {'f', "format", OPTION_CHOICE, &format, "FORMAT", REPORT_FORMAT_CHOICES, "the output format"},
    {'o', "output", OPTION_TEXT, &output, "FILE", NULL,
     "write there, under a temporary name until all is written, instead of to standard output"},
    {'m', "manifest", OPTION_TEXT, &manifest, "FILE", NULL,
     "judge the run by this manifest, without changing the database; without it the run's own"},
    {0, "baseline", OPTION_TEXT, &baseline, "FILE", NULL,
     "mark the findings that are known from this baseline or this database; see tallyman-check(1)"},
    {0, "baseline-run", OPTION_NUMBER, &baseline_run, "ID", NULL,
     "the run of the database that --baseline names; without it its newest"},
    {0, "accept-blind-spot", OPTION_LIST, &accepted, "CLASS", BLIND_SPOT_CHOICES,
     "list blind spots of this class as accepted"},
    {'a', "all", OPTION_FLAG, &all, NULL, NULL, "show every access, the declared ones too"},
    {0, NULL, OPTION_FLAG, NULL, NULL, NULL, NULL}};

int cmd_report(int argc, char **argv)
{
    int word = option_parse(cmd_report_options, argc, argv, false);
    struct report_settings settings = {.all = all, .database = DEFAULT_DATABASE};
    cleanup_judged_run struct judged_run judged = {NULL, NULL};
    cleanup_baseline_file struct baseline_file file = {NULL, 0, NULL};
    int status;

    if (argc - word > 1)
        usage("report takes one database, not %d", argc - word);
    if (word < argc)
        settings.database = argv[word];
    if (report_output_is_standard(output))
        report_settings_for(STDOUT_FILENO, &settings);
    status = baseline_file_open(&file, baseline, baseline_run);
    if (status == 0)
        status = judged_run_open(&judged, settings.database, run, manifest);
    if (status)
        return status;
    judged_run_accept(&judged, &accepted);
    status = baseline_file_apply(&file, &judged, settings.database, manifest);
    return status ? status : report_output(&judged, format, &settings, output);
}
