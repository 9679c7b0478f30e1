/* SPDX-License-Identifier: MIT
 *
 * First the records of the witness are read, which are few where it fills gaps. They say what has
 * to be known of all the others, which are then read once.
 */
#include "sources.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "die.h"
#include "operation.h"
#include "tallyman/status.h"

/* What the shim saw of one subject in one process. Found: more than "there is no such name". */
#define FOUND(class)  (1u << (class))
#define ABSENT(class) (1u << ((class) + 8))
#define FOUND_ANY     0x00ffu
#define ABSENT_ANY    0xff00u
#define LOADED        0x10000u

/* The numbers of the subjects are found when the survey begins; MAP_NONE: not in this database. */
struct implied {
    enum event_kind kind, by_kind;
    const char *subject_name, *by_name;
    uint32_t subject, by;
};

static const struct implied implied[] = {
#define IMPLIED(kind, subject, by_kind, by_subject)                                                \
    {EVENT_##kind, EVENT_##by_kind, subject, by_subject, MAP_NONE, MAP_NONE},
#include "implied.def"
#undef IMPLIED
};
#define IMPLIED_COUNT (sizeof implied / sizeof *implied)

/* Second halves of the keys in `wanted`; a kind of event asks for records of that kind. */
enum { WANT_USE = 0, WANT_BELOW = EVENT_KIND_COUNT, WANT_TARGET };

#define NOT_KNOWN (MAP_NONE - 1)

struct survey {
    const struct subjects *subjects;
    const struct processes *processes;
    struct witnessed *rows;
    size_t count;
    struct map wanted;    /* (process and subject, WANT_*) -> what was found out */
    struct names folders; /* names that the witness saw looked at */
    uint32_t *folder;     /* -> their subjects */
    uint32_t *above;      /* by subject: the next of them above it, MAP_NONE, NOT_KNOWN */
    struct implied implied[IMPLIED_COUNT];
    int64_t *births; /* by process: when it was called into being, 0 not known */
};

static struct map_key key_of(uint32_t process, uint32_t subject, int want)
{
    return (struct map_key){(uint64_t)process << 32 | subject, (uint64_t)want};
}

static bool is_absent(int outcome)
{
    return outcome == ENOENT || outcome == ENOTDIR;
}

static int want_of(enum event_kind kind)
{
    return operation_class(kind) == ACCESS_QUERY ? (int)kind : WANT_USE;
}

static bool is_look(const struct witnessed *row)
{
    return operation_class(row->kind) == ACCESS_LOOK;
}

static uint32_t target_of(const struct subjects *subjects, uint32_t subject)
{
    uint32_t resolved = subjects->rows[subject].resolved;

    return resolved == MAP_NONE ? subject : resolved;
}

static bool same_text(struct text one, struct text other)
{
    return one.length == other.length && one.bytes && other.bytes &&
           memcmp(one.bytes, other.bytes, one.length) == 0;
}

/* --- the records ---------------------------------------------------------------------------- */

typedef void (*row_taker)(struct survey *survey, const struct witnessed *row, bool witness);

/* Calls `take` for the accesses of the run, those of the witness alone or all. */
static int each_row(struct survey *survey, sqlite3 *db, int64_t run, bool witness, row_taker take)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT process, operation, subject, outcome, first, source FROM access"
            " WHERE process IN (SELECT id FROM process WHERE run = ?1) AND source >= ?2");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int64(row, 1, run);
    sqlite3_bind_int(row, 2, witness);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        int64_t operation = sqlite3_column_int64(row, 1);
        struct witnessed access = {
            .process = processes_find(survey->processes, sqlite3_column_int64(row, 0)),
            .subject = subjects_find(survey->subjects, sqlite3_column_int64(row, 2)),
            .outcome = sqlite3_column_int(row, 3),
            .first = sqlite3_column_int64(row, 4),
        };

        if (!operation_is_access(operation) || access.process == MAP_NONE ||
            access.subject == MAP_NONE)
            continue;
        access.kind = (enum event_kind)operation;
        take(survey, &access, sqlite3_column_int(row, 5) != 0);
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

static bool is_birth(const struct survey *survey, const struct witnessed *row)
{
    struct text exe = survey->processes->rows[row->process].exe;
    uint32_t target = target_of(survey->subjects, row->subject);

    return row->kind == EVENT_EXECUTE && row->outcome == 0 &&
           (same_text(survey->subjects->rows[row->subject].name, exe) ||
            same_text(survey->subjects->rows[target].name, exe));
}

