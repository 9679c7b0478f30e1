/* SPDX-License-Identifier: MIT
 *
 * The work behind difference.h, shared by the files difference*.c alone.
 */
#ifndef ANALYZER_COMPARING_H
#define ANALYZER_COMPARING_H

#include "compared_run.h"
#include "difference.h"
#include "role.h"

#define DISTANCE_FAR 1000000u

/* Something that one of the runs used, or both, by its name of any run. */
struct thing_side {
    uint32_t subject; /* MAP_NONE: not used */
    uint32_t process; /* the nearest that used it */
    uint32_t distance;
    int64_t first;
    unsigned char bits; /* USED_*, what was not its own doing */
    unsigned char kind; /* enum event_kind, the most telling */
    bool own;           /* the run made it */
};

struct thing {
    struct text name;
    enum channel channel;
    bool passing;       /* in one of the runs: a name that nobody finds again */
    uint32_t different; /* number of its difference, from 1 on; 0 none */
    bool result;        /* made by both, with another content */
    struct thing_side sides[SIDE_COUNT];
};

struct comparing {
    struct comparison result;
    struct compared_run runs[SIDE_COUNT];
    struct alignment alignment;
    struct memory *memory;
    struct thing *things;
    uint32_t thing_count;
    uint32_t *thing_of[SIDE_COUNT]; /* by subject */
    uint32_t *distance[SIDE_COUNT]; /* by process, of its image */
    int64_t cut[SIDE_COUNT];        /* when it had come to where one of the runs failed */
    struct names drafts;            /* keys of differences */
    struct names programs;          /* that partners have at different places, by name */
    struct names variables;         /* that are in a difference */
};

/* The difference with this key, made when it is new. The texts are copied. */
struct difference *comparing_draft(struct comparing *work, const struct difference *like);
/* NULL: there is none. */
struct difference *comparing_find(struct comparing *work, const struct difference *like);
void comparing_add_member(struct comparing *work, struct difference *difference,
                          const struct difference_member *member);
/* Joins a process that has part in it: counts it, keeps the nearest. */
void comparing_add_process(struct comparing *work, struct difference *difference, int side,
                           uint32_t process);
struct text comparing_copy(struct comparing *work, const struct buffer *text);

/* difference_things.c */
void things_gather(struct comparing *work);
void things_find_results(struct comparing *work);
void things_measure(struct comparing *work);
void things_compare(struct comparing *work);
/* difference_near.c */
/* The process that tells how this one ended: itself, or what it became. */
const struct analysis_process *near_end(const struct comparing *work, int side, uint32_t image);
bool near_ends_differ(const struct comparing *work, const struct role_pair *pair);
void near_find_failure(struct comparing *work);
void near_measure(struct comparing *work);
/* difference_processes.c */
void processes_compare(struct comparing *work);
/* difference_variables.c */
void variables_compare(struct comparing *work);
/* difference_users.c */
void users_compare(struct comparing *work);

#endif
