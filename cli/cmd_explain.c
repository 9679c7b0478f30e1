/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "explain_document.h"
#include "judged_run.h"
#include "manifest.h"
#include "tallyman/status.h"

#define MOST_PROCESSES 5

static long run;
static const char *format = "text";
static const char *manifest_file;
static bool all;

const struct option cmd_explain_options[] = {
    {0, "run", OPTION_NUMBER, &run, "ID", NULL, "the run to look at; without it the newest"},
    {'m', "manifest", OPTION_TEXT, &manifest_file, "FILE", NULL,
     "judge the run by this manifest, without changing the database; without it the run's own"},
    {'f', "format", OPTION_CHOICE, &format, "FORMAT", "text|json", "the output format"},
    {'a', "all", OPTION_FLAG, &all, NULL, NULL, "show every process that used it, and every use"},
    {0, NULL, OPTION_FLAG, NULL, NULL, NULL, NULL}};

static int print(const struct explanation *explanation)
{
    struct report_settings settings = {.all = all};
    cleanup_buffer struct buffer document = BUFFER_INIT;

    report_settings_for(STDOUT_FILENO, &settings);
    if (strcmp(format, "json") == 0)
        explain_json(explanation, &document);
    else
        explain_text(explanation, &settings, &document);
    if (report_write(NULL, &document) == 0)
        return TALLY_EXIT_CLEAN;
    warn_errno("cannot write to standard output");
    return TALLY_EXIT_FAILURE;
}

static int explain_in(const struct judged_run *judged, int64_t id, const char *subject,
                      const struct manifest *manifest)
{
    cleanup_free char *here = getcwd(NULL, 0);
    cleanup_buffer struct buffer why = BUFFER_INIT;
    struct explain_question question = {.subject = subject,
                                        .cwd = here,
                                        .manifest = manifest,
                                        .most = all ? SIZE_MAX : MOST_PROCESSES};
    struct explanation explanation;
    int result = explain(&explanation, judged->db, id, &question, &why);
    int status = result == TALLY_ERR_NOT_FOUND ? TALLY_EXIT_FINDINGS : TALLY_EXIT_FAILURE;

    if (result == 0)
        status = print(&explanation);
    else
        warn("%s", why.data);
    explanation_fini(&explanation);
    return status;
}

int cmd_explain(int argc, char **argv)
{
    int word = option_parse(cmd_explain_options, argc, argv, false);
    cleanup_judged_run struct judged_run judged = {NULL, NULL};
    cleanup_buffer struct buffer why = BUFFER_INIT;
    struct manifest *manifest;
    int64_t id = run;
    int status;

    if (argc - word < 1 || argc - word > 2)
        usage("explain takes a subject, and a database before it: tallyman explain [DB] SUBJECT");
    status = judged_run_open_bare(&judged, argc - word == 2 ? argv[word] : DEFAULT_DATABASE, &id,
                                  manifest_file, &manifest, &why);
    if (status == 0)
        status = explain_in(&judged, id, argv[argc - 1], manifest);
    manifest_free(manifest);
    return status;
}
