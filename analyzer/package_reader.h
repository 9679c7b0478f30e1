/* SPDX-License-Identifier: MIT
 *
 * What the reader of one package manager's files needs: packages.c calls packages_scan_<id>, which
 * adds packages and gives them paths. Whatever lies on the disk may be broken or made to deceive:
 * files are read up to a limit, special files never, and names that no package can have own
 * nothing.
 */
#ifndef ANALYZER_PACKAGE_READER_H
#define ANALYZER_PACKAGE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dpkg.h" /* words and lines */
#include "map.h"
#include "packages.h"

#define PACKAGE_FILE_MAX (256u << 20)
#define PACKAGE_TEXT_MAX (1u << 20) /* of what describes one package */

/* A package of the manager that is being read, without files. MAP_NONE: no package is called so.
 * `version` may be empty, and be set later. */
uint32_t packages_add(struct packages *packages, struct dpkg_word name, struct dpkg_word version);
void packages_set_version(struct packages *packages, uint32_t package, struct dpkg_word version);
const char *packages_name(const struct packages *packages, uint32_t package);

/* The package (MAP_NONE does no harm) has the path. */
void packages_give(struct packages *packages, uint32_t package, const char *path, size_t length);

/* A path of the machine, below its root folder. The caller frees. */
char *packages_path(const struct packages *packages, const char *path);

/* A regular file, at most `limit` bytes of it; NULL when there is none, or after the reason went to
 * the trouble. `path` is one of packages_path. The caller frees. */
char *packages_read(struct packages *packages, const char *path, size_t limit, size_t *length);

/* The first file that could not be read is named, the others are counted. */
void packages_note_trouble(struct packages *packages, const char *path, const char *reason);

/* The next path that was asked for and has no owner yet, from `*at` on, which starts with 0. The
 * bytes end with a NUL and live as long as `packages`. */
bool packages_next_unowned(const struct packages *packages, uint32_t *at, struct dpkg_word *path);

#define PACKAGE_MANAGER(id, sign, layout) void packages_scan_##id(struct packages *packages);
#include "package_managers.def"
#undef PACKAGE_MANAGER

#endif