static void keep_row(struct survey *survey, const struct witnessed *row, bool witness)
{
    size_t number = survey->count++;
    int64_t *birth = &survey->births[row->process];

    (void)witness;
    if ((number & (number - 1)) == 0)
        survey->rows = xrealloc(survey->rows, (number ? number * 2 : 1) * sizeof *survey->rows);
    survey->rows[number] = *row;
    if (is_birth(survey, row) && (*birth == 0 || row->first < *birth))
        *birth = row->first;
}

/* --- what has to be known ------------------------------------------------------------------- */

static void want(struct survey *survey, uint32_t process, uint32_t subject, int what)
{
    *map_slot(&survey->wanted, key_of(process, subject, what)) = 0;
}

/* The process under which the shim may have noted it instead, ANALYSIS_NONE if none. */
static uint32_t noted_under(const struct survey *survey, const struct witnessed *row)
{
    if (row->kind != EVENT_EXECUTE && row->first > survey->births[row->process])
        return ANALYSIS_NONE;
    return survey->processes->rows[row->process].parent;
}

static void add_folder(struct survey *survey, uint32_t subject)
{
    struct text name = survey->subjects->rows[subject].name;
    size_t before = survey->folders.count;

    names_add(&survey->folders, name.bytes, name.length);
    if (survey->folders.count == before)
        return;
    if ((before & (before - 1)) == 0)
        survey->folder =
            xrealloc(survey->folder, (before ? before * 2 : 1) * sizeof *survey->folder);
    survey->folder[before] = subject;
}

/* The next one that may confirm the row, from `at` on; NULL none. */
static const struct implied *next_implied(const struct survey *survey, const struct witnessed *row,
                                          size_t *at)
{
    while (*at < IMPLIED_COUNT) {
        const struct implied *entry = &survey->implied[(*at)++];

        if (entry->kind == row->kind && entry->subject == row->subject && entry->by != MAP_NONE)
            return entry;
    }
    return NULL;
}

static void want_implied(struct survey *survey, const struct witnessed *row)
{
    const struct implied *entry;

    for (size_t at = 0; (entry = next_implied(survey, row, &at));)
        want(survey, row->process, entry->by, want_of(entry->by_kind));
}

static void want_all(struct survey *survey)
{
    for (size_t i = 0; i < survey->count; i++) {
        const struct witnessed *row = &survey->rows[i];
        uint32_t other = noted_under(survey, row);

        want(survey, row->process, row->subject, want_of(row->kind));
        if (other != ANALYSIS_NONE)
            want(survey, other, row->subject, want_of(row->kind));
        want_implied(survey, row);
        if (!is_look(row))
            continue;
        want(survey, row->process, row->subject, WANT_BELOW);
        want(survey, row->process, target_of(survey->subjects, row->subject), WANT_TARGET);
        add_folder(survey, row->subject);
    }
}

/* --- what the others say -------------------------------------------------------------------- */

/* Adds what was found out, where somebody wants to know. */
static void tell(struct survey *survey, uint32_t process, uint32_t subject, int what, uint32_t bits)
{
    struct map_key key = key_of(process, subject, what);
    uint32_t known = map_get(&survey->wanted, key);

    if (known != MAP_NONE && (known | bits) != known)
        *map_slot(&survey->wanted, key) = known | bits;
}

static uint32_t find_above(const struct survey *survey, uint32_t subject)
{
    struct text name = survey->subjects->rows[subject].name;

    if (name.length < 2 || name.bytes[0] != '/')
        return MAP_NONE;
    for (size_t at = name.length - 1;; at--) {
        uint32_t number;

        if (name.bytes[at] != '/')
            continue;
        number = names_find(&survey->folders, name.bytes, at ? at : 1);
        if (number != MAP_NONE)
            return survey->folder[number];
        if (at == 0)
            return MAP_NONE;
    }
}

static void tell_above(struct survey *survey, uint32_t process, uint32_t subject)
{
    while (subject != MAP_NONE) {
        if (survey->above[subject] == NOT_KNOWN)
            survey->above[subject] = find_above(survey, subject);
        subject = survey->above[subject];
        if (subject != MAP_NONE)
            tell(survey, process, subject, WANT_BELOW, 1);
    }
}

static uint32_t bits_of(const struct witnessed *row)
{
    enum access_class class = operation_class(row->kind);
    uint32_t bits = row->outcome == ENOENT ? 0 : FOUND(class);

    if (is_absent(row->outcome))
        bits |= ABSENT(class);
    if (row->kind == EVENT_LOAD)
        bits |= LOADED;
    return bits;
}

static void take_use(struct survey *survey, const struct witnessed *row, bool witness)
{
    uint32_t target = target_of(survey->subjects, row->subject);

    if (operation_channel(row->kind) == CHANNEL_FILESYSTEM) {
        tell_above(survey, row->process, row->subject);
        if (target != row->subject)
            tell_above(survey, row->process, target);
    }
    if (witness)
        return;
    tell(survey, row->process, row->subject, want_of(row->kind), bits_of(row));
    tell(survey, row->process, target, WANT_TARGET, 1);
}

