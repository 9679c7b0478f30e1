/* SPDX-License-Identifier: MIT
 *
 * Command-line options as rows: parsing, --help, the man page's synopsis and shell completion all
 * come from the same table. Long options take "--name value" and "--name=value", short ones
 * "-n value" and "-nvalue"; "--" ends them. Unknown options end with usage().
 */
#ifndef BASE_OPTION_H
#define BASE_OPTION_H

#include <stdbool.h>

enum option_type {
    OPTION_FLAG,   /* bool *            present */
    OPTION_TEXT,   /* const char **     any value */
    OPTION_CHOICE, /* const char **     one of `choices`, separated by '|' */
    OPTION_NUMBER, /* long *            decimal, not negative */
    OPTION_LIST    /* struct option_list * : may be repeated */
};

struct option_list {
    const char **items;
    int count;
};

struct option {
    char letter;           /* 0 none */
    const char *name;      /* without dashes; NULL ends the table */
    enum option_type type;
    void *target;
    const char *value;     /* name of the value in help ("FILE"); completion of files for FILE, DB, DIR */
    const char *choices;   /* OPTION_CHOICE: "audit|enforce|sandbox" */
    const char *help;      /* one sentence without full stop */
};

/* Parses argv[1..]; stops at "--" (taken away) or, with `stop_at_first`, at the first word that is
 * not an option. Returns the index of the first word left. */
int option_parse(const struct option *table, int argc, char **argv, bool stop_at_first);

#endif
