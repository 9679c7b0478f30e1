/* SPDX-License-Identifier: MIT */
#include "command.h"

#include <string.h>

#include "spelling.h"

const struct command commands[] = {
#define COMMAND(id, stop_at_first, synopsis, summary)                                              \
    {#id, synopsis, summary, cmd_##id##_options, stop_at_first, cmd_##id},
#include "commands.def"
#undef COMMAND
    {NULL, NULL, NULL, NULL, false, NULL}};

const struct command *command_find(const char *name)
{
    for (const struct command *command = commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

const char *command_nearest(const char *name)
{
    static const char *const names[] = {
#define COMMAND(id, stop_at_first, synopsis, summary) #id,
#include "commands.def"
#undef COMMAND
        "help"};

    return spelling_nearest(name, names, sizeof names / sizeof *names);
}
