/* SPDX-License-Identifier: MIT
 *
 * Processes of the build that outlive the command. We are their subreaper, so each is below us.
 */
#ifndef SURVIVORS_H
#define SURVIVORS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "buffer.h"

struct survivors {
    pid_t *pids;
    size_t count;
    bool unsure; /* the system did not tell all: there may be more */
};

/* Every live process below this one, but those in `except`. */
struct survivors survivors_list(const struct survivors *except);
void survivors_add(struct survivors *survivors, pid_t pid);
void survivors_free(struct survivors *survivors);

/* Its command line, quoted for sh; its name where it has none. */
void survivors_command(pid_t pid, struct buffer *command);

#endif