/* --- the decision --------------------------------------------------------------------------- */

static uint32_t told(const struct survey *survey, uint32_t process, uint32_t subject, int what)
{
    uint32_t bits = map_get(&survey->wanted, key_of(process, subject, what));

    return bits == MAP_NONE ? 0 : bits;
}

/* Opening a folder is the first half of listing it, mapping a library begins with opening it. */
static bool covers(uint32_t bits, const struct witnessed *row)
{
    enum access_class class = operation_class(row->kind);
    uint32_t same = FOUND(class);

    if (is_absent(row->outcome)) {
        if (bits & ABSENT_ANY)
            return true;
    } else {
        bits &= FOUND_ANY | LOADED;
    }
    if (class == ACCESS_LOOK)
        same = FOUND_ANY;
    else if (class == ACCESS_READ || class == ACCESS_LIST)
        same = FOUND(ACCESS_READ) | FOUND(ACCESS_LIST) | LOADED;
    return (bits & same) != 0;
}

static bool is_implied(const struct survey *survey, const struct witnessed *row)
{
    const struct implied *entry;

    for (size_t at = 0; (entry = next_implied(survey, row, &at));)
        if (told(survey, row->process, entry->by, want_of(entry->by_kind)))
            return true;
    return false;
}

static bool is_confirmed(const struct survey *survey, const struct witnessed *row)
{
    int what = want_of(row->kind);
    uint32_t other = noted_under(survey, row);

    if (covers(told(survey, row->process, row->subject, what), row))
        return true;
    if (other != ANALYSIS_NONE && covers(told(survey, other, row->subject, what), row))
        return true;
    if (is_implied(survey, row))
        return true;
    return is_look(row) &&
           (told(survey, row->process, row->subject, WANT_BELOW) ||
            told(survey, row->process, target_of(survey->subjects, row->subject), WANT_TARGET));
}

/* The outcome takes part as a whole, so that a nonsensical one is no other's. */
static struct map_key row_key(const struct witnessed *row)
{
    return (struct map_key){(uint64_t)row->process << 32 | row->subject,
                            (uint64_t)row->kind << 32 | (uint32_t)row->outcome};
}

static void decide(struct sources *sources, const struct survey *survey)
{
    for (size_t i = 0; i < survey->count; i++) {
        const struct witnessed *row = &survey->rows[i];

        if (is_confirmed(survey, row))
            *map_slot(&sources->confirmed, row_key(row)) = 1;
    }
}

static bool is_subject(const struct subject *subject, enum event_kind kind, const char *name)
{
    return subject->channel == operation_channel(kind) && strcmp(subject->name.bytes, name) == 0;
}

static void find_implied(struct survey *survey)
{
    memcpy(survey->implied, implied, sizeof implied);
    for (uint32_t i = 0; i < survey->subjects->count; i++) {
        const struct subject *subject = &survey->subjects->rows[i];

        for (size_t j = 0; j < IMPLIED_COUNT; j++) {
            struct implied *entry = &survey->implied[j];

            if (is_subject(subject, entry->kind, entry->subject_name))
                entry->subject = i;
            if (is_subject(subject, entry->by_kind, entry->by_name))
                entry->by = i;
        }
    }
}

static void survey_init(struct survey *survey)
{
    uint32_t subjects = survey->subjects->count;

    survey->births = xcalloc(survey->processes->count, sizeof *survey->births);
    survey->above = xmalloc(subjects * sizeof *survey->above);
    for (uint32_t i = 0; i < subjects; i++)
        survey->above[i] = NOT_KNOWN;
}

static void survey_fini(struct survey *survey)
{
    free(survey->rows);
    free(survey->folder);
    free(survey->above);
    free(survey->births);
    map_fini(&survey->wanted);
    names_fini(&survey->folders);
}

int sources_load(struct sources *sources, sqlite3 *db, int64_t run, const struct subjects *subjects,
                 const struct processes *processes)
{
    struct survey survey = {.subjects = subjects, .processes = processes};
    int result;

    *sources = (struct sources){0};
    survey_init(&survey);
    result = each_row(&survey, db, run, true, keep_row);
    if (result == 0 && survey.count) {
        find_implied(&survey);
        want_all(&survey);
        result = each_row(&survey, db, run, false, take_use);
        decide(sources, &survey);
    }
    survey_fini(&survey);
    return result;
}

void sources_fini(struct sources *sources)
{
    map_fini(&sources->confirmed);
}

bool sources_confirmed(const struct sources *sources, const struct witnessed *access)
{
    return map_get(&sources->confirmed, row_key(access)) != MAP_NONE;
}
