/* SPDX-License-Identifier: MIT
 *
 * Which process a thread belongs to, and whose image that is. The kernel names the thread that
 * makes a call; asking /proc is dear, so answers are kept for a second (no number is used again
 * that soon).
 */
#ifndef WITNESS_TASK_H
#define WITNESS_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "command_image.h"

struct witness_task {
    uint32_t pid;    /* of its process, as that process itself sees it */
    uint32_t parent; /* of that process' parent, likewise where the two share a namespace */
    pid_t leader;    /* of its process, as we see it */
    uint64_t asked;  /* CLOCK_MONOTONIC ns */
    /* Of a leader: */
    uint64_t image;   /* id of an image that the witness announced, 0 none */
    uint32_t loads;   /* how often a loader was seen at work */
    bool apart;       /* its image is another than its parent's, and says so itself */
    uint64_t started; /* with one of these two: when the process started, in the kernel's ticks, to
                         tell it from a later one of that number */
    bool is_changed;  /* the memory of a waiting thread of its was changed */
};

struct witness_tasks;

struct witness_tasks *witness_tasks_new(void);
void witness_tasks_free(struct witness_tasks *tasks);

/* The task of a thread that waits in a call. Valid until witness_tasks_free; never NULL. Where
 * /proc does not answer pid and leader are the thread's own number. */
struct witness_task *witness_task_of(struct witness_tasks *tasks, pid_t thread, uint64_t now);

/* The task of that process' leader, as the last question found it. */
struct witness_task *witness_task_leader(struct witness_tasks *tasks,
                                         const struct witness_task *task);
/* From now on the process has that image: announced under an id, or, with 0, one that reports in
 * itself. May be called by another thread while the process waits. */
void witness_task_set_image(struct witness_task *leader, uint64_t image);
/* The image announced for it, 0 none. */
uint64_t witness_task_image(const struct witness_task *leader);

/* Whether its process is gone, or on its way: a call of such a one is never made again. False also
 * in the moment between a deadly signal's arrival and the kernel's work on it. */
bool witness_task_is_ending(pid_t thread);
/* With what rights a thread that waits in a call makes it; ours where /proc does not answer. */
struct image_starter witness_task_starter(pid_t thread);

/* NULL: that process was not seen. */
struct witness_task *witness_task_find(struct witness_tasks *tasks, pid_t leader);

#endif
