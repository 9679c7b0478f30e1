/* SPDX-License-Identifier: MIT
 *
 * What ships with tallyman and what package managers know comes first: both say what is meant, and
 * hold on other machines.
 */
#include "synthesis_step.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "declaration.h"
#include "manifest.h"
#include "map.h"
#include "operation.h"
#include "package.h"
#include "tallyman/status.h"

#define LEAST_PACKAGES 4 /* that a set must save where none of its programs was started */

/* --- named rule sets ------------------------------------------------------------------------ */

/* Which set covers which need; a bit for each set. The caller frees; NULL after an error. */
static uint32_t *sets_by_need(struct synthesis_step *step)
{
    uint32_t *sets = xcalloc(step->needs->count, sizeof *sets);
    struct draft *alone = draft_new();
    int64_t open = 0;

    for (int set = 0; set < manifest_set_count() && open >= 0; set++) {
        alone->sets[set] = true;
        open = draft_judge(alone, step->needs, step->why);
        for (uint32_t i = 0; i < step->needs->count && open >= 0; i++)
            if (step->needs->rows[i].ruled)
                sets[i] |= 1u << set;
        alone->sets[set] = false;
    }
    draft_free(alone);
    if (open >= 0)
        return sets;
    free(sets);
    return NULL;
}

/* A set stands for a tool: it is taken where a program of its own was started. */
static bool starts_program_of(const struct needs *needs, const uint32_t *sets, int set,
                              uint32_t chosen)
{
    for (uint32_t i = 0; i < needs->count; i++)
        if (sets[i] & 1u << set && !(sets[i] & chosen) && needs->rows[i].use == NEED_PROGRAM)
            return true;
    return false;
}

/* Packages that would need a line each without the set. */
static size_t packages_saved(const struct needs *needs, const uint32_t *sets, int set,
                             uint32_t chosen)
{
    struct names packages = {0};
    size_t saved;

    for (uint32_t i = 0; i < needs->count; i++)
        if (sets[i] & 1u << set && !(sets[i] & chosen) && needs->rows[i].package.length &&
            needs->rows[i].use != NEED_PROBE)
            names_add(&packages, needs->rows[i].package.bytes, needs->rows[i].package.length);
    saved = packages.count;
    names_fini(&packages);
    return saved;
}

/* The set that saves most lines, if it saves enough to be worth what it allows; -1 none. */
static int most_saving(const struct needs *needs, const uint32_t *sets, uint32_t chosen)
{
    size_t best = LEAST_PACKAGES - 1;
    int found = -1;

    for (int set = 0; set < manifest_set_count(); set++) {
        size_t saved = chosen & 1u << set ? 0 : packages_saved(needs, sets, set, chosen);

        if (saved > best) {
            best = saved;
            found = set;
        }
    }
    return found;
}

/* Those that fix values of variables are never taken, as they have no program: no run can tell what
 * was meant. */
int synthesis_add_sets(struct synthesis_step *step)
{
    cleanup_free uint32_t *sets = NULL;
    uint32_t chosen = 0;

    if (step->balance == SYNTHESIS_TIGHT)
        return 0;
    sets = sets_by_need(step);
    if (!sets)
        return TALLY_ERR_FORMAT;
    for (int set = 0; set < manifest_set_count(); set++)
        if (starts_program_of(step->needs, sets, set, chosen))
            chosen |= 1u << set;
    for (int set; (set = most_saving(step->needs, sets, chosen)) >= 0;)
        chosen |= 1u << set;
    for (int set = 0; set < manifest_set_count(); set++)
        step->draft->sets[set] = chosen & 1u << set;
    return synthesis_judge(step) < 0 ? TALLY_ERR_FORMAT : 0;
}

/* --- packages ------------------------------------------------------------------------------- */

struct package_use {
    struct text name;    /* without the version */
    struct text package; /* with it, of the first use */
    size_t open;         /* uses that no rule covers so far */
    size_t files;        /* different names that are used */
    bool several;        /* versions */
};

struct package_uses {
    struct package_use *rows; /* by the numbers in `names` */
    struct names names, files;
};

static void note_package(struct package_uses *uses, const struct need *need)
{
    const char *space = memchr(need->package.bytes, ' ', need->package.length);
    struct text name = {need->package.bytes, (size_t)(space - need->package.bytes)};
    size_t files = uses->files.count;
    struct package_use *use = &uses->rows[names_add(&uses->names, name.bytes, name.length)];

    if (!use->name.bytes)
        *use = (struct package_use){.name = name, .package = need->package};
    use->open += !need->covered;
    use->files += names_add(&uses->files, need->name.bytes, need->name.length) == files;
    use->several |= use->package.length != need->package.length ||
                    memcmp(use->package.bytes, need->package.bytes, need->package.length) != 0;
}

static void gather(const struct synthesis_step *step, struct package_uses *uses)
{
    for (uint32_t i = 0; i < step->needs->count; i++) {
        const struct need *need = &step->needs->rows[i];

        if ((need->use == NEED_READ || need->use == NEED_LIST || need->use == NEED_LOOK) &&
            package_is_debian(need->package))
            note_package(uses, need);
    }
}

/* Is it installed here in a version that the pin would refuse? `*total`: files that it has. */
static bool is_other_version(const struct package_use *use, size_t *total)
{
    cleanup_free char *name = xmemdup(use->name.bytes, use->name.length);
    cleanup_free char *version = xmemdup(use->package.bytes + use->name.length + 1,
                                         use->package.length - use->name.length - 1);
    cleanup_free char *found = NULL;
    enum package_state state;
    char **files;

    state = package_read(name, version, &files, total, &found);
    package_free(files, *total);
    return state == PACKAGE_OTHER_VERSION;
}

static void add_package(struct synthesis_step *step, const struct package_use *use)
{
    struct buffer text = BUFFER_INIT;
    size_t total = 0;
    bool pinned = !is_other_version(use, &total) && !use->several;
    struct draft_rule *rule;

    declaration_add_package(&text, use->package, pinned);
    rule = draft_add(step->draft, DRAFT_PACKAGES, buffer_take(&text));
    if (!rule)
        return;
    if (use->several)
        rule->why = xstrdup("versions differ between the runs");
    rule->excess = total > use->files ? total - use->files : 0;
}

int synthesis_add_packages(struct synthesis_step *step)
{
    /* Fewer files than that are named one by one. */
    static const size_t least[] = {
        [SYNTHESIS_TIGHT] = 3, [SYNTHESIS_BALANCED] = 1, [SYNTHESIS_LOOSE] = 1};
    struct package_uses uses = {.rows = xcalloc(step->needs->count, sizeof *uses.rows)};

    gather(step, &uses);
    for (size_t i = 0; i < uses.names.count; i++)
        if (uses.rows[i].open && uses.rows[i].files >= least[step->balance])
            add_package(step, &uses.rows[i]);
    names_fini(&uses.names);
    names_fini(&uses.files);
    free(uses.rows);
    return synthesis_judge(step) < 0 ? TALLY_ERR_FORMAT : 0;
}
