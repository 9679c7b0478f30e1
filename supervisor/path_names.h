/* SPDX-License-Identifier: MIT
 *
 * One name for each path, and the name by which the kernel knows it. The answers of the file system
 * are kept in a cache of folders; path_names_changed says when something made them stale. The
 * question is asked when the record is read, not when the access happened: for a folder that is
 * already gone the name stays as it was given.
 */
#ifndef PATH_NAMES_H
#define PATH_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include "buffer.h"

struct path_names;

struct path_view {
    const char *data; /* valid until the next call with the same path_names */
    size_t length;
};

struct path_names *path_names_new(void);
void path_names_free(struct path_names *names);

/* Without "//", "." and trailing "/", and without ".." where it does not cross a symbolic link. A
 * path that is not absolute comes back as it is. */
struct path_view path_normalise(struct path_names *names, const char *path, size_t length);

/* The kernel's name of a normalised path; the last component is followed too when `follow`. True
 * and *resolved when it differs. Paths whose meaning depends on who asks (/proc, /dev/fd) never
 * differ. */
bool path_resolve(struct path_names *names, const char *path, size_t length, bool follow,
                  struct path_view *resolved);

/* The object of that (normalised) name was made, removed or replaced. */
void path_names_changed(struct path_names *names, const char *path, size_t length);

#endif
