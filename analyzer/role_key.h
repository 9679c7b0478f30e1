/* SPDX-License-Identifier: MIT
 *
 * What two processes must have in common to be partners; for alignment.c.
 */
#ifndef ANALYZER_ROLE_KEY_H
#define ANALYZER_ROLE_KEY_H

#include "map.h"
#include "role.h"

/* From the arguments and the folder as they are, to those without what may be of one run alone, the
 * program with the files that it is called with, and the program. */
enum role_likeness { LIKENESS_EXACT, LIKENESS_LOOSE, LIKENESS_FILES, LIKENESS_PROGRAM };

/* The same for processes that are alike in that way; false: this one has nothing of that kind. */
bool role_key(const struct role_run *run, uint32_t process, enum role_likeness likeness,
              struct map_key *key);

#endif
