/* SPDX-License-Identifier: MIT
 *
 * Which files an installed Debian package has, from dpkg's own database.
 */
#ifndef PACKAGE_H
#define PACKAGE_H

#include <stddef.h>

enum package_state { PACKAGE_FOUND, PACKAGE_MISSING, PACKAGE_OTHER_VERSION };

/* `name` may have an architecture ("libc6:i386"); without one the first that is installed is taken.
 * `version` is a pattern of text or NULL. FOUND: `*files` are the paths, folders among them, in
 * dpkg's order; the caller frees them with package_free. OTHER_VERSION: `*found` (to be freed) is
 * the one that is installed. */
enum package_state package_read(const char *name, const char *version, char ***files, size_t *count,
                                char **found);
void package_free(char **files, size_t count);

#endif
