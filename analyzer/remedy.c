/* SPDX-License-Identifier: MIT */
#include "remedy.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "category.h"
#include "cleanup.h"
#include "database.h"
#include "declaration.h"
#include "memory.h"
#include "processes.h"
#include "quote.h"
#include "tallyman/status.h"

#define MOST_PROGRAMS 3 /* named in one sentence */

struct fix {
    enum category_id category;
    const char *program, *remedy;
};

static const struct fix fixes[] = {
#define FIX(category, program, remedy) {CATEGORY_##category, program, remedy},
#include "fixes.def"
#undef FIX
};

static const struct fix fetchers[] = {
#define FETCHER(program, remedy) {CATEGORY_REMOTE_HOST, program, remedy},
#include "fetchers.def"
#undef FETCHER
};

static const struct variable {
    enum category_id category;
    const char *name, *remedy;
} variables[] = {
#define VARIABLE_FOR(category, name, remedy) {CATEGORY_##category, name, remedy},
#include "variables.def"
#undef VARIABLE_FOR
};
#define VARIABLE_COUNT (sizeof variables / sizeof *variables)

/* Which processes asked for which of the variables; all NULL where that is not known. */
struct askers {
    bool *asked[VARIABLE_COUNT]; /* by process */
};

static void add_sentence(struct buffer *out, const char *text)
{
    if (out->length)
        buffer_add_char(out, ' ');
    buffer_add_text(out, text);
}

static bool is_named(const struct analysis_users *user, const char *pattern)
{
    cleanup_free char *name = xmemdup(user->program.bytes, user->program.length);

    return fnmatch(pattern, name, 0) == 0;
}

static bool has_program(const struct analysis_users *users, size_t count, const char *pattern)
{
    for (size_t i = 0; i < count; i++)
        if (is_named(&users[i], pattern))
            return true;
    return false;
}

/* A program that fetches may do it by another one: git by ssh, cargo by git. */
static bool has_ancestor(const struct analysis *analysis, const struct analysis_finding *finding,
                         const char *pattern)
{
    uint32_t at = finding->process_count ? finding->processes[0] : ANALYSIS_NONE;

    for (; at != ANALYSIS_NONE; at = analysis->processes[at].parent) {
        struct analysis_users user = {analysis_program(&analysis->processes[at]), 1};

        if (is_named(&user, pattern))
            return true;
    }
    return false;
}

static void add_fetcher(struct buffer *out, const struct analysis *analysis,
                        const struct analysis_finding *finding)
{
    for (size_t i = 0; i < sizeof fetchers / sizeof *fetchers; i++)
        if (has_ancestor(analysis, finding, fetchers[i].program)) {
            add_sentence(out, fetchers[i].remedy);
            return;
        }
}

static void add_fixes(struct buffer *out, const struct analysis_finding *finding,
                      const struct analysis_users *users, size_t count)
{
    for (size_t i = 0; i < sizeof fixes / sizeof *fixes; i++)
        if (fixes[i].category == finding->category->id &&
            has_program(users, count, fixes[i].program))
            add_sentence(out, fixes[i].remedy);
}

/* Compilers write the folder that they are run in into debug information. */
static void add_prefix_map(struct buffer *out, const struct analysis_finding *finding,
                           const struct analysis_users *users, size_t count)
{
    static const char *const compilers[] = {"cc1", "cc1plus", "clang*", "gcc*", "g++*", "as"};

    if (finding->category->id != CATEGORY_ENVIRONMENT_READ || finding->subject.length != 3 ||
        memcmp(finding->subject.bytes, "PWD", 3) != 0)
        return;
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
        if (has_program(users, count, compilers[i])) {
            add_sentence(out, "Compilers note the folder in debug information: give them "
                              "-ffile-prefix-map=$PWD=. so that it is the same everywhere.");
            break;
        }
    if (has_program(users, count, "rustc"))
        add_sentence(out, "Give rustc --remap-path-prefix=$PWD=.");
}

