/* SPDX-License-Identifier: MIT
 *
 * Command-line options as rows: parsing, --help, the man page's synopsis and shell completion all
 * come from the same table. Long options take "--name value" and "--name=value", short ones
 * "-n value" and "-nvalue", and flags can share a dash ("-qa"); "--" ends them. Options and words
 * may be mixed unless the caller says otherwise. Unknown options end with usage(). Every table has
 * "-h, --help" without naming it.
 */
#ifndef BASE_OPTION_H
#define BASE_OPTION_H

#include <stdbool.h>
#include <stdio.h>

enum option_type {
    OPTION_FLAG,   /* bool *            present */
    OPTION_TEXT,   /* const char **     any value */
    OPTION_CHOICE, /* const char **     one of `choices`, separated by '|' */
    OPTION_NUMBER, /* long *            decimal, not negative */
    OPTION_LIST /* struct option_list * : may be repeated; one of `choices` where there are any */
};

struct option_list {
    const char **items;
    int count;
};

struct option {
    char letter;      /* 0 none */
    const char *name; /* without dashes; NULL ends the table */
    enum option_type type;
    void *target;
    const char
        *value; /* name of the value in help ("FILE"); completion of files for FILE, DB, DIR */
    const char *choices; /* OPTION_CHOICE, OPTION_LIST: "audit|enforce|sandbox" */
    const char *help;    /* one sentence without full stop */
};

/* Parses argv[1..]; stops at "--" (taken away) or, with `stop_at_first`, at the first word that is
 * not an option. Words before the last option are moved behind it, in their order. Returns the
 * index of the first word left. */
int option_parse(const struct option *table, int argc, char **argv, bool stop_at_first);

/* True when option_parse would meet -h or --help; stores nothing. To be asked before it. */
bool option_wants_help(const struct option *table, int argc, char **argv, bool stop_at_first);

/* What is printed from a table: the rows of --help; "[-m FILE] [--all]" for a synopsis, wrapped to
 * `indent`; the same for a man page (man(7)); the OPTIONS paragraphs of a man page. */
void option_print_help(const struct option *table, FILE *out);
void option_print_synopsis(const struct option *table, FILE *out, int indent);
void option_print_man_synopsis(const struct option *table, FILE *out);
void option_print_man(const struct option *table, FILE *out);

/* Shell completion. bash: a line of all option words, then one `case` arm for each option that
 * takes a value. zsh: arguments of _arguments, one a line. fish: `complete` lines for `command`. */
void option_print_bash(const struct option *table, FILE *out);
void option_print_zsh(const struct option *table, FILE *out);
void option_print_fish(const struct option *table, const char *command, FILE *out);

/* Text for a man page: escapes what roff would take as a request, and makes '-' a real
 * hyphen-minus. */
void option_print_roff(const char *text, FILE *out);

#endif
