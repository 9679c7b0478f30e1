/* SPDX-License-Identifier: MIT */
#include "artifact.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "database.h"
#include "made.h"
#include "operation.h"
#include "tallyman/status.h"

/* What an input needs: DECLARED ones are looked at, UNDECLARED ones are read. */
enum want { WANT_NOTHING, WANT_DECLARED, WANT_UNDECLARED };

#define NO_DIGEST SIZE_MAX

/* A file may be changed twice within one tick of the clock that its times are taken from. */
#define TICK_NS 2000000000

struct input {
    uint32_t subject;
    const char *hex;    /* the digest, as far as it is known already */
    const char *reason; /* why there is none */
    size_t digest;      /* of `survey.digests`, NO_DIGEST none */
    struct statx status;
};

struct survey {
    struct subjects subjects;
    struct memory *memory;
    int64_t started; /* Unix time in ns */
    struct text database;
    struct artifacts earlier; /* of the run before */
    int64_t earlier_end;      /* Unix time in ns */
    unsigned char *wants;     /* enum want by subject */
    struct input *inputs;
    size_t input_count;
    struct file_digest *digests;
    size_t digest_count;
    struct map inodes; /* device and number -> digest */
};

static const char *const reasons[] = {
    [FILE_DIGEST_LARGE] = "large",
    [FILE_DIGEST_UNREADABLE] = "unreadable",
    [FILE_DIGEST_BUSY] = "busy",
    [FILE_DIGEST_SPECIAL] = "special",
};

static uint32_t target_of(const struct subjects *subjects, uint32_t subject)
{
    uint32_t resolved = subjects->rows[subject].resolved;

    return resolved == MAP_NONE ? subject : resolved;
}

/* The database of runs is written by us while the build runs, and so are the files beside it. */
static bool is_database(const struct survey *survey, struct text path)
{
    struct text name = survey->database;

    return name.length && path.length >= name.length &&
           memcmp(path.bytes, name.bytes, name.length) == 0 &&
           (path.length == name.length || path.bytes[name.length] == '-');
}

static void want(struct survey *survey, uint32_t subject, bool declared)
{
    uint32_t target = target_of(&survey->subjects, subject);
    struct text path = survey->subjects.rows[target].name;
    enum want wanted = declared ? WANT_DECLARED : WANT_UNDECLARED;

    if (path.length && path.bytes[0] == '/' && !is_database(survey, path) &&
        survey->wants[target] < wanted)
        survey->wants[target] = (unsigned char)wanted;
}

static int select_inputs(struct survey *survey, sqlite3 *db, int64_t run)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT s.subject, min(s.first), max(j.verdict IN (1, 2))"
                             " FROM access_summary s LEFT JOIN judgement j ON j.summary = s.id"
                             " WHERE s.run = ?1 AND s.operation IN (?2, ?3, ?4) AND s.outcome = 0"
                             " GROUP BY s.subject");
    struct made made = {0};
    int code, result;

    if (!row)
        return TALLY_ERR_DATABASE;
    result = made_load(&made, db, run, &survey->subjects);
    survey->wants = xcalloc(survey->subjects.count, 1);
    sqlite3_bind_int64(row, 1, run);
    sqlite3_bind_int(row, 2, EVENT_READ);
    sqlite3_bind_int(row, 3, EVENT_EXECUTE);
    sqlite3_bind_int(row, 4, EVENT_LOAD);
    while (result == 0 && (code = sqlite3_step(row)) != SQLITE_DONE) {
        uint32_t subject;

        if (code != SQLITE_ROW) {
            result = TALLY_ERR_DATABASE;
            break;
        }
        subject = subjects_find(&survey->subjects, sqlite3_column_int64(row, 0));
        if (subject != MAP_NONE &&
            !made_before(&made, subject, sqlite3_column_int64(row, 1), false))
            want(survey, subject, sqlite3_column_int(row, 2) == 0);
    }
    made_fini(&made);
    return result;
}

static int64_t nanoseconds(const struct statx_timestamp *time)
{
    return time->tv_sec * 1000000000 + time->tv_nsec;
}

/* The number of the digest for this file, one for all names that it has. */
static size_t digest_for(struct survey *survey, const struct input *input)
{
    const struct statx *status = &input->status;
    struct map_key key = {(uint64_t)status->stx_dev_major << 32 | status->stx_dev_minor,
                          status->stx_ino};
    uint32_t *slot = map_slot(&survey->inodes, key);

    if (*slot != MAP_NONE)
        return *slot;
    *slot = (uint32_t)survey->digest_count;
    survey->digests[survey->digest_count] = (struct file_digest){
        .path = survey->subjects.rows[input->subject].name.bytes,
        .size = (int64_t)status->stx_size,
    };
    return survey->digest_count++;
}

