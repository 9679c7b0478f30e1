/* SPDX-License-Identifier: MIT
 *
 * What the build made itself, and when: a path that it created, emptied, renamed or linked into
 * place, and all below a folder that it made or renamed. A path that it removed counts as well, for
 * what later finds it absent. An access from that time on says nothing about the world outside.
 *
 * Opening what was there before, to append or to change it in place, makes nothing: the old content
 * stays an input.
 *
 * A socket that the run bound, or that lies in a folder of its own making, is the build's as well:
 * who answers there is a process of the build.
 */
#ifndef ANALYZER_MADE_H
#define ANALYZER_MADE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "subjects.h"

struct made {
    int64_t *link;   /* by subject: since when the name itself is the build's; for sockets, since
                        when nobody else is concerned when it is bound */
    int64_t *target; /* by subject: since when what the name leads to is */
};

int made_load(struct made *made, sqlite3 *db, int64_t run, const struct subjects *subjects);
void made_fini(struct made *made);

/* Was it the build's own at `time`? `no_follow`: the access concerned a link itself, or bound a
 * socket. */
bool made_before(const struct made *made, uint32_t subject, int64_t time, bool no_follow);

#endif
