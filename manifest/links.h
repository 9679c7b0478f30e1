/* SPDX-License-Identifier: MIT
 *
 * Follows symbolic links in the literal beginnings of rules. Packages name thousands of files in
 * few folders, so the folders seen last are remembered.
 */
#ifndef LINKS_H
#define LINKS_H

#include <stdbool.h>

#define LINKS_REMEMBERED 256

struct links {
    struct {
        char *folder;
        char *resolved; /* NULL: no link on the way */
    } known[LINKS_REMEMBERED];
};

void links_init(struct links *links);
void links_fini(struct links *links);

/* The name by which the kernel knows `path` (absolute), when it is another one; else NULL. With
 * `all` links are followed to the end, without it the last component stays as it is. The caller
 * frees. */
char *links_resolve(struct links *links, const char *path, bool all);

#endif