static int64_t born(const struct statx *status)
{
    return status->stx_mask & STATX_BTIME ? nanoseconds(&status->stx_btime) : 0;
}

/* What the run before has for the file, where it is the same; else NULL. */
static const char *earlier_digest(const struct survey *survey, const struct input *input)
{
    const struct artifact *earlier =
        artifacts_find(&survey->earlier, &survey->subjects, input->subject);
    const struct statx *status = &input->status;

    if (!earlier || earlier->digest.length != FILE_DIGEST_LENGTH ||
        earlier->size != (int64_t)status->stx_size ||
        earlier->changed != nanoseconds(&status->stx_ctime) ||
        earlier->modified != nanoseconds(&status->stx_mtime) || earlier->born != born(status) ||
        earlier->changed > survey->earlier_end - TICK_NS)
        return NULL;
    return earlier->digest.bytes;
}

static void look_at(struct survey *survey, uint32_t subject)
{
    struct input *input = &survey->inputs[survey->input_count];

    *input = (struct input){.subject = subject, .digest = NO_DIGEST};
    if (statx(AT_FDCWD, survey->subjects.rows[subject].name.bytes,
              AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_BASIC_STATS | STATX_BTIME,
              &input->status) != 0 ||
        !S_ISREG(input->status.stx_mode))
        return;
    if (survey->wants[subject] == WANT_UNDECLARED) {
        input->hex = earlier_digest(survey, input);
        if (!input->hex)
            input->digest = digest_for(survey, input);
    } else if (nanoseconds(&input->status.stx_ctime) > survey->started) {
        input->reason = "declared";
    } else {
        return;
    }
    survey->input_count++;
}

static void look_at_all(struct survey *survey, file_digest_progress progress)
{
    uint32_t count = survey->subjects.count;

    survey->inputs = xcalloc(count, sizeof *survey->inputs);
    survey->digests = xcalloc(count, sizeof *survey->digests);
    for (uint32_t i = 0; i < count; i++)
        if (survey->wants[i])
            look_at(survey, i);
    file_digests(survey->digests, survey->digest_count, progress);
    for (size_t i = 0; i < survey->input_count; i++) {
        struct input *input = &survey->inputs[i];
        const struct file_digest *digest =
            input->digest == NO_DIGEST ? NULL : &survey->digests[input->digest];

        if (digest && digest->state == FILE_DIGEST_DONE)
            input->hex = digest->hex;
        else if (digest)
            input->reason = reasons[digest->state];
    }
}

static bool insert(sqlite3_stmt *statement, const struct survey *survey, const struct input *input)
{
    const struct statx *status = &input->status;

    sqlite3_bind_int64(statement, 2, survey->subjects.rows[input->subject].id);
    sqlite3_bind_int64(statement, 3, (int64_t)status->stx_size);
    sqlite3_bind_text(statement, 4, input->hex, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 5, input->reason, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 6, nanoseconds(&status->stx_ctime));
    sqlite3_bind_int64(statement, 7, nanoseconds(&status->stx_mtime));
    if (status->stx_mask & STATX_BTIME)
        sqlite3_bind_int64(statement, 8, nanoseconds(&status->stx_btime));
    else
        sqlite3_bind_null(statement, 8);
    if (sqlite3_step(statement) != SQLITE_DONE)
        return false;
    sqlite3_reset(statement);
    return true;
}

static int write_rows(const struct survey *survey, sqlite3 *db, int64_t run)
{
    cleanup_statement sqlite3_stmt *statement = database_prepare(
        db, "INSERT OR REPLACE INTO artifact (run, subject, size, digest, reason, changed,"
            " modified, born) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");

    if (!statement)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(statement, 1, run);
    for (size_t i = 0; i < survey->input_count; i++)
        if (!survey->inputs[i].reason || strcmp(survey->inputs[i].reason, "special") != 0)
            if (!insert(statement, survey, &survey->inputs[i]))
                return TALLY_ERR_DATABASE;
    return 0;
}

static int write_all(const struct survey *survey, sqlite3 *db, int64_t run)
{
    int result = database_execute(db, "BEGIN IMMEDIATE");

    if (result)
        return result;
    result = write_rows(survey, db, run);
    if (result == 0)
        result = database_execute(db, "COMMIT");
    if (result)
        database_execute(db, "ROLLBACK");
    return result;
}

