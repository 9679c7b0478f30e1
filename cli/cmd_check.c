/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "buffer.h"
#include "command.h"
#include "judged_run.h"
#include "reports.h"
#include "tallyman/status.h"

#define MOST_FINDINGS 25

static long run;
static const char *manifest;
static bool strict;
static struct option_list accepted;

const struct option cmd_check_options[] = {
    {0, "run", OPTION_NUMBER, &run, "ID", NULL, "the run to check; without it the newest"},
    {'m', "manifest", OPTION_TEXT, &manifest, "FILE", NULL,
     "judge by this manifest; without it by ./tallyman.yaml, or by the run's own where that is "
     "missing"},
    {0, "strict", OPTION_FLAG, &strict, NULL, NULL, "fail on a waiver that matched nothing, too"},
    {0, "accept-blind-spot", OPTION_LIST, &accepted, "CLASS", BLIND_SPOT_CHOICES,
     "do not count a blind spot of this class as incomplete evidence; it stays listed, as "
     "accepted"},
    {0, NULL, OPTION_FLAG, NULL, NULL, NULL, NULL}};

static void print_conclusion(const struct analysis *analysis, int status, FILE *out)
{
    uint32_t findings = analysis_undeclared(analysis);

    switch (status) {
    case TALLY_EXIT_FINDINGS:
        if (findings)
            fprintf(out, "run %lld: %u undeclared finding%s\n", (long long)analysis->run, findings,
                    findings == 1 ? "" : "s");
        if (strict && analysis->unused_waiver_count)
            fprintf(out, "run %lld: %zu waiver%s matched nothing\n", (long long)analysis->run,
                    analysis->unused_waiver_count, analysis->unused_waiver_count == 1 ? "" : "s");
        break;
    case TALLY_EXIT_INCOMPLETE:
        fprintf(out, "run %lld: nothing undeclared was seen, but the evidence is incomplete\n",
                (long long)analysis->run);
        break;
    default:
        fprintf(out, "run %lld: clean\n", (long long)analysis->run);
        break;
    }
}

static void print_details(const struct analysis *analysis, int status,
                          const struct report_settings *settings, FILE *out)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;

    report_findings_shortly(analysis, settings, MOST_FINDINGS, &text);
    report_evidence_shortly(analysis, settings, &text);
    if (strict || status == TALLY_EXIT_CLEAN)
        report_waivers_shortly(analysis, settings, &text);
    if (text.length)
        fwrite(text.data, 1, text.length, out);
}

int cmd_check(int argc, char **argv)
{
    int word = option_parse(cmd_check_options, argc, argv, false);
    struct report_settings settings = {.database = DEFAULT_DATABASE};
    cleanup_judged_run struct judged_run judged = {NULL, NULL};
    int status;

    if (argc - word > 1)
        usage("check takes one database, not %d", argc - word);
    if (word < argc)
        settings.database = argv[word];
    if (!manifest && access(DEFAULT_MANIFEST, F_OK) == 0)
        manifest = DEFAULT_MANIFEST;
    report_settings_for(STDOUT_FILENO, &settings);
    status = judged_run_open(&judged, settings.database, run, manifest);
    if (status)
        return status;
    judged_run_accept(&judged, &accepted);
    status = judged_run_status(judged.analysis, strict);
    print_conclusion(judged.analysis, status, stdout);
    print_details(judged.analysis, status, &settings, stdout);
    return status;
}
