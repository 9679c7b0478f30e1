/* SPDX-License-Identifier: MIT
 *
 * Shared by the files of the witness, and by nobody else.
 */
#ifndef WITNESS_INNER_H
#define WITNESS_INNER_H

#include <pthread.h>
#include <stdatomic.h>

#include "buffer.h"
#include "log_pen.h"
#include "witness.h"
#include "witness_guard.h"
#include "witness_look.h"
#include "witness_task.h"

/* An exec to go with: from its report until the new image runs. */
struct witness_exec {
    struct witness_exec *next;
    uint64_t notice; /* id of the report, not yet answered */
    pid_t thread;
    pid_t process;
    uint32_t pid, parent; /* as in records */
    struct witness_task *leader;
    enum image_class class;
    uint64_t execution; /* id in its environment, RUN_NO_EXECUTION none */
    bool announce;      /* nobody else will say that it started */
    bool look;          /* false: it must not be traced (set-id) */
    bool lists_only; /* a loader that prints the libraries, the vDSO among them, and runs nothing */
    struct record call; /* the exec itself */
    char *path;
};

struct witness {
    struct witness_setting setting;
    struct witness_listener listener;
    struct log_pen *pen;
    struct witness_tasks *tasks;
    struct witness_guard guard;
    struct seccomp_notif *notice;
    size_t notice_size;
    struct witness_view view;
    bool serves_siblings;
    atomic_bool stop;
    pthread_t reports, execs;
    bool started;
    bool command_seen;    /* its exec is the supervisor's own doing */
    pthread_mutex_t lock; /* of the queue */
    pthread_cond_t more;
    struct witness_exec *first, **last;
    uint64_t next_notice; /* number of the next report if none is missing, 0 not known */
    struct witness_counts counts;
};

/* Lets the call go on. False when there is no such call any more (a signal, a death). */
bool witness_answer(struct witness *witness, uint64_t notice, int error);

void witness_write(struct witness *witness, const struct record *head, const char *subject,
                   size_t length, const char *other, size_t other_length);

/* Before the answer: notes when somebody has changed what the call's arguments point to. */
void witness_note_change(struct witness *witness, struct witness_view *view);

/* A report of an exec. Answers it, now or later. */
void witness_exec(struct witness *witness, struct witness_view *view);
/* Body of the thread that goes with execs. */
void *witness_go_with_execs(void *witness);

/* The record of a blind spot of that process. */
void witness_blind_spot(struct witness *witness, uint32_t pid, uint32_t parent, const char *class,
                        const char *detail, size_t length);
/* The start of a process whose image has no shim; its id. `how`: START_*; `from`: as in record.h.
 */
uint64_t witness_announce(struct witness *witness, const struct witness_exec *exec, uint64_t how,
                          uint64_t from);

#endif
