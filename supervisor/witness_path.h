/* SPDX-License-Identifier: MIT
 *
 * Paths as another process means them.
 */
#ifndef WITNESS_PATH_H
#define WITNESS_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where a descriptor of that thread leads, or its current folder (AT_FDCWD), or its root (ROOT).
 * Length of the path written to `to`; 0 with errno (ENOTDIR: it is no path). `*flags` gets
 * RECORD_RELATIVE_GONE for a folder that is not there any more. */
#define WITNESS_ROOT (-1000)
size_t witness_folder(pid_t thread, int descriptor, char *to, size_t room, uint32_t *flags);

/* What a look at an absolute path ends with: 0 or errno. `thread` and `leader` are whose /proc/self
 * it is. `kind` decides how to look. */
int witness_look_at(pid_t thread, pid_t leader, uint16_t kind, const char *path, uint32_t flags,
                    int mode);

/* The path by which we reach what that process means by an absolute path: another one for names of
 * /proc/self and /dev/fd. False: no room. */
bool witness_reach(pid_t thread, pid_t leader, const char *path, char *to, size_t room);

/* The file that a name of /proc/self or /dev/fd stands for in that process. Its length, 0 for other
 * names. */
size_t witness_meaning(pid_t thread, pid_t leader, const char *path, char *to, size_t room);

#endif
