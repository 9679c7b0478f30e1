/* SPDX-License-Identifier: MIT */
#include "judged_run.h"

#include <string.h>

#include "analyzer.h"
#include "buffer.h"
#include "cleanup.h"
#include "database.h"
#include "manifest.h"
#include "tallyman/status.h"

const char blind_spot_choices[] =
#define BLIND_SPOT(id, name, text, remedy) "|" name
#include "tallyman/blind_spots.def"
#undef BLIND_SPOT
    ;

static void cleanup_manifest_pointer(struct manifest **manifest)
{
    manifest_free(*manifest);
}
#define cleanup_manifest __attribute__((cleanup(cleanup_manifest_pointer)))

/* The folder of the run's manifest: a relative root starts there. */
static char *manifest_folder(const struct analysis *analysis)
{
    const struct text *path = &analysis->manifest;
    char *folder = path->bytes[0] == '/' ? xstrdup(path->bytes)
                                         : xprintf("%s/%s", analysis->cwd.bytes, path->bytes);

    *strrchr(folder, '/') = '\0';
    return folder;
}

/* The manifest that the run had, from its text in the database. */
static struct manifest *stored_manifest(sqlite3 *db, const struct analysis *analysis,
                                        struct buffer *errors)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT manifest_text FROM run WHERE id = ?1");
    cleanup_free char *folder = NULL;
    const char *text;

    if (!analysis->manifest.bytes)
        return manifest_ambient(analysis->root.bytes);
    if (row)
        sqlite3_bind_int64(row, 1, analysis->run);
    if (!row || sqlite3_step(row) != SQLITE_ROW || sqlite3_column_type(row, 0) == SQLITE_NULL) {
        buffer_add_text(errors,
                        "the database does not hold the run's manifest; name one with -m\n");
        return NULL;
    }
    text = (const char *)sqlite3_column_text(row, 0);
    folder = manifest_folder(analysis);
    return manifest_parse(analysis->manifest.bytes, text, (size_t)sqlite3_column_bytes(row, 0),
                          *folder ? folder : "/", errors);
}

const char *judged_run_reason(sqlite3 *db, int result)
{
    return result == TALLY_ERR_DATABASE ? sqlite3_errmsg(db) : tally_strstatus(result);
}

/* Judges in temporary tables; takes the manifest, NULL after errors that are in `errors`. */
static int judge_by(sqlite3 *db, int64_t run, struct manifest *owned, struct buffer *errors)
{
    cleanup_manifest struct manifest *manifest = owned;
    cleanup_free struct policy *policy = NULL;
    size_t size;
    int result;

    if (manifest)
        policy = policy_compile(manifest, &size, errors);
    if (!policy) {
        fputs(errors->data ? errors->data : "", stderr);
        return TALLY_EXIT_USAGE;
    }
    result = analyzer_shadow(db, run);
    if (result == 0)
        result = analyzer_judge(db, run, policy);
    if (result == 0)
        return 0;
    warn("cannot judge the run: %s", judged_run_reason(db, result));
    return TALLY_EXIT_FAILURE;
}

static int load(struct judged_run *judged, int64_t run)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;

    analysis_free(judged->analysis);
    judged->analysis = analysis_load(judged->db, run, &why);
    if (judged->analysis)
        return 0;
    warn("%s", why.data);
    return TALLY_EXIT_FAILURE;
}

static int load_judged_by(struct judged_run *judged, int64_t run, const char *path)
{
    cleanup_buffer struct buffer errors = BUFFER_INIT;
    int status = judge_by(judged->db, run, manifest_load(path, &errors), &errors);

    if (status == 0)
        status = load(judged, run);
    if (status == 0)
        judged->analysis->manifest = (struct text){path, strlen(path)};
    return status;
}

/* A policy has a rule at least. */
static bool has_verdicts(sqlite3 *db, int64_t run)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT EXISTS (SELECT 1 FROM rule WHERE run = ?1)");

    return row && sqlite3_bind_int64(row, 1, run) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW &&
           sqlite3_column_int(row, 0);
}

static struct manifest *manifest_of_run(sqlite3 *db, int64_t run, struct buffer *why)
{
    struct analysis *analysis = analysis_load_run(db, run, why);
    struct manifest *manifest = analysis ? stored_manifest(db, analysis, why) : NULL;

    analysis_free(analysis);
    return manifest;
}

