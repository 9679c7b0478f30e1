/* SPDX-License-Identifier: MIT
 *
 * Paths made absolute, written straight into a record: the shim has no other place for 4 KiB.
 */
#ifndef PRELOAD_SUBJECT_H
#define PRELOAD_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUBJECT_PATH_MAX    4096u /* longer paths are cut: the kernel refuses them anyway */
#define SUBJECT_FOLDER_MAX  4096u
#define SUBJECT_KERNEL_NAME 960u /* room for the name of an open descriptor */

struct subject_path {
    const char *text;
    size_t length;
    int dirfd;
};

/* Adds RECORD_CUT to `*flags` where the path is too long. */
struct subject_path subject_path(int dirfd, const char *path, uint32_t *flags);

/* Changes whenever the program changes its current folder by a call that is hooked. */
uint64_t subject_folder_epoch(void);
void subject_folder_changed(void);

/* Keeps the current folder's name for a program that is about to forbid itself to ask for it. */
void subject_remember_folder(void);

/* How much room the current folder's name took last time. */
size_t subject_folder_hint(void);

/* Room that subject_write needs when the folder's name has at most `folder` bytes. */
size_t subject_room(const struct subject_path *path, size_t folder);

/* Writes the absolute path to `to`; `*used` is its length, `*dirty` how many bytes were written
 * even on failure. False when the folder's name is longer than there is room. */
bool subject_write(const struct subject_path *path, char *to, size_t room, size_t *used,
                   uint32_t *flags, size_t *dirty);

/* Paths whose text says nothing about the file behind them: /proc/..., /dev/fd/..., /dev/stdin. */
bool subject_is_magic(const char *path);

/* The kernel's name for a descriptor. Its length; 0 when the object has no name in the file system;
 * negative when the kernel does not tell (no /proc, name too long). */
long subject_kernel_name(int fd, char *to, size_t room);

#endif