static void add_names(struct names *names, const struct analysis *analysis,
                      const struct analysis_finding *finding, const bool *asked)
{
    for (size_t i = 0; i < finding->process_count; i++) {
        struct text program = analysis_program(&analysis->processes[finding->processes[i]]);

        if (asked[finding->processes[i]])
            names_add(names, program.bytes, program.length);
    }
}

/* "cc1, as and 2 more", the programs of the finding that asked or that did not. One that asked in
 * some of its processes is of the first kind alone: a compiler asks where a source needs it. */
static size_t add_askers(struct buffer *out, const struct analysis *analysis,
                         const struct analysis_finding *finding, const bool *asked, bool wanted)
{
    struct names seen = {0};
    size_t shown = 0, before;

    if (!wanted)
        add_names(&seen, analysis, finding, asked);
    before = seen.count;
    for (size_t i = 0; i < finding->process_count; i++) {
        struct text program = analysis_program(&analysis->processes[finding->processes[i]]);
        size_t next = seen.count;

        if (asked[finding->processes[i]] != wanted ||
            names_add(&seen, program.bytes, program.length) != next || shown == MOST_PROGRAMS)
            continue;
        buffer_add_text(out, shown++ ? ", " : "");
        quote_shortened(out, program.bytes, program.length, 24);
    }
    shown = seen.count - before;
    if (shown > MOST_PROGRAMS)
        buffer_printf(out, " and %zu more", shown - MOST_PROGRAMS);
    names_fini(&seen);
    return shown;
}

/* "Set TZ=UTC: date asked for TZ; perl did not." */
static void add_variable(struct buffer *out, const struct analysis *analysis,
                         const struct analysis_finding *finding, const struct variable *variable,
                         const bool *asked)
{
    cleanup_buffer struct buffer did = BUFFER_INIT;
    cleanup_buffer struct buffer did_not = BUFFER_INIT;
    size_t yes = add_askers(&did, analysis, finding, asked, true);
    size_t no = add_askers(&did_not, analysis, finding, asked, false);

    if (yes == 0 && no == 0)
        return;
    if (out->length)
        buffer_add_char(out, ' ');
    /* A compiler is told by its driver where to put temporary files. */
    if (yes == 0 && variable->category == CATEGORY_TEMPORARY)
        return;
    if (yes == 0) {
        buffer_printf(out, "%s did not ask for %s: see whether it reaches an output.", did_not.data,
                      variable->name);
        return;
    }
    buffer_printf(out, "%c%s: %s asked for %s", variable->remedy[0] - 'a' + 'A',
                  variable->remedy + 1, did.data, variable->name);
    if (no)
        buffer_printf(out, "; %s did not", did_not.data);
    buffer_add_char(out, '.');
}

static struct text keep(struct analysis *analysis, const struct buffer *text)
{
    if (!text->length)
        return (struct text){"", 0};
    return (struct text){memory_copy(analysis->memory, text->data, text->length), text->length};
}

/* Memory and limits of the process, not the number of processors. */
static bool is_size(const struct analysis_finding *finding)
{
    enum event_kind kind = finding->member_count ? finding->members[0].operation : EVENT_CPU;

    return finding->category->id == CATEGORY_CPU_MEMORY &&
           (kind == EVENT_LIMIT || kind == EVENT_MEMORY);
}

static void write_remedy(struct analysis *analysis, struct analysis_finding *finding,
                         const struct askers *askers)
{
    cleanup_buffer struct buffer out = BUFFER_INIT;
    size_t count;
    cleanup_free struct analysis_users *users = analysis_programs(analysis, finding, &count);

    if (finding->category->id == CATEGORY_DNS || finding->category->id == CATEGORY_REMOTE_HOST)
        add_fetcher(&out, analysis, finding);
    add_fixes(&out, finding, users, count);
    add_prefix_map(&out, finding, users, count);
    for (size_t i = 0; i < VARIABLE_COUNT; i++)
        if (variables[i].category == finding->category->id && askers && askers->asked[i])
            add_variable(&out, analysis, finding, &variables[i], askers->asked[i]);
    if (!out.length && finding_is_glance(finding) && category_is_installed(finding->category->id))
        buffer_add_text(&out, "Only looked at or listed: what declares the files there declares "
                              "the folders as well.");
    if (!out.length && is_size(finding))
        buffer_add_text(&out, "Programs size their buffers by it, which seldom reaches an output: "
                              "declare the resources.");
    if (!out.length)
        buffer_add_text(&out, finding->category->remedy);
    finding->remedy = keep(analysis, &out);
}

