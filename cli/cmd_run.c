/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "baseline_file.h"
#include "cleanup.h"
#include "command.h"
#include "derive.h"
#include "judged_run.h"
#include "manifest.h"
#include "reports.h"
#include "supervisor.h"
#include "tallyman/status.h"

static const char *manifest_file;
static const char *database = DEFAULT_DATABASE;
static const char *mode = "audit";
static const char *witness = "gaps";
static long grace = SUPERVISOR_GRACE_MS;
static bool check;
static const char *baseline;
static bool quiet;
static struct option_list accepted;

const struct option cmd_run_options[] = {
    {'m', "manifest", OPTION_TEXT, &manifest_file, "FILE", NULL,
     "what the command declares; without it ./tallyman.yaml, and without that the tree that the "
     "command runs in is declared and everything outside it is not"},
    {'o', "output", OPTION_TEXT, &database, "DB", NULL,
     "the database to add the run to; without it ./tallyman.db"},
    {0, "mode", OPTION_CHOICE, &mode, "MODE", "audit|enforce|sandbox",
     "what happens to an undeclared access; this version has audit: it is recorded"},
    {0, "witness", OPTION_CHOICE, &witness, "MODE", "off|gaps|full",
     "what the kernel is asked to report: what the shim does not record itself (gaps), everything, "
     "to measure the shim (full), or nothing (off); without it gaps"},
    {0, "check", OPTION_FLAG, &check, NULL, NULL,
     "exit with 1 for undeclared findings, with 3 for none but incomplete evidence, unless the "
     "command itself failed"},
    {0, "baseline", OPTION_TEXT, &baseline, "FILE", NULL,
     "with --check, accept the findings that are known from this baseline, or from the newest run "
     "of this database; see tallyman-check(1)"},
    {0, "accept-blind-spot", OPTION_LIST, &accepted, "CLASS", BLIND_SPOT_CHOICES,
     "with --check, do not count a blind spot of this class as incomplete evidence; it stays "
     "listed, as accepted"},
    {0, "grace", OPTION_NUMBER, &grace, "MS", NULL,
     "how long to wait for processes that outlive the command, in milliseconds; without it 2000"},
    {'q', "quiet", OPTION_FLAG, &quiet, NULL, NULL, "no progress line, no summary"},
    {0, NULL, OPTION_FLAG, NULL, NULL, NULL, NULL}};

/* Never accepted silently: a build that believes itself enforced must be. */
static void refuse_what_is_not_there(void)
{
    if (strcmp(mode, "audit") != 0)
        usage("this version of tallyman has no mode '%s'; it has --mode audit", mode);
}

static struct manifest *load_manifest(void)
{
    cleanup_buffer struct buffer errors = BUFFER_INIT;
    struct manifest *manifest;

    /* One that is there and cannot be looked at must not be as if it were not there. */
    if (!manifest_file && (access(DEFAULT_MANIFEST, F_OK) == 0 || errno != ENOENT))
        manifest_file = DEFAULT_MANIFEST;
    if (!manifest_file) {
        cleanup_free char *here = getcwd(NULL, 0);

        if (!here)
            die_errno("cannot tell the current folder, and so not what belongs to the build; name "
                      "a manifest with -m");
        return manifest_ambient(here);
    }
    manifest = manifest_load(manifest_file, &errors);
    if (!manifest)
        fputs(errors.data ? errors.data : "", stderr);
    return manifest;
}

static struct policy *compile(const struct manifest *manifest, size_t *size)
{
    cleanup_buffer struct buffer errors = BUFFER_INIT;
    struct policy *policy = policy_compile(manifest, size, &errors);

    if (!policy)
        fputs(errors.data ? errors.data : "", stderr);
    return policy;
}

/* How many declared digests do not hold; each is said. */
static int check_digests(const struct manifest *manifest)
{
    cleanup_buffer struct buffer problems = BUFFER_INIT;
    int count = manifest_check_digests(manifest, &problems);

    if (count)
        fputs(problems.data ? problems.data : "", stderr);
    return count;
}

static void summarise(const struct analysis *analysis)
{
    struct report_settings settings = {.database = database};
    cleanup_buffer struct buffer text = BUFFER_INIT;

    report_settings_for(STDERR_FILENO, &settings);
    report_summary(analysis, &settings, &text);
    if (text.length)
        fwrite(text.data, 1, text.length, stderr);
}

/* The verdict of --check; a command that failed keeps its own status. */
static int conclude(const struct run_result *result, const struct policy *policy,
                    int broken_digests, struct baseline_file *file)
{
    cleanup_judged_run struct judged_run judged = {NULL, NULL};
    int status = derive_run(database, result->run, policy, !quiet)
                     ? judged_run_open(&judged, database, result->run, NULL)
                     : TALLY_EXIT_FAILURE;

    if (status == 0)
        status = baseline_file_apply(file, &judged, database, NULL);
    if (status)
        return check ? TALLY_EXIT_FAILURE : result->exit_status;
    judged_run_accept(&judged, &accepted);
    if (!quiet)
        summarise(judged.analysis);
    if (!check || result->exit_status != 0)
        return result->exit_status;
    status = judged_run_status(judged.analysis, false);
    return broken_digests ? TALLY_EXIT_FINDINGS : status;
}

int cmd_run(int argc, char **argv)
{
    int word = option_parse(cmd_run_options, argc, argv, true);
    struct run_options options = {.database = database,
                                  .mode = mode,
                                  .witness = witness,
                                  .quiet = quiet,
                                  .progress = true,
                                  .own_process = true,
                                  .grace_ms = grace,
                                  .argv = argv + word};
    struct run_result result;
    struct manifest *manifest;
    cleanup_baseline_file struct baseline_file file = {NULL, 0, NULL};
    cleanup_free struct policy *policy = NULL;
    int status, broken;

    if (word >= argc)
        usage("run needs a command: tallyman run [OPTION...] -- COMMAND [ARG...]");
    refuse_what_is_not_there();
    if (baseline && !check)
        usage("--baseline needs --check");
    if (baseline_file_open(&file, baseline, 0) != 0)
        return TALLY_EXIT_USAGE;
    manifest = load_manifest();
    policy = manifest ? compile(manifest, &options.policy_size) : NULL;
    if (!policy) {
        manifest_free(manifest);
        return TALLY_EXIT_USAGE;
    }
    broken = check_digests(manifest);
    options.manifest = manifest;
    options.policy = policy;
    supervisor_run(&options, &result);
    status = result.exit_status;
    if (result.run && !result.log_kept) {
        if (!broken)
            broken = check_digests(manifest);
        status = conclude(&result, policy, broken, &file);
    }
    free(result.log_kept);
    manifest_free(manifest);
    return status;
}
