/* SPDX-License-Identifier: MIT */
#include "help.h"

#include <string.h>

void help_print_program(FILE *out)
{
    fputs("Usage: tallyman COMMAND [OPTION...]\n\n"
          "Stands beside a build and names whatever it uses without declaring it.\n\n"
          "Commands:\n",
          out);
    for (const struct command *command = commands; command->name; command++)
        fprintf(out, "  %-10s %s\n", command->name, command->summary);
    fputs("  help       print this, or the help of one command\n\n"
          "Options:\n"
          "  -V, --version\n"
          "  -h, --help\n\n"
          "First steps: 'tallyman run -- make', then 'tallyman report'.\n"
          "Each command: 'tallyman COMMAND --help', and man tallyman-COMMAND.\n",
          out);
}

void help_print_command(const struct command *command, FILE *out)
{
    int indent = fprintf(out, "Usage: tallyman %s", command->name);

    option_print_synopsis(command->options, out, indent);
    fprintf(out, "\n%*s %s\n\n", indent, "", command->synopsis);
    fprintf(out, "%c%s.\n\nOptions:\n", command->summary[0] - 'a' + 'A', command->summary + 1);
    option_print_help(command->options, out);
}
