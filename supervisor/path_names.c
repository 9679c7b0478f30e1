/* SPDX-License-Identifier: MIT */
#include "path_names.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes_hash.h"

#define LINKS_MAX   40 /* as the kernel's */
#define DEPTH_MAX   400
#define FOLDERS_MAX 65536u /* the cache is emptied beyond that */

/* A name that was looked at. `real` is malloc'd; NULL: the same as the name. */
struct folder {
    uint64_t hash;
    char *path;
    char *real;
    uint32_t length;
    uint32_t real_length;
    bool is_link;
};

struct path_names {
    struct folder *slots; /* open addressing, a power of two */
    size_t room, count;
    struct buffer normal;
    struct buffer resolved;
};

struct path_names *path_names_new(void)
{
    struct path_names *names = xcalloc(1, sizeof *names);

    names->room = 1024;
    names->slots = xcalloc(names->room, sizeof *names->slots);
    return names;
}

static void forget_all(struct path_names *names)
{
    for (size_t i = 0; i < names->room; i++) {
        free(names->slots[i].path);
        free(names->slots[i].real);
    }
    memset(names->slots, 0, names->room * sizeof *names->slots);
    names->count = 0;
}

void path_names_free(struct path_names *names)
{
    if (!names)
        return;
    forget_all(names);
    free(names->slots);
    buffer_fini(&names->normal);
    buffer_fini(&names->resolved);
    free(names);
}

/* The slot that has this name, or the free one where it belongs. */
static struct folder *find(const struct path_names *names, const char *path, size_t length)
{
    uint64_t hash = bytes_hash(path, length, 0);

    for (size_t i = hash & (names->room - 1);; i = (i + 1) & (names->room - 1)) {
        struct folder *slot = &names->slots[i];

        if (!slot->path ||
            (slot->hash == hash && slot->length == length && memcmp(slot->path, path, length) == 0))
            return slot;
    }
}

static void grow(struct path_names *names)
{
    struct folder *old = names->slots;
    size_t room = names->room;

    if (2 * names->count < room)
        return;
    names->room = 2 * room;
    names->slots = xcalloc(names->room, sizeof *names->slots);
    for (size_t i = 0; i < room; i++) {
        if (old[i].path)
            *find(names, old[i].path, old[i].length) = old[i];
    }
    free(old);
}

void path_names_changed(struct path_names *names, const char *path, size_t length)
{
    if (find(names, path, length)->path)
        forget_all(names);
}

static bool starts_with(const char *path, size_t length, const char *start)
{
    size_t size = strlen(start);

    return length >= size && memcmp(path, start, size) == 0 &&
           (length == size || path[size] == '/');
}

static bool depends_on_who_asks(const char *path, size_t length)
{
    return starts_with(path, length, "/proc") || starts_with(path, length, "/dev/fd") ||
           starts_with(path, length, "/dev/stdin") || starts_with(path, length, "/dev/stdout") ||
           starts_with(path, length, "/dev/stderr");
}

static size_t length_of_parent(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 1 ? length - 1 : length;
}

/* One question to the resolver; the counts bound what hostile names can cost. */
struct walk {
    struct path_names *names;
    int depth;
    int links;
};

static bool resolve(struct walk *walk, const char *path, size_t length, bool follow, bool remember,
                    struct buffer *out);

/* `out` holds the real name of a folder and gets that of `last` in it. Returns whether it is a
 * link. */
static bool enter(struct walk *walk, const char *last, size_t length, bool follow,
                  struct buffer *out)
{
    char text[PATH_MAX];
    size_t parent = out->length;
    struct buffer target = BUFFER_INIT;
    ssize_t size;

    if (out->data[parent - 1] != '/')
        buffer_add_char(out, '/');
    buffer_add(out, last, length);
    if (!follow || (size = readlink(out->data, text, sizeof text)) <= 0)
        return false;
    if (++walk->links > LINKS_MAX)
        return true;
    if (text[0] != '/') {
        buffer_add(&target, out->data, parent);
        if (out->data[parent - 1] != '/')
            buffer_add_char(&target, '/');
    }
    buffer_add(&target, text, (size_t)size);
    buffer_clear(out);
    resolve(walk, target.data, target.length, true, true, out);
    buffer_fini(&target);
    return true;
}

static void go_up(struct buffer *out)
{
    out->length = length_of_parent(out->data, out->length);
    out->data[out->length] = '\0';
}

