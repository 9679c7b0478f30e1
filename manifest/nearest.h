/* SPDX-License-Identifier: MIT */
#ifndef NEAREST_H
#define NEAREST_H

/* The candidate most like `word`, when it is like it enough to have been meant; else NULL. Likeness
 * is the number of letters to insert, delete, replace or swap. `candidates` ends with NULL. */
const char *nearest_name(const char *word, const char *const *candidates);

#endif
