/* SPDX-License-Identifier: MIT
 *
 * The known name that someone who misspelt one most likely meant.
 */
#ifndef BASE_SPELLING_H
#define BASE_SPELLING_H

#include <stddef.h>

/* Number of letters to insert, remove, replace or swap with their neighbour to make one of the
 * other; small and capital letters are the same. */
size_t spelling_distance(const char *one, const char *other);

/* The name in `names` with the smallest distance to `word`; NULL when none is close enough to be a
 * slip of the finger (more than a third of the letters wrong). */
const char *spelling_nearest(const char *word, const char *const *names, size_t count);
/* The same for names that end with a NULL. */
const char *spelling_nearest_of(const char *word, const char *const *names);

#endif