/* As the database has it; where its run was never judged, by the manifest that the run had. */
static int load_as_it_is(struct judged_run *judged, int64_t run)
{
    cleanup_buffer struct buffer errors = BUFFER_INIT;
    int status = 0;

    if (!has_verdicts(judged->db, run))
        status = judge_by(judged->db, run, manifest_of_run(judged->db, run, &errors), &errors);
    return status ? status : load(judged, run);
}

struct policy *judged_run_policy(sqlite3 *db, int64_t run, struct buffer *why)
{
    cleanup_manifest struct manifest *manifest = manifest_of_run(db, run, why);
    size_t size;

    return manifest ? policy_compile(manifest, &size, why) : NULL;
}

/* Opens the database and replaces `run` by the id of a run that is there. */
static int open_run(struct judged_run *judged, const char *database, int64_t *run)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;
    int status = TALLY_EXIT_FAILURE;
    int64_t result;

    *judged = (struct judged_run){NULL, NULL};
    result =
        database_open(database ? database : DEFAULT_DATABASE, DATABASE_READ, &judged->db, &why);
    if (result == 0) {
        result = analysis_find_run(judged->db, *run, &why);
        /* Asking for a run that is not there is wrong usage; all else is the user's world. */
        if (*run && result == TALLY_ERR_NOT_FOUND)
            status = TALLY_EXIT_USAGE;
    }
    if (result < 0) {
        warn("%s", why.data);
        return status;
    }
    *run = result;
    return 0;
}

int judged_run_open(struct judged_run *judged, const char *database, int64_t run,
                    const char *manifest)
{
    int status = open_run(judged, database, &run);

    if (status)
        return status;
    return manifest ? load_judged_by(judged, run, manifest) : load_as_it_is(judged, run);
}

/* NULL when it is not known. */
static char *root_of_run(sqlite3 *db, int64_t run)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT root FROM run WHERE id = ?1");

    if (!row || sqlite3_bind_int64(row, 1, run) != SQLITE_OK || sqlite3_step(row) != SQLITE_ROW)
        return NULL;
    return xmemdup(sqlite3_column_blob(row, 0), (size_t)sqlite3_column_bytes(row, 0));
}

int judged_run_open_like(struct judged_run *judged, const char *database, int64_t run,
                         const struct judged_run *like, const char *manifest)
{
    cleanup_buffer struct buffer errors = BUFFER_INIT;
    cleanup_manifest struct manifest *theirs = NULL;
    cleanup_free char *root = NULL;
    int status = open_run(judged, database, &run);

    if (status)
        return status;
    theirs = manifest ? manifest_load(manifest, &errors)
                      : stored_manifest(like->db, like->analysis, &errors);
    root = root_of_run(judged->db, run);
    if (!root)
        buffer_printf(&errors, "tallyman: cannot read run %lld: %s\n", (long long)run,
                      sqlite3_errmsg(judged->db));
    status = judge_by(judged->db, run, theirs && root ? manifest_at(theirs, root, &errors) : NULL,
                      &errors);
    return status ? status : load(judged, run);
}

int judged_run_open_bare(struct judged_run *judged, const char *database, int64_t *run,
                         const char *file, struct manifest **manifest, struct buffer *why)
{
    int status = open_run(judged, database, run);

    *manifest = NULL;
    if (status)
        return status;
    *manifest = file ? manifest_load(file, why) : manifest_of_run(judged->db, *run, why);
    if (!file && has_verdicts(judged->db, *run))
        return 0;
    /* The judge takes the manifest, and the caller has his own. */
    return judge_by(judged->db, *run,
                    *manifest ? manifest_at(*manifest, manifest_root(*manifest), why) : NULL, why);
}

void judged_run_fini(struct judged_run *judged)
{
    analysis_free(judged->analysis);
    database_close(judged->db);
    *judged = (struct judged_run){NULL, NULL};
}

void judged_run_accept(struct judged_run *judged, const struct option_list *classes)
{
    for (int i = 0; i < classes->count; i++)
        analysis_accept(judged->analysis, classes->items[i]);
}

int judged_run_status(const struct analysis *analysis, bool strict)
{
    if (analysis_undeclared(analysis) > analysis_known(analysis) ||
        (strict && (analysis->unused_waiver_count || analysis->stale_count)))
        return TALLY_EXIT_FINDINGS;
    return analysis_suffices(analysis) ? TALLY_EXIT_CLEAN : TALLY_EXIT_INCOMPLETE;
}
