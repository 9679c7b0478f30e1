/* SPDX-License-Identifier: MIT
 *
 * Names as they would be in every run of the same build: the project's place, the caller's home,
 * temporary names and numbers of processes are replaced by signs. Two runs are compared by such
 * names, which are shown as well.
 */
#ifndef ANALYZER_NAMING_H
#define ANALYZER_NAMING_H

#include <stdbool.h>

#include "buffer.h"
#include "group.h"
#include "map.h"

struct naming {
    struct places places;
    struct text beside;       /* of `places` */
    struct map pids;          /* of the run's processes */
    struct names temporaries; /* last parts of names that the run chose at random */
};

/* The texts of `places` are borrowed. naming_fini in any case. */
void naming_init(struct naming *naming, const struct places *places);
void naming_fini(struct naming *naming);

void naming_add_pid(struct naming *naming, int64_t pid);
/* A file, socket or folder of that name was made by the run; the bytes are borrowed. */
void naming_add_temporary(struct naming *naming, struct text path);

/* EXACT replaces what is known to be of this run alone: the project's place, names chosen at
 * random, numbers of processes in /proc. PLACES also the home folder and the folder beside the
 * project, which can be a place like any other to another run. LOOSE goes on to what may be of this
 * run: numbers that are those of processes, the user's and the host's name, anything below the
 * folders for temporary files; to be asked for what has no equal in the other run. */
enum naming_level { NAMING_EXACT, NAMING_PLACES, NAMING_LOOSE };
void naming_add(const struct naming *naming, struct text name, enum naming_level level,
                struct buffer *out);

/* In a folder where temporary files are made, and not in the project. */
bool naming_is_temporary(const struct naming *naming, struct text path);

#endif
