/* SPDX-License-Identifier: MIT
 *
 * `tallyman manifest suggest` and `init`: a manifest from what runs used.
 */
#ifndef CLI_MANIFEST_SUGGEST_H
#define CLI_MANIFEST_SUGGEST_H

#include <stdbool.h>

struct suggest_settings {
    const char *output; /* "-" standard output */
    long run;           /* 0 the newest */
    bool tight, loose;
    bool force; /* replaces a manifest that is there */
};

/* From runs in databases, the default one where there are none. Both return the exit status. */
int manifest_suggest(int count, char **databases, const struct suggest_settings *settings);
/* From a run of the command that is made now; `argv` ends with NULL. */
int manifest_init(char **argv, const struct suggest_settings *settings);

#endif
