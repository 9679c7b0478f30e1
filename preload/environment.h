/* SPDX-License-Identifier: MIT
 *
 * The two variables of ours: read at start-up, taken out of the program's environment, put into
 * every environment that a new image gets. All other variables keep their bytes and their order.
 */
#ifndef PRELOAD_ENVIRONMENT_H
#define PRELOAD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image.h"

struct environment_run {
    char log[512];      /* path of the event log */
    uint64_t execution; /* id that the parent gave to this execution, 0 the first */
    bool plain;         /* the file executed is this program, not a script that names it */
    bool witnessed;     /* the kernel reports watched calls that are not made through the door */
};

/* NULL when no run is named. Works before libc has set `environ`. */
const struct environment_run *environment_find_run(void);

/* The same once it has been found, without another look. */
const struct environment_run *environment_run(void);

/* True when the loader chooses the shim by ABI: our entry in LD_PRELOAD has $LIB in it (ld.so(8)).
 */
bool environment_serves_siblings(void);

/* True for the path of the shim itself. */
bool environment_is_shim(const char *path);

/* A variable's value in `environ`, without getenv, which may be the program's own. NULL: not set.
 */
const char *environment_value(const char *name);

/* Takes the two variables out of `environ`. */
void environment_hide(void);

/* Records what the image can see in its environment. */
void environment_note(void);

/* An environment for a new image, in memory of its own. */
struct environment_copy {
    char **block; /* hand this to exec */
    void *map;    /* NULL: `block` is the caller's own */
    size_t size;
    char *path; /* a copy of what was asked to be kept beside it, or NULL */
};

/* Without the shim and the run for a class of image that they would disturb. `path` may be NULL. */
struct environment_copy environment_copy(char *const *block, uint64_t execution,
                                         enum image_class class, const char *path);
void environment_release(struct environment_copy *copy);

/* For calls that start a program with `environ` from inside libc (system, popen, wordexp): puts the
 * two variables back for the length of the call. */
void environment_show(uint64_t execution, enum image_class class);
void environment_unshow(void);

#endif
