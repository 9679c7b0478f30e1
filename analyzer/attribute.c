/* SPDX-License-Identifier: MIT
 *
 * Fills subject.package.
 */
#include "analyzer.h"

#include <string.h>

#include "cleanup.h"
#include "database.h"
#include "packages.h"
#include "subjects.h"
#include "tallyman/status.h"

static bool is_file(const struct subject *subject)
{
    return subject->channel == CHANNEL_FILESYSTEM && subject->name.length > 0 &&
           subject->name.bytes[0] == '/';
}

static const struct maker {
    const char *path, *program;
} makers[] = {
#define MAKER(path, program) {path, program},
#include "makers.def"
#undef MAKER
};
#define MAKER_COUNT (sizeof makers / sizeof *makers)

/* What is asked: who has each file, and who has the program that makes it. */
struct inquiry {
    struct packages *packages;
    uint32_t *files;              /* by subject */
    uint32_t makers[MAKER_COUNT]; /* as in the list */
};

static const char *owner_by_maker(const struct inquiry *inquiry, const struct subject *subject)
{
    for (size_t i = 0; i < MAKER_COUNT; i++)
        if (strcmp(subject->name.bytes, makers[i].path) == 0)
            return packages_owner(inquiry->packages, inquiry->makers[i]);
    return NULL;
}

/* The package that has the name itself (a link, perhaps) before the one that has what it leads to.
 */
static const char *owner_of(const struct inquiry *inquiry, const struct subjects *subjects,
                            uint32_t number)
{
    const char *owner = packages_owner(inquiry->packages, inquiry->files[number]);
    uint32_t resolved = subjects->rows[number].resolved;

    if (!owner && resolved != MAP_NONE && is_file(&subjects->rows[resolved]))
        owner = packages_owner(inquiry->packages, inquiry->files[resolved]);
    if (!owner)
        owner = owner_by_maker(inquiry, &subjects->rows[number]);
    return owner ? owner : "";
}

static int write_owners(sqlite3 *db, const struct subjects *subjects, const struct inquiry *inquiry)
{
    cleanup_statement sqlite3_stmt *update =
        database_prepare(db, "UPDATE subject SET package = ? WHERE id = ?");

    if (!update)
        return TALLY_ERR_DATABASE;
    for (uint32_t i = 0; i < subjects->count; i++) {
        const struct subject *subject = &subjects->rows[i];
        const char *owner;

        if (!is_file(subject))
            continue;
        owner = owner_of(inquiry, subjects, i);
        if (subject->package.bytes && strcmp(owner, subject->package.bytes) == 0)
            continue;
        database_bind_bytes(update, 1, owner, strlen(owner));
        sqlite3_bind_int64(update, 2, subject->id);
        if (sqlite3_step(update) != SQLITE_DONE)
            return TALLY_ERR_DATABASE;
        sqlite3_reset(update);
    }
    return 0;
}

static int attribute(sqlite3 *db, const struct subjects *subjects, const char *root,
                     struct buffer *trouble)
{
    cleanup_free uint32_t *files = xcalloc(subjects->count, sizeof *files);
    struct inquiry inquiry = {.packages = packages_new(root), .files = files};
    int result;

    for (uint32_t i = 0; i < subjects->count; i++)
        if (is_file(&subjects->rows[i]))
            files[i] = packages_want(inquiry.packages, subjects->rows[i].name.bytes,
                                     subjects->rows[i].name.length);
    for (size_t i = 0; i < MAKER_COUNT; i++)
        inquiry.makers[i] =
            packages_want(inquiry.packages, makers[i].program, strlen(makers[i].program));
    packages_scan(inquiry.packages, trouble);
    result = write_owners(db, subjects, &inquiry);
    packages_free(inquiry.packages);
    return result;
}

int analyzer_attribute_under(sqlite3 *db, int64_t run, const char *root, struct buffer *trouble)
{
    struct memory *memory;
    struct subjects subjects;
    int result;

    /* Files are the same for all runs in the database; the newest state is written. */
    (void)run;
    if (database_execute(db, "SAVEPOINT tally_attribute") != 0)
        return TALLY_ERR_DATABASE;
    memory = memory_new();
    result = subjects_load(&subjects, db, memory);
    if (result == 0)
        result = attribute(db, &subjects, root, trouble);
    if (result != 0)
        database_execute(db, "ROLLBACK TO tally_attribute");
    if (database_execute(db, "RELEASE tally_attribute") != 0)
        result = TALLY_ERR_DATABASE;
    subjects_fini(&subjects);
    memory_free(memory);
    return result;
}

int analyzer_attribute(sqlite3 *db, int64_t run, struct buffer *trouble)
{
    return analyzer_attribute_under(db, run, "", trouble);
}
