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

/* The package that has the name itself (a link, perhaps) before the one that has what it leads to.
 */
static const char *owner_of(const struct packages *packages, const struct subjects *subjects,
                            const uint32_t *questions, uint32_t number)
{
    const char *owner = packages_owner(packages, questions[number]);
    uint32_t resolved = subjects->rows[number].resolved;

    if (!owner && resolved != MAP_NONE && is_file(&subjects->rows[resolved]))
        owner = packages_owner(packages, questions[resolved]);
    return owner ? owner : "";
}

static int write_owners(sqlite3 *db, const struct subjects *subjects,
                        const struct packages *packages, const uint32_t *questions)
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
        owner = owner_of(packages, subjects, questions, i);
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

static int attribute(sqlite3 *db, const struct subjects *subjects, const char *root)
{
    struct packages *packages = packages_new(root);
    cleanup_free uint32_t *questions = xcalloc(subjects->count, sizeof *questions);
    int result;

    for (uint32_t i = 0; i < subjects->count; i++)
        if (is_file(&subjects->rows[i]))
            questions[i] = packages_want(packages, subjects->rows[i].name.bytes,
                                         subjects->rows[i].name.length);
    result = packages_scan(packages);
    if (result == 0)
        result = write_owners(db, subjects, packages, questions);
    packages_free(packages);
    return result;
}

int analyzer_attribute_under(sqlite3 *db, int64_t run, const char *root)
{
    struct memory *memory;
    struct subjects subjects;
    int result;

    /* Files are the same for all runs in the database; the newest state of dpkg is written. */
    (void)run;
    if (database_execute(db, "SAVEPOINT tally_attribute") != 0)
        return TALLY_ERR_DATABASE;
    memory = memory_new();
    result = subjects_load(&subjects, db, memory);
    if (result == 0)
        result = attribute(db, &subjects, root);
    if (result != 0)
        database_execute(db, "ROLLBACK TO tally_attribute");
    if (database_execute(db, "RELEASE tally_attribute") != 0)
        result = TALLY_ERR_DATABASE;
    subjects_fini(&subjects);
    memory_free(memory);
    return result;
}

int analyzer_attribute(sqlite3 *db, int64_t run)
{
    return analyzer_attribute_under(db, run, "");
}
