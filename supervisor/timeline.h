/* SPDX-License-Identifier: MIT
 *
 * Which image a pid was at a time. Told by marks that may come in any order and more than once: the
 * starts of images and of forked children, calls of exec(2) by that pid, and its end as its parent
 * learned of it. The kernel's witness names what it saw by pid and time alone; this answers whose
 * it was.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tallyman/record.h"

struct timeline;

struct timeline *timeline_new(void);
void timeline_free(struct timeline *timeline);

/* What the record tells, if it is of a kind that does. */
void timeline_mark(struct timeline *timeline, const struct record *head);
/* A start or an end that no record tells. `serial` is the process's id in the log; `executed`: a
 * new image, no fork. */
void timeline_start(struct timeline *timeline, uint32_t pid, uint64_t time, uint64_t serial,
                    bool executed);
void timeline_end(struct timeline *timeline, uint32_t pid, uint64_t time);

enum place_kind {
    PLACE_ROW,   /* it is known who did what the pid did then: `serial` */
    PLACE_OPEN,  /* a start that is not known yet may tell */
    PLACE_NOBODY /* the pid has ended, and nobody had reported under it */
};

struct place {
    enum place_kind kind;
    uint64_t serial;  /* PLACE_ROW */
    uint64_t before;  /* serial of the image that had started as the pid by then, 0 none */
    uint64_t since;   /* time of the last mark before: what has the same has the same place */
    bool after_call;  /* an exec is under way, as far as is known */
    bool before_call; /* nobody has started, and what comes next is no forked child */
};

/* Every mark with a time before `until` is there now. Of later ones some may be missing, so those
 * that are there do not count yet. */
void timeline_known(struct timeline *timeline, uint64_t until);

/* For a time that is known. */
struct place timeline_find(const struct timeline *timeline, uint32_t pid, uint64_t time);

/* The image that an exec of the pid, called at that time, became: the next to start, with nothing
 * but calls in between (the kernel tells of the same call once more). Its serial; 0 none. */
uint64_t timeline_became(const struct timeline *timeline, uint32_t pid, uint64_t time);

/* Changes with every mark of the pid that begins to count, or ceases to. */
size_t timeline_version(const struct timeline *timeline, uint32_t pid);

#endif
