/* SPDX-License-Identifier: MIT
 *
 * From a call that has returned to a record in the log. Everything here leaves errno alone, reads
 * the program's memory only after the kernel has read it successfully, and may run in a signal
 * handler.
 */
#ifndef PRELOAD_NOTE_H
#define PRELOAD_NOTE_H

#include <stddef.h>
#include <stdint.h>

#include "real.h"
#include "tallyman/event.h"
#include "tallyman/record.h"

/* What a wrapper knows of its call. */
struct call {
    enum hook hook; /* HOOK_COUNT: made by the shim's own start-up */
    int error;      /* 0 or errno */
    uint64_t time;  /* when it started; 0: not taken, use the present */
};

/* A path as the program gave it, relative to `dirfd` (AT_FDCWD: to the current folder). */
void note_path(const struct call *call, enum event_kind kind, int dirfd, const char *path,
               uint32_t flags);

/* The same for an opened descriptor: for paths through /proc and /dev, where the text is not the
 * name, the kernel is asked what was opened; an object without a name (pipe, socket, memfd) is no
 * access. */
void note_opened(const struct call *call, enum event_kind kind, int dirfd, const char *path,
                 uint32_t flags, int fd);

/* Two paths: rename, link. */
void note_paths(const struct call *call, enum event_kind kind, int old_dirfd, const char *old_path,
                int new_dirfd, const char *new_path, uint32_t flags);

/* The folder in front of a pattern's first wildcard; without one the path itself is looked at. */
void note_pattern(const struct call *call, const char *pattern);

/* The list of folders that fts_open starts from. */
void note_trees(const struct call *call, char *const *paths);

/* A symbolic link and its text. */
void note_symlink(const struct call *call, const char *text, int dirfd, const char *path);

/* Every object that the loader has mapped by now; what was noted before folds. */
void note_objects(void);

/* A program that is about to be run; `class` is what its file looks like. */
void note_execute(const struct call *call, int dirfd, const char *path, uint64_t execution,
                  enum image_class class);

/* The file that a descriptor refers to. */
void note_descriptor(const struct call *call, enum event_kind kind, int fd, uint32_t flags);

/* A name that is no path: a variable, a clock, a host. Folds. */
void note_name(const struct call *call, enum event_kind kind, const char *name);

/* The same in two pieces ("passwd:", name). */
void note_names(const struct call *call, enum event_kind kind, const char *prefix,
                const char *name);

/* A fact about a process: never folded. Long text is cut at ARGUMENT_MAX. */
void note_text(const struct call *call, enum event_kind kind, const char *text, uint64_t value,
               uint32_t flags);
void note_strings(const struct call *call, enum event_kind kind, const char *subject, size_t length,
                  const char *other, size_t other_length, uint64_t value);

#endif
