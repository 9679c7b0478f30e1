/* SPDX-License-Identifier: MIT
 *
 * What the kernel saw a pid do before it is known whose image the pid was then. Each access waits
 * until the timeline tells, the equal ones of a pid folded. Where nobody had reported under the
 * pid, its parent's row gets a forked child to which they go.
 */
#ifndef PENDING_H
#define PENDING_H

#include "process_table.h"
#include "store.h"
#include "timeline.h"

/* An access, or, with the operation EVENT_BLIND_SPOT, a blind spot: its class is row.subject then.
 */
struct held {
    struct access_row row; /* but for `process` */
    uint32_t pid;
    uint32_t parent_pid;
    char *detail; /* of a blind spot; taken over, may be NULL */
    size_t detail_length;
    uint64_t since; /* pending's: place.since, part of what makes two equal */
};

/* Gets what is known with row.process set. */
typedef void (*held_sink)(void *context, const struct held *held);

struct pending;

struct pending *pending_new(struct timeline *timeline, struct process_table *processes,
                            held_sink sink, void *context);
void pending_free(struct pending *pending);

void pending_add(struct pending *pending, const struct held *held);

/* Hands on what is known by now: the timeline has every mark before `safe`. `is_gone`, if not NULL,
 * tells that no process has that pid any more. */
void pending_settle(struct pending *pending, uint64_t safe, bool (*is_gone)(uint32_t pid));

/* Hands on everything: nothing more will be known. */
void pending_finish(struct pending *pending);

/* How many different accesses wait. */
size_t pending_count(const struct pending *pending);

#endif
