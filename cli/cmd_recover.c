/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "buffer.h"
#include "command.h"
#include "derive.h"
#include "run_directory.h"
#include "supervisor.h"
#include "tallyman/status.h"

static const char *database;

const struct option cmd_recover_options[] = {
    {'o', "output", OPTION_TEXT, &database, "DB", NULL,
     "the database to add the run to; without it the one that the run was meant for"},
    {0, NULL, OPTION_FLAG, NULL, NULL, NULL, NULL}};

/* What the run's folder says of it, before it is removed; the facts are empty when it says nothing.
 */
static void read_facts(const char *folder, struct run_facts *facts)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;
    struct run_directory directory;

    *facts = (struct run_facts){.started = 0};
    if (run_directory_open(&directory, folder, &why) != 0)
        return;
    if (run_facts_read(facts, directory.folder) != 0)
        *facts = (struct run_facts){.started = 0};
    run_directory_fini(&directory);
}

int cmd_recover(int argc, char **argv)
{
    int word = option_parse(cmd_recover_options, argc, argv, false);
    cleanup_buffer struct buffer why = BUFFER_INIT;
    struct run_facts facts;
    char uuid[33];
    int status;

    if (argc - word != 1)
        usage("recover takes the folder of one run, not %d", argc - word);
    read_facts(argv[word], &facts);
    status = supervisor_recover(argv[word], database, &why);
    if (why.length)
        fprintf(status ? stderr : stdout, "%s%s", status ? "tallyman: " : "", why.data);
    if (status == 0) {
        run_facts_uuid(&facts, uuid);
        derive_by_uuid(database ? database : facts.database.data, uuid, true);
    }
    run_facts_free(&facts);
    return status ? TALLY_EXIT_FAILURE : TALLY_EXIT_CLEAN;
}
