/* SPDX-License-Identifier: MIT
 *
 * Was a signal sent to us alone or to our whole process group? The kernel does not say. A child
 * that sits in the group and does nothing else gets what the group gets, and tells. (timeout(1) and
 * a shell that ends a job send to the group; the command has the signal already, and must not get
 * it twice.)
 */
#ifndef GROUP_WATCH_H
#define GROUP_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

struct group_watch {
    pid_t child; /* 0 none */
    int pipe;
};

/* All signals must be blocked. Without the child every signal counts as sent to us alone. */
void group_watch_start(struct group_watch *watch);
void group_watch_stop(struct group_watch *watch);

bool group_watch_saw(struct group_watch *watch, int number);

#endif
