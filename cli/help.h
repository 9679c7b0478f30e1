/* SPDX-License-Identifier: MIT
 *
 * --help of the program and of each command.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "command.h"

void help_print_program(FILE *out);
void help_print_command(const struct command *command, FILE *out);

#endif