static void remember_as(struct path_names *names, const char *path, size_t length, bool is_link,
                        const struct buffer *real)
{
    bool same = real->length == length && memcmp(real->data, path, length) == 0;
    struct folder *slot;

    if (names->count >= FOLDERS_MAX)
        forget_all(names);
    grow(names);
    slot = find(names, path, length);
    if (slot->path)
        return;
    *slot = (struct folder){.hash = bytes_hash(path, length, 0),
                            .path = xmemdup(path, length),
                            .length = (uint32_t)length,
                            .is_link = is_link};
    if (!same) {
        slot->real = xmemdup(real->data, real->length);
        slot->real_length = (uint32_t)real->length;
    }
    names->count++;
}

/* Puts the real name of an absolute path into the empty `out`. Returns whether its last component
 * is a link. What cannot be looked at is taken for what it says. */
static bool resolve(struct walk *walk, const char *path, size_t length, bool follow, bool remember,
                    struct buffer *out)
{
    const struct folder *known = find(walk->names, path, length);
    size_t parent = length_of_parent(path, length);
    const char *last = path + parent + (parent > 1 ? 1 : 0);
    size_t size = length - (size_t)(last - path);
    bool is_link = false;

    if (known->path && follow) {
        buffer_add(out, known->real ? known->real : path,
                   known->real ? known->real_length : length);
        return known->is_link;
    }
    if (length <= 1 || ++walk->depth > DEPTH_MAX) {
        buffer_add(out, path, length);
        return false;
    }
    resolve(walk, path, parent, true, true, out);
    if (size == 2 && memcmp(last, "..", 2) == 0)
        go_up(out);
    else if (size > 0 && !(size == 1 && last[0] == '.'))
        is_link = enter(walk, last, size, follow, out);
    if (remember)
        remember_as(walk->names, path, length, is_link, out);
    return is_link;
}

bool path_resolve(struct path_names *names, const char *path, size_t length, bool follow,
                  struct path_view *resolved)
{
    struct walk walk = {.names = names};

    if (length == 0 || path[0] != '/' || depends_on_who_asks(path, length))
        return false;
    buffer_clear(&names->resolved);
    resolve(&walk, path, length, follow, false, &names->resolved);
    *resolved = (struct path_view){names->resolved.data, names->resolved.length};
    return resolved->length != length || memcmp(resolved->data, path, length) != 0;
}

static bool is_normal(const char *path, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (path[i] != '/')
            continue;
        if (i + 1 == length)
            return length == 1;
        if (path[i + 1] == '/')
            return false;
        if (path[i + 1] != '.')
            continue;
        if (i + 2 == length || path[i + 2] == '/' ||
            (path[i + 2] == '.' && (i + 3 == length || path[i + 3] == '/')))
            return false;
    }
    return true;
}

static bool ends_in_link(struct path_names *names, const struct buffer *path)
{
    struct walk walk = {.names = names};
    struct buffer real = BUFFER_INIT;
    bool is_link;

    if (depends_on_who_asks(path->data, path->length))
        return false;
    is_link = resolve(&walk, path->data, path->length, true, true, &real);
    buffer_fini(&real);
    return is_link;
}

static void add_component(struct path_names *names, const char *name, size_t length)
{
    struct buffer *out = &names->normal;

    if (length == 2 && memcmp(name, "..", 2) == 0) {
        bool kept = out->length >= 3 && memcmp(out->data + out->length - 3, "/..", 3) == 0;

        if (out->length == 0)
            return;
        if (!kept && !ends_in_link(names, out)) {
            while (out->data[--out->length] != '/')
                ;
            out->data[out->length] = '\0';
            return;
        }
    }
    buffer_add_char(out, '/');
    buffer_add(out, name, length);
}

struct path_view path_normalise(struct path_names *names, const char *path, size_t length)
{
    struct buffer *out = &names->normal;

    if (length == 0 || path[0] != '/' || is_normal(path, length))
        return (struct path_view){path, length};
    buffer_clear(out);
    for (size_t at = 0; at < length;) {
        size_t end = at;

        while (end < length && path[end] != '/')
            end++;
        if (end > at && !(end == at + 1 && path[at] == '.'))
            add_component(names, path + at, end - at);
        at = end + 1;
    }
    if (out->length == 0)
        buffer_add_char(out, '/');
    return (struct path_view){out->data, out->length};
}
