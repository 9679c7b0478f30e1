/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "buffer.h"
#include "command.h"
#include "supervisor.h"
#include "tallyman/status.h"

static const char *database;

const struct option cmd_recover_options[] = {
    {'o', "output", OPTION_TEXT, &database, "DB", NULL,
     "the database to add the run to; without it the one that the run was meant for"},
    {0, NULL, OPTION_FLAG, NULL, NULL, NULL, NULL}};

int cmd_recover(int argc, char **argv)
{
    int word = option_parse(cmd_recover_options, argc, argv, false);
    cleanup_buffer struct buffer why = BUFFER_INIT;
    int status;

    if (argc - word != 1)
        usage("recover takes the folder of one run, not %d", argc - word);
    status = supervisor_recover(argv[word], database, &why);
    if (why.length)
        fprintf(status ? stderr : stdout, "%s%s", status ? "tallyman: " : "", why.data);
    return status ? TALLY_EXIT_FAILURE : TALLY_EXIT_CLEAN;
}
