/* SPDX-License-Identifier: MIT
 *
 * Paths by their components, with what a build did with each, and with what else lies beside them
 * on this machine.
 */
#ifndef ANALYZER_PATH_TREE_H
#define ANALYZER_PATH_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis.h"
#include "map.h"
#include "memory.h"

#define PATH_NONE UINT32_MAX

struct path_node {
    struct text path; /* whole; "/" for the first */
    uint32_t name;    /* where the last component starts in it */
    uint32_t parent, child, next;
    bool wanted; /* needs a rule */
    bool found;  /* it was there */
    bool folder; /* it was listed, or something was found in it */
    bool input;  /* read as it was before the run */
    bool output; /* written to */
    bool removed;
    uint32_t wanted_below; /* itself among them; path_tree_sum */
    uint32_t inputs_below; /* inputs that are no outputs */
    size_t unused;         /* path_tree_unused; SIZE_MAX not counted */
};

struct path_tree {
    struct memory *memory;
    struct path_node *nodes; /* the first is "/"; parents stand before their children */
    uint32_t count, room;
    struct names numbers;
};

void path_tree_init(struct path_tree *tree, struct memory *memory);
void path_tree_fini(struct path_tree *tree);

/* The node of an absolute path, made with all above it. The bytes are borrowed. PATH_NONE: no such
 * path. */
uint32_t path_tree_add(struct path_tree *tree, struct text path);

/* To be called when all were added and marked. */
void path_tree_sum(struct path_tree *tree);

/* Files that lie below the folder and are not in the tree; 0 where there is no such folder here.
 * What is above `limit` is not counted to its end. */
size_t path_tree_unused(struct path_tree *tree, uint32_t folder, size_t limit);

/* Calls for the name of everything that lies in the folder here and is not in the tree. */
void path_tree_others(const struct path_tree *tree, uint32_t folder,
                      void (*found)(const char *name, void *data), void *data);

/* The last component. */
struct text path_name(const struct path_node *node);

#endif
