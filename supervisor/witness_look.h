/* SPDX-License-Identifier: MIT
 *
 * From a reported system call to the accesses it is about: what its arguments say, read from the
 * memory of the thread that waits in it, before it goes on.
 */
#ifndef WITNESS_LOOK_H
#define WITNESS_LOOK_H

#include <limits.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "witness_calls.h"
#include "witness_task.h"

#define SIGHTS_MAX 16 /* messages of one sendmmsg(2) that are looked at; more are flagged */
#define SIGHT_ROOM (4 * PATH_MAX)
#define CHECKS_MAX 4 /* strings of one call that are read a second time */

/* One access. Offsets are into witness_view.text. */
struct sight {
    uint16_t kind;  /* enum event_kind */
    uint32_t flags; /* RECORD_* */
    int32_t error;
    size_t subject, subject_length;
    size_t other, other_length;
};

/* What was read, to see whether somebody changes it while the call waits. */
struct sight_check {
    uint64_t at; /* address in the program */
    size_t length;
    uint64_t hash;
};

/* One reported call while it is looked at. */
struct witness_view {
    const struct seccomp_notif *notice;
    enum witness_call call;
    const struct witness_abi *abi;
    struct witness_task *task;
    struct witness_task *leader;
    uint64_t time;
    uint64_t args[6];  /* of the call, cut to the width of a 32-bit program's */
    bool roots_differ; /* somebody in this run has changed what paths mean: ask each time */
    bool scoped;       /* openat2(2), RESOLVE_IN_ROOT: an absolute path starts at the folder */
    size_t check_count;
    struct sight_check checks[CHECKS_MAX];
    char path[PATH_MAX]; /* as read last */
    size_t sight_count;
    struct sight sights[SIGHTS_MAX];
    size_t used;
    char text[SIGHT_ROOM];
};

/* Fills in the sights of a view whose other fields are set. Calls of the shape EXECUTE are left to
 * witness_exec.h. */
void witness_look(struct witness_view *view);

/* The absolute path that the call's path argument names, as a new sight of that kind. NULL: there
 * is none (an empty path), or it is unreadable, which is then a sight of its own. */
struct sight *witness_look_path(struct witness_view *view, uint16_t kind, int folder, uint64_t path,
                                uint32_t flags);
const char *witness_sight_subject(const struct witness_view *view, const struct sight *sight);

/* A subject that is no path. NULL: no room. */
struct sight *witness_add_text(struct witness_view *view, uint16_t kind, const char *text);
/* What could not be read, and why: a sight of its own. Returns NULL. */
struct sight *witness_add_unreadable(struct witness_view *view, uint16_t kind, uint32_t flags,
                                     int error);
/* For witness_was_changed: these bytes were read there. */
void witness_add_check(struct witness_view *view, uint64_t at, const void *bytes, size_t length);

/* The address of a socket in the program's memory, and those of messages. */
void witness_look_address(struct witness_view *view, uint16_t kind, uint64_t at, uint64_t length);
void witness_look_messages(struct witness_view *view, const struct witness_row *row);

/* The file that a descriptor stands for, as a new sight of that kind. NULL: it has no name. */
struct sight *witness_look_descriptor(struct witness_view *view, uint16_t kind, int descriptor);

/* True when what was read is another now: which of the two the kernel uses is not known. While the
 * thread waits in the call, it cannot have been that thread. */
bool witness_was_changed(const struct witness_view *view);

/* True when a thread has that capability in its user namespace (capabilities(7)). */
bool witness_has_capability(pid_t thread, unsigned number);

#endif
