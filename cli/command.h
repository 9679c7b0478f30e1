/* SPDX-License-Identifier: MIT
 *
 * The subcommands of tallyman: one row in commands.def and one file cmd_<name>.c each.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "option.h"

struct command {
    const char *name;
    const char *synopsis; /* the words after the options: "[--] COMMAND [ARG...]" */
    const char *summary;  /* finishes "tallyman NAME: ...", without full stop */
    const struct option *options;
    bool stop_at_first; /* as option_parse; the command passes the same value */
    /* argv[0] is the command's own name. Returns the exit status. */
    int (*function)(int argc, char **argv);
};

extern const struct command commands[]; /* ends with a NULL name */

/* NULL when there is none of that name. */
const struct command *command_find(const char *name);
/* The name that someone who typed `name` most likely meant, or NULL. */
const char *command_nearest(const char *name);

/* Each of cmd_<name>.c. */
#define COMMAND(id, stop_at_first, synopsis, summary)                                              \
    int cmd_##id(int argc, char **argv);                                                           \
    extern const struct option cmd_##id##_options[];
#include "commands.def"
#undef COMMAND

#endif
