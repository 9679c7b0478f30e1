/* SPDX-License-Identifier: MIT
 *
 * realpath(3) with the look at each part of the path made through the door: in a build by gcc these
 * are two thirds of all that the kernel would report.
 */
#ifndef PRELOAD_RESOLVE_H
#define PRELOAD_RESOLVE_H

#include <stdbool.h>

/* Does what libc's function would do, errno included; `to` may be NULL: libc's strdup makes the
 * copy. False: not decided here (any path that cannot be resolved, long ones), libc's function is
 * to be called. */
bool resolve_path(const char *path, char *to, char **result);

#endif
