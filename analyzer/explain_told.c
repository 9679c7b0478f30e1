/* SPDX-License-Identifier: MIT */
#include "explain_told.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "database.h"
#include "tallyman/status.h"

static bool is_derived(enum category_id category)
{
    return category == CATEGORY_INPUT_CHANGED || category == CATEGORY_SURVIVOR;
}

/* The name of such a category, or what can be a fingerprint. */
static bool may_mean(const char *asked)
{
    for (int i = 0; i < CATEGORY_COUNT; i++)
        if (is_derived((enum category_id)i) &&
            strcmp(category_of_id((enum category_id)i)->name, asked) == 0)
            return true;
    return explain_is_fingerprint(asked, strlen(asked));
}

static bool is_meant(const struct analysis_finding *finding, const char *asked)
{
    if (!is_derived(finding->category->id))
        return false;
    return strcmp(finding->category->name, asked) == 0 ||
           (explain_is_fingerprint(asked, strlen(asked)) &&
            strncmp(finding->fingerprint, asked, strlen(asked)) == 0);
}

static void add_finding(struct explanation *explanation, const struct analysis_finding *finding)
{
    explanation->told =
        xrealloc(explanation->told, (explanation->told_count + 1) * sizeof *explanation->told);
    explanation->told[explanation->told_count++] = finding;
}

static int add_members(struct finding_subjects *found, sqlite3 *db,
                       const struct analysis_finding *finding)
{
    cleanup_statement sqlite3_stmt *row =
        database_prepare(db, "SELECT id FROM subject WHERE channel = ?1 AND name = ?2");

    if (!row)
        return TALLY_ERR_DATABASE;
    for (size_t i = 0; i < finding->member_count; i++) {
        struct text name = finding->members[i].subject;

        if (finding->channel != CHANNEL_FILESYSTEM)
            continue;
        sqlite3_bind_int(row, 1, CHANNEL_FILESYSTEM);
        database_bind_bytes(row, 2, name.bytes, name.length);
        if (sqlite3_step(row) == SQLITE_ROW)
            finding_subjects_add(found, sqlite3_column_int64(row, 0));
        sqlite3_reset(row);
    }
    return 0;
}

int explain_told(struct explanation *explanation, struct finding_subjects *found, sqlite3 *db,
                 const char *asked, struct buffer *why)
{
    cleanup_buffer struct buffer trouble = BUFFER_INIT;
    int result = 0;

    if (!may_mean(asked))
        return TALLY_ERR_NOT_FOUND;
    explanation->whole = analysis_load(db, explanation->analysis->run, &trouble);
    if (!explanation->whole)
        return TALLY_ERR_DATABASE;
    finding_subjects_fini(found);
    for (size_t i = 0; i < explanation->whole->finding_count && result == 0; i++) {
        const struct analysis_finding *finding = &explanation->whole->findings[i];

        if (!is_meant(finding, asked))
            continue;
        add_finding(explanation, finding);
        result = add_members(found, db, finding);
    }
    if (result == 0 && !explanation->told_count)
        return TALLY_ERR_NOT_FOUND;
    buffer_clear(why);
    finding_subjects_settle(found, explain_is_fingerprint(asked, strlen(asked)) ? FOUND_FINGERPRINT
                                                                                : FOUND_CATEGORY);
    found->all = true;
    return result;
}
