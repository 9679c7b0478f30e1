/* SPDX-License-Identifier: MIT
 *
 * Folders into which many packages put a file or two, all of which a tool reads to find the one it
 * wants: macros of aclocal, descriptions of Python's packages. One line for the folder stands for a
 * line for each package.
 */
#include "synthesis_step.h"

#include <stdlib.h>

#include "declaration.h"
#include "manifest_text.h"
#include "path_tree.h"
#include "tallyman/status.h"

#define DEPTH 4 /* names: /usr/lib/python3/dist-packages */

struct crowd {
    struct text folder;
    struct names packages; /* with something open in it */
};

struct crowds {
    struct crowd *rows; /* by the numbers in `folders` */
    struct names folders;
};

/* The folder that holds the path, or one above it of a few names. */
static struct text folder_of(struct text path)
{
    size_t names = 0, end = 0;

    for (size_t i = 1; i < path.length && names < DEPTH; i++)
        if (path.bytes[i] == '/') {
            names++;
            end = i;
        }
    return (struct text){path.bytes, end};
}

static void note_file(struct crowds *crowds, const struct need *need)
{
    struct text folder = folder_of(need->name);
    struct crowd *crowd = &crowds->rows[names_add(&crowds->folders, folder.bytes, folder.length)];

    crowd->folder = folder;
    names_add(&crowd->packages, need->package.bytes, need->package.length);
}

static void gather(const struct synthesis_step *step, struct crowds *crowds, struct path_tree *tree)
{
    for (uint32_t i = 0; i < step->needs->count; i++) {
        const struct need *need = &step->needs->rows[i];

        if (need->use == NEED_VALUE || need->use == NEED_PROGRAM)
            continue;
        path_tree_add(tree, need->name);
        if (!need->covered && need->use != NEED_PROBE && need->use != NEED_WRITE &&
            package_is_debian(need->package) && !path_is_within(need->name, step->places.root))
            note_file(crowds, need);
    }
}

/* Is one line, with what it allows and nobody used, less than a line for each package? */
static void add_crowd(struct synthesis_step *step, struct path_tree *tree,
                      const struct crowd *crowd)
{
    uint32_t node = path_tree_add(tree, crowd->folder);
    double worth = synthesis_worth(step);
    double packages = (double)crowd->packages.count;
    struct buffer text = BUFFER_INIT;
    struct draft_rule *rule;
    size_t unused;

    if (node == PATH_NONE || crowd->packages.count < 2)
        return;
    unused = path_tree_unused(tree, node, (size_t)(packages / worth));
    if (1 + worth * (double)unused >= packages)
        return;
    manifest_add_path(&text, &step->places, crowd->folder, true);
    rule = draft_add(step->draft, DRAFT_MACHINE, buffer_take(&text));
    if (rule)
        rule->excess = unused;
}

int synthesis_add_crowds(struct synthesis_step *step)
{
    struct crowds crowds = {.rows = xcalloc(step->needs->count, sizeof *crowds.rows)};
    struct memory *memory = memory_new();
    struct path_tree tree;

    path_tree_init(&tree, memory);
    gather(step, &crowds, &tree);
    for (size_t i = 0; i < crowds.folders.count; i++) {
        add_crowd(step, &tree, &crowds.rows[i]);
        names_fini(&crowds.rows[i].packages);
    }
    names_fini(&crowds.folders);
    free(crowds.rows);
    path_tree_fini(&tree);
    memory_free(memory);
    return synthesis_judge(step) < 0 ? TALLY_ERR_FORMAT : 0;
}
