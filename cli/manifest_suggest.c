/* SPDX-License-Identifier: MIT */
#include "manifest_suggest.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "derive.h"
#include "judged_run.h"
#include "manifest.h"
#include "quote.h"
#include "report_output.h"
#include "supervisor.h"
#include "synthesis.h"
#include "tallyman/status.h"

static void free_needs(struct needs **needs)
{
    needs_free(*needs);
}
#define cleanup_needs __attribute__((cleanup(free_needs)))

static int add_database(struct needs *needs, const char *database, int64_t run)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;
    cleanup_judged_run struct judged_run judged = {NULL, NULL};
    struct manifest *manifest = NULL;
    int status = judged_run_open_bare(&judged, database, &run, NULL, &manifest, &why);

    manifest_free(manifest);
    if (status)
        return status;
    buffer_clear(&why);
    if (needs_add(needs, judged.db, run, &why) == 0)
        return 0;
    warn("%s", why.data);
    return TALLY_EXIT_FAILURE;
}

/* The folder that the manifest will lie in; NULL when there is none. The caller frees. */
static char *folder_of_output(const char *output)
{
    cleanup_free char *folder = NULL;
    char *slash;

    if (report_output_is_standard(output))
        return getcwd(NULL, 0);
    folder = xstrdup(output);
    slash = strrchr(folder, '/');
    if (!slash)
        return getcwd(NULL, 0);
    slash[slash == folder] = '\0';
    return realpath(folder, NULL);
}

/* The root has to be written down where the manifest lies elsewhere, unless the run is of another
 * machine, whose folders are not here. */
static bool needs_root(const char *root, const char *output)
{
    cleanup_free char *folder = folder_of_output(output);

    return folder && strcmp(folder, root) != 0 && access(root, F_OK) == 0;
}

static int write_out(struct draft *draft, const char *output)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;
    cleanup_buffer struct buffer shown = BUFFER_INIT;

    draft_write(draft, true, &text);
    if (report_write(output, &text) == 0)
        return TALLY_EXIT_CLEAN;
    if (report_output_is_standard(output))
        buffer_add_text(&shown, "standard output");
    else
        quote_display(&shown, output, strlen(output));
    warn_errno("cannot write the manifest to %s", shown.data);
    return TALLY_EXIT_FAILURE;
}

static void say_score(const struct synthesis *synthesis)
{
    cleanup_buffer struct buffer score = BUFFER_INIT;

    synthesis_add_score(synthesis, &score);
    fprintf(stderr, "tallyman: %s\n", score.data);
    if (synthesis->open)
        warn("%zu uses cannot be declared by any rule; the manifest names them at its top",
             synthesis->open);
}

static enum synthesis_balance balance_of(const struct suggest_settings *settings)
{
    if (settings->tight)
        return SYNTHESIS_TIGHT;
    return settings->loose ? SYNTHESIS_LOOSE : SYNTHESIS_BALANCED;
}

static int write_manifest(struct needs *needs, const struct suggest_settings *settings)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;
    struct synthesis synthesis;
    const char *root = needs->runs[0].facts->root.bytes;
    int status = TALLY_EXIT_FAILURE;

    if (!needs_root(root, settings->output))
        root = NULL;
    if (synthesis_make(&synthesis, needs, root, balance_of(settings), &why) == 0)
        status = write_out(synthesis.draft, settings->output);
    else
        warn("cannot make a manifest of this run: %s", why.length ? why.data : "unknown reason");
    if (status == TALLY_EXIT_CLEAN)
        say_score(&synthesis);
    draft_free(synthesis.draft);
    return status;
}

/* Is there a manifest that nobody said may go? */
static bool is_in_the_way(const struct suggest_settings *settings)
{
    cleanup_buffer struct buffer shown = BUFFER_INIT;

    if (settings->force || report_output_is_standard(settings->output) ||
        access(settings->output, F_OK) != 0)
        return false;
    quote_display(&shown, settings->output, strlen(settings->output));
    warn("%s is there already; --force replaces it, -o names another file, '-o -' shows the text",
         shown.data);
    return true;
}

int manifest_suggest(int count, char **databases, const struct suggest_settings *settings)
{
    cleanup_needs struct needs *needs = needs_new();
    int status = 0;

    if (is_in_the_way(settings))
        return TALLY_EXIT_USAGE;
    if (count == 0)
        status = add_database(needs, DEFAULT_DATABASE, settings->run);
    for (int i = 0; i < count && status == 0; i++)
        status = add_database(needs, databases[i], settings->run);
    return status ? status : write_manifest(needs, settings);
}

/* --- init ----------------------------------------------------------------------------------- */

/* By the built-in policy, whatever manifest is there. */
static int audit(char **argv, struct run_result *result)
{
    struct run_options options = {.database = DEFAULT_DATABASE,
                                  .mode = "audit",
                                  .witness = "gaps",
                                  .progress = true,
                                  .grace_ms = SUPERVISOR_GRACE_MS,
                                  .argv = argv};
    cleanup_buffer struct buffer why = BUFFER_INIT;
    cleanup_free char *here = getcwd(NULL, 0);
    cleanup_free struct policy *policy = NULL;
    struct manifest *manifest;
    int status = TALLY_EXIT_FAILURE;

    if (!here)
        die_errno("cannot tell the current folder, and so not what belongs to the build");
    manifest = manifest_ambient(here);
    policy = policy_compile(manifest, &options.policy_size, &why);
    options.manifest = manifest;
    options.policy = policy;
    supervisor_run(&options, result);
    if (!result->run || result->log_kept)
        status = result->exit_status ? result->exit_status : TALLY_EXIT_FAILURE;
    else if (derive_run(DEFAULT_DATABASE, result->run, policy, true))
        status = 0;
    manifest_free(manifest);
    return status;
}

int manifest_init(char **argv, const struct suggest_settings *settings)
{
    cleanup_needs struct needs *needs = needs_new();
    struct run_result result = {0};
    int status;

    if (is_in_the_way(settings))
        return TALLY_EXIT_USAGE;
    status = audit(argv, &result);
    free(result.log_kept);
    if (status == 0)
        status = add_database(needs, DEFAULT_DATABASE, result.run);
    if (status == 0)
        status = write_manifest(needs, settings);
    return status ? status : result.exit_status;
}