static void write_lines(struct analysis *analysis, struct analysis_finding *finding)
{
    cleanup_buffer struct buffer declaration = BUFFER_INIT;
    cleanup_buffer struct buffer waiver = BUFFER_INIT;

    declaration_add(&declaration, analysis, finding);
    waiver_add(&waiver, analysis, finding);
    finding->declaration = keep(analysis, &declaration);
    finding->waiver = keep(analysis, &waiver);
}

static int load_asked(bool *asked, sqlite3 *db, const struct analysis *analysis,
                      const struct processes *processes, const char *name)
{
    cleanup_statement sqlite3_stmt *row = database_prepare(
        db, "SELECT DISTINCT a.process FROM subject s JOIN access a ON a.subject = s.id"
            " JOIN process p ON p.id = a.process"
            " WHERE s.channel = ?1 AND s.name = ?2 AND a.operation = ?3 AND p.run = ?4");
    int code;

    if (!row)
        return TALLY_ERR_DATABASE;
    sqlite3_bind_int(row, 1, CHANNEL_ENVIRONMENT);
    sqlite3_bind_text(row, 2, name, -1, SQLITE_STATIC);
    sqlite3_bind_int(row, 3, EVENT_GETENV);
    sqlite3_bind_int64(row, 4, analysis->run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        uint32_t number = processes_find(processes, sqlite3_column_int64(row, 0));

        if (number != MAP_NONE)
            asked[number] = true;
    }
    return code == SQLITE_DONE ? 0 : TALLY_ERR_DATABASE;
}

static bool has_category(const struct analysis *analysis, enum category_id category)
{
    for (size_t i = 0; i < analysis->finding_count; i++)
        if (analysis->findings[i].category->id == category)
            return true;
    return false;
}

/* Of the variables that can help with the category; CATEGORY_COUNT: with any that there is. */
static int load_askers(struct askers *askers, sqlite3 *db, const struct analysis *analysis,
                       const struct processes *processes, enum category_id category)
{
    int result = 0;

    for (size_t i = 0; i < VARIABLE_COUNT && result == 0; i++) {
        if (category == CATEGORY_COUNT ? !has_category(analysis, variables[i].category)
                                       : variables[i].category != category)
            continue;
        askers->asked[i] = xcalloc(analysis->process_count, sizeof **askers->asked);
        result = load_asked(askers->asked[i], db, analysis, processes, variables[i].name);
    }
    return result;
}

static void askers_fini(struct askers *askers)
{
    for (size_t i = 0; i < VARIABLE_COUNT; i++)
        free(askers->asked[i]);
}

int remedies_load(struct analysis *analysis, sqlite3 *db, const struct processes *processes)
{
    struct askers askers = {{NULL}};
    int result = load_askers(&askers, db, analysis, processes, CATEGORY_COUNT);

    for (size_t i = 0; i < analysis->finding_count && result == 0; i++) {
        struct analysis_finding *finding = &analysis->findings[i];

        if (!finding->remedy.length)
            write_remedy(analysis, finding, &askers);
        write_lines(analysis, finding);
    }
    askers_fini(&askers);
    return result;
}

int remedy_write(struct analysis *analysis, struct analysis_finding *finding, sqlite3 *db,
                 const struct processes *processes)
{
    struct askers askers = {{NULL}};
    int result = 0;

    if (processes)
        result = load_askers(&askers, db, analysis, processes, finding->category->id);
    if (result == 0) {
        write_remedy(analysis, finding, processes ? &askers : NULL);
        write_lines(analysis, finding);
    }
    askers_fini(&askers);
    return result;
}
