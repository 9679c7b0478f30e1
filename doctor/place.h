/* SPDX-License-Identifier: MIT
 *
 * A run's folder as `tallyman run` would make it.
 */
#ifndef PLACE_H
#define PLACE_H

#include "run_directory.h"

struct place {
    struct run_facts facts;
    struct run_directory directory;
};

/* Dies with one line when it cannot be made, as run_directory_create does. */
void place_make(struct place *place);
void place_remove(struct place *place);

#endif
