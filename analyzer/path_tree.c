/* SPDX-License-Identifier: MIT */
#include "path_tree.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "cleanup.h"
#include "die.h"

#define MOST_DEPTH 64 /* of folders in folders */

void path_tree_init(struct path_tree *tree, struct memory *memory)
{
    *tree = (struct path_tree){.memory = memory};
    path_tree_add(tree, (struct text){"/", 1});
}

void path_tree_fini(struct path_tree *tree)
{
    names_fini(&tree->numbers);
    free(tree->nodes);
}

struct text path_name(const struct path_node *node)
{
    return (struct text){node->path.bytes + node->name, node->path.length - node->name};
}

static uint32_t new_node(struct path_tree *tree, struct text path, uint32_t parent)
{
    uint32_t number = tree->count;
    const char *slash = memrchr(path.bytes, '/', path.length);

    if (tree->count == tree->room) {
        tree->room = tree->room ? tree->room * 2 : 256;
        tree->nodes = xrealloc(tree->nodes, tree->room * sizeof *tree->nodes);
    }
    tree->nodes[tree->count++] = (struct path_node){
        .path = path,
        .name = slash ? (uint32_t)(slash + 1 - path.bytes) : 0,
        .parent = parent,
        .child = PATH_NONE,
        .next = PATH_NONE,
        .unused = SIZE_MAX,
    };
    if (parent != PATH_NONE) {
        tree->nodes[number].next = tree->nodes[parent].child;
        tree->nodes[parent].child = number;
    }
    return number;
}

uint32_t path_tree_add(struct path_tree *tree, struct text path)
{
    uint32_t parent = PATH_NONE;

    if (path.length == 0 || path.bytes[0] != '/')
        return PATH_NONE;
    for (size_t end = 1; end <= path.length; end++) {
        struct text part = {path.bytes, end};
        uint32_t number;

        if (end > 1 && end < path.length && path.bytes[end] != '/')
            continue;
        number = names_add(&tree->numbers, part.bytes, part.length);
        parent = number == tree->count ? new_node(tree, part, parent) : number;
    }
    return parent;
}

void path_tree_sum(struct path_tree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        tree->nodes[i].wanted_below = tree->nodes[i].wanted;
        tree->nodes[i].inputs_below = tree->nodes[i].input && !tree->nodes[i].output;
    }
    for (uint32_t i = tree->count; i-- > 1;) {
        const struct path_node *node = &tree->nodes[i];
        struct path_node *parent = &tree->nodes[node->parent];

        parent->wanted_below += node->wanted_below;
        parent->inputs_below += node->inputs_below;
        parent->found |= node->found;
        parent->folder |= node->found;
    }
}

/* --- what lies on the disk ------------------------------------------------------------------ */

static bool is_self_or_parent(const char *name)
{
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

struct count {
    struct path_tree *tree;
    size_t unused, limit;
    int depth;
};

static void count_folder(struct count *count, struct buffer *path);

static void count_entry(struct count *count, struct buffer *path, const struct dirent *entry)
{
    size_t length = path->length;

    buffer_add_char(path, '/');
    buffer_add_text(path, entry->d_name);
    if (entry->d_type == DT_DIR)
        count_folder(count, path);
    else if (names_find(&count->tree->numbers, path->data, path->length) == MAP_NONE)
        count->unused++;
    path->length = length;
    path->data[length] = '\0';
}

static void count_folder(struct count *count, struct buffer *path)
{
    DIR *folder = count->depth < MOST_DEPTH ? opendir(path->data) : NULL;
    const struct dirent *entry;

    if (!folder)
        return;
    count->depth++;
    while (count->unused <= count->limit && (entry = readdir(folder)))
        if (!is_self_or_parent(entry->d_name))
            count_entry(count, path, entry);
    count->depth--;
    closedir(folder);
}

size_t path_tree_unused(struct path_tree *tree, uint32_t folder, size_t limit)
{
    struct path_node *node = &tree->nodes[folder];
    cleanup_buffer struct buffer path = BUFFER_INIT;
    struct count count = {.tree = tree, .limit = limit};

    if (node->unused != SIZE_MAX)
        return node->unused;
    buffer_add(&path, node->path.bytes, node->path.length);
    count_folder(&count, &path);
    if (count.unused <= limit)
        node->unused = count.unused;
    return count.unused;
}

void path_tree_others(const struct path_tree *tree, uint32_t number,
                      void (*found)(const char *name, void *data), void *data)
{
    const struct path_node *node = &tree->nodes[number];
    cleanup_free char *name = xmemdup(node->path.bytes, node->path.length);
    DIR *folder = opendir(name);
    const struct dirent *entry;
    cleanup_buffer struct buffer path = BUFFER_INIT;

    while (folder && (entry = readdir(folder))) {
        if (is_self_or_parent(entry->d_name))
            continue;
        buffer_clear(&path);
        buffer_printf(&path, "%s/%s", name, entry->d_name);
        if (names_find(&tree->numbers, path.data, path.length) == MAP_NONE)
            found(entry->d_name, data);
    }
    if (folder)
        closedir(folder);
}