/* What the run before left in the database. */
static int load_earlier(struct survey *survey, sqlite3 *db, int64_t run)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT id, ended FROM run WHERE id = (SELECT max(run) FROM artifact WHERE run < ?1)");

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run);
    if (sqlite3_step(row) != SQLITE_ROW)
        return 0;
    survey->earlier_end = sqlite3_column_int64(row, 1);
    return artifacts_load(&survey->earlier, db, sqlite3_column_int64(row, 0), &survey->subjects,
                          survey->memory);
}

static int load_start(struct survey *survey, sqlite3 *db, int64_t run)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT started FROM run WHERE id = ?1");
    const char *name = sqlite3_db_filename(db, "main");
    cleanup_free char *path = name && *name ? realpath(name, NULL) : NULL;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run);
    if (sqlite3_step(row) != SQLITE_ROW)
        return TALLY_ERR_NOT_FOUND;
    survey->started = sqlite3_column_int64(row, 0);
    if (path)
        survey->database =
            (struct text){memory_copy(survey->memory, path, strlen(path)), strlen(path)};
    return 0;
}

int artifacts_record(sqlite3 *db, int64_t run, file_digest_progress progress)
{
    struct survey survey = {.memory = memory_new()};
    int result = load_start(&survey, db, run);

    if (result == 0)
        result = subjects_load(&survey.subjects, db, survey.memory);
    if (result == 0)
        result = load_earlier(&survey, db, run);
    if (result == 0)
        result = select_inputs(&survey, db, run);
    if (result == 0) {
        look_at_all(&survey, progress);
        result = write_all(&survey, db, run);
    }
    free(survey.wants);
    free(survey.inputs);
    free(survey.digests);
    map_fini(&survey.inodes);
    artifacts_fini(&survey.earlier);
    subjects_fini(&survey.subjects);
    memory_free(survey.memory);
    return result;
}

static void take_row(struct artifacts *artifacts, uint32_t subject, sqlite3_stmt *row,
                     struct memory *memory)
{
    uint32_t number = artifacts->count++;
    struct text digest = text_of_column(memory, row, 1);

    if ((number & (number - 1)) == 0)
        artifacts->rows =
            xrealloc(artifacts->rows, (number ? number * 2ul : 1ul) * sizeof *artifacts->rows);
    artifacts->rows[number] = (struct artifact){
        .subject = subject,
        .digest = digest.bytes ? digest : (struct text){"", 0},
        .changed = sqlite3_column_int64(row, 2),
        .modified = sqlite3_column_int64(row, 3),
        .born = sqlite3_column_int64(row, 4),
        .size = sqlite3_column_int64(row, 5),
    };
    *map_slot(&artifacts->numbers, (struct map_key){0, subject}) = number;
}

int artifacts_load(struct artifacts *artifacts, sqlite3 *db, int64_t run,
                   const struct subjects *subjects, struct memory *memory)
{
    cleanup_statement sqlite3_stmt *row = NULL;
    int code;

    *artifacts = (struct artifacts){0};
    /* A database of an earlier version has no such table. */
    if (sqlite3_table_column_metadata(db, "main", "artifact", "born", NULL, NULL, NULL, NULL,
                                      NULL) != SQLITE_OK)
        return 0;
    row = database_prepare(
        db, "SELECT subject, digest, changed, modified, born, size FROM artifact WHERE run = ?1");
    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        uint32_t subject = subjects_find(subjects, sqlite3_column_int64(row, 0));

        if (subject != MAP_NONE)
            take_row(artifacts, subject, row, memory);
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

void artifacts_fini(struct artifacts *artifacts)
{
    free(artifacts->rows);
    map_fini(&artifacts->numbers);
    *artifacts = (struct artifacts){0};
}

const struct artifact *artifacts_find(const struct artifacts *artifacts,
                                      const struct subjects *subjects, uint32_t subject)
{
    uint32_t number =
        map_get(&artifacts->numbers, (struct map_key){0, target_of(subjects, subject)});

    return number == MAP_NONE ? NULL : &artifacts->rows[number];
}

void artifacts_show(const struct artifacts *artifacts, const struct subjects *subjects,
                    struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->finding_count; i++) {
        struct analysis_finding *finding = &analysis->findings[i];

        for (size_t j = 0; finding->channel == CHANNEL_FILESYSTEM && j < finding->member_count;
             j++) {
            struct analysis_member *member = &finding->members[j];
            const struct artifact *artifact =
                artifacts_find(artifacts, subjects, member->subject_number);

            if (artifact)
                member->digest = artifact->digest;
        }
    }
}
