/* SPDX-License-Identifier: MIT
 *
 * Finds the command and hands over to it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "help.h"
#include "quote.h"
#include "tallyman/status.h"

/* What was printed must have arrived: a full disk behind a report is an error. */
static int finish(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (errno == EPIPE)
            return status;
        warn_errno("cannot write to standard output");
        return TALLY_EXIT_FAILURE;
    }
    return status;
}

static _Noreturn void refuse_unknown(const char *name)
{
    cleanup_buffer struct buffer shown = BUFFER_INIT;
    const char *nearest = command_nearest(name);

    quote_display(&shown, name, strlen(name));
    buffer_add_char(&shown, '\'');
    if (nearest)
        usage("unknown command '%s; did you mean '%s'?", shown.data, nearest);
    usage("unknown command '%s", shown.data);
}

static int help(int argc, char **argv)
{
    const struct command *command;

    if (argc < 2) {
        help_print_program(stdout);
        return finish(TALLY_EXIT_CLEAN);
    }
    command = command_find(argv[1]);
    if (!command)
        refuse_unknown(argv[1]);
    help_print_command(command, stdout);
    return finish(TALLY_EXIT_CLEAN);
}

static int run_command(const struct command *command, int argc, char **argv)
{
    if (option_wants_help(command->options, argc, argv, command->stop_at_first)) {
        help_print_command(command, stdout);
        return finish(TALLY_EXIT_CLEAN);
    }
    return finish(command->function(argc, argv));
}

int main(int argc, char **argv)
{
    bool version = false;
    const struct option options[] = {
        {'V', "version", OPTION_FLAG, &version, NULL, NULL, "print the version and end"},
        {0, NULL, OPTION_FLAG, NULL, NULL, NULL, NULL}};
    const struct command *command;
    int word;

    if (option_wants_help(options, argc, argv, true))
        return help(1, argv);
    word = option_parse(options, argc, argv, true);
    if (version) {
        printf("tallyman %s\n", TALLYMAN_VERSION);
        return finish(TALLY_EXIT_CLEAN);
    }
    if (word >= argc) {
        help_print_program(stderr);
        return TALLY_EXIT_USAGE;
    }
    if (strcmp(argv[word], "help") == 0)
        return help(argc - word, argv + word);
    command = command_find(argv[word]);
    if (!command)
        refuse_unknown(argv[word]);
    return run_command(command, argc - word, argv + word);
}
