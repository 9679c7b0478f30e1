/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "baseline_file.h"
#include "buffer.h"
#include "command.h"
#include "judged_run.h"
#include "report_output.h"
#include "tallyman/status.h"

#define MOST_FINDINGS 25

static long run;
static long baseline_run;
static const char *manifest;
static const char *baseline;
static const char *new_baseline;
static const char *format;
static const char *output;
static bool strict;
static struct option_list accepted;

const struct option cmd_check_options[] = {
    {0, "run", OPTION_NUMBER, &run, "ID", NULL, "the run to check; without it the newest"},
    {'m', "manifest", OPTION_TEXT, &manifest, "FILE", NULL,
     "judge by this manifest; without it by ./tallyman.yaml, or by the run's own where that is "
     "missing"},
    {0, "baseline", OPTION_TEXT, &baseline, "FILE", NULL,
     "accept the findings that are known from this baseline (as --write-baseline makes it), or "
     "from a run in this database, judged by the same manifest"},
    {0, "baseline-run", OPTION_NUMBER, &baseline_run, "ID", NULL,
     "the run of the database that --baseline names; without it its newest, or the one before the "
     "run that is checked where both are in the same database"},
    {0, "write-baseline", OPTION_TEXT, &new_baseline, "FILE", NULL,
     "write the undeclared findings to a baseline; without --baseline they are then accepted"},
    {0, "strict", OPTION_FLAG, &strict, NULL, NULL,
     "fail on a waiver that matched nothing, too, and on what the baseline has and the run has "
     "not"},
    {0, "accept-blind-spot", OPTION_LIST, &accepted, "CLASS", BLIND_SPOT_CHOICES,
     "do not count a blind spot of this class as incomplete evidence; it stays listed, as "
     "accepted"},
    {'f', "format", OPTION_CHOICE, &format, "FORMAT", REPORT_FORMAT_CHOICES,
     "make a report as well, in this format; what is said to people goes to standard error then"},
    {'o', "output", OPTION_TEXT, &output, "FILE", NULL,
     "write the report there instead of to standard output"},
    {0, NULL, OPTION_FLAG, NULL, NULL, NULL, NULL}};

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_findings(const struct analysis *analysis, FILE *out)
{
    uint32_t known = analysis_known(analysis);
    uint32_t new = analysis_undeclared(analysis) - known;
    long long id = (long long)analysis->run;

    if (new && analysis->baseline)
        fprintf(out, "run %lld: %u undeclared finding%s not in the baseline, %u known from it\n",
                id, new, plural(new), known);
    else if (new)
        fprintf(out, "run %lld: %u undeclared finding%s\n", id, new, plural(new));
    if (strict && analysis->unused_waiver_count)
        fprintf(out, "run %lld: %zu waiver%s matched nothing\n", id, analysis->unused_waiver_count,
                plural(analysis->unused_waiver_count));
    if (strict && analysis->stale_count)
        fprintf(out, "run %lld: %zu finding%s of the baseline not found any more\n", id,
                analysis->stale_count, plural(analysis->stale_count));
}

static void print_conclusion(const struct analysis *analysis, int status, FILE *out)
{
    uint32_t known = analysis_known(analysis);

    switch (status) {
    case TALLY_EXIT_FINDINGS:
        print_findings(analysis, out);
        break;
    case TALLY_EXIT_INCOMPLETE:
        fprintf(out, "run %lld: nothing %s was seen, but the evidence is incomplete\n",
                (long long)analysis->run, analysis->baseline ? "new" : "undeclared");
        break;
    default:
        fprintf(out, "run %lld: clean", (long long)analysis->run);
        if (known)
            fprintf(out, ", but for %u finding%s known from the baseline", known, plural(known));
        fputc('\n', out);
        break;
    }
}

static void print_details(const struct analysis *analysis, int status,
                          const struct report_settings *settings, FILE *out)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;

    report_findings_shortly(analysis, settings, MOST_FINDINGS, &text);
    report_baseline_shortly(analysis, settings, strict, &text);
    report_evidence_shortly(analysis, settings, &text);
    if (strict || status == TALLY_EXIT_CLEAN)
        report_waivers_shortly(analysis, settings, &text);
    if (text.length)
        fwrite(text.data, 1, text.length, out);
}

static void refuse_combinations(void)
{
    if (output && !format)
        usage("--output needs a --format");
    if (baseline_run && !baseline)
        usage("--baseline-run needs a --baseline");
    if (new_baseline && strcmp(new_baseline, "-") == 0 && format &&
        report_output_is_standard(output))
        usage("the baseline and the report cannot both go to standard output");
}

/* What is written without another baseline at hand is accepted from then on. */
static int write_baseline(struct analysis *analysis)
{
    int status = baseline_file_write(new_baseline, analysis);

    if (status == 0 && !baseline) {
        struct baseline *written = baseline_of(analysis);

        analysis_apply_baseline(analysis, written);
        baseline_free(written);
    }
    return status;
}

static int check(const struct judged_run *judged, const struct report_settings *report)
{
    bool occupied = format || (new_baseline && strcmp(new_baseline, "-") == 0);
    struct report_settings settings = *report;
    FILE *people = occupied ? stderr : stdout;
    int status = judged_run_status(judged->analysis, strict);

    report_settings_for(fileno(people), &settings);
    print_conclusion(judged->analysis, status, people);
    print_details(judged->analysis, status, &settings, people);
    if (format && report_output(judged, format, report, output) != 0)
        return TALLY_EXIT_FAILURE;
    return status;
}

int cmd_check(int argc, char **argv)
{
    int word = option_parse(cmd_check_options, argc, argv, false);
    struct report_settings settings = {.database = DEFAULT_DATABASE};
    cleanup_judged_run struct judged_run judged = {NULL, NULL};
    cleanup_baseline_file struct baseline_file file = {NULL, 0, NULL};
    int status;

    if (argc - word > 1)
        usage("check takes one database, not %d", argc - word);
    refuse_combinations();
    if (word < argc)
        settings.database = argv[word];
    if (!manifest && access(DEFAULT_MANIFEST, F_OK) == 0)
        manifest = DEFAULT_MANIFEST;
    if (report_output_is_standard(output))
        report_settings_for(STDOUT_FILENO, &settings);
    status = baseline_file_open(&file, baseline, baseline_run);
    if (status == 0)
        status = judged_run_open(&judged, settings.database, run, manifest);
    if (status)
        return status;
    judged_run_accept(&judged, &accepted);
    status = baseline_file_apply(&file, &judged, settings.database, manifest);
    if (status == 0 && new_baseline)
        status = write_baseline(judged.analysis);
    return status ? status : check(&judged, &settings);
}
