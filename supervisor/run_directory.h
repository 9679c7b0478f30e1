/* SPDX-License-Identifier: MIT
 *
 * The folder of one run, with the event log in it. On tmpfs where there is one.
 */
#ifndef RUN_DIRECTORY_H
#define RUN_DIRECTORY_H

#include <stdint.h>
#include "run_facts.h"

#define RUN_LOG_FILE "log"

/* Id of the command's process where it does not report in; no other gets it. */
#define RUN_COMMAND_ID 1u

struct run_directory {
    char *path;     /* absolute */
    char *log_path; /* path of RUN_LOG_FILE */
    int folder;
    int log; /* open for reading and writing; -1 none */
};

/* Makes the folder and its log, or dies with one line that names all places that were tried. */
void run_directory_create(struct run_directory *directory, const struct run_facts *facts);

/* Opens the folder of an earlier run. 0, or TALLY_ERR_* with a line in `why`. */
int run_directory_open(struct run_directory *directory, const char *path, struct buffer *why);

/* A log with a filled control unit under another name in the same folder; the descriptor, or -1. */
int run_directory_make_log(const struct run_directory *directory, const char *name,
                           const struct run_facts *facts);

/* Removes the folder and what tallyman put there. */
void run_directory_remove(struct run_directory *directory);

/* Forgets it; what is on the disk stays. */
void run_directory_fini(struct run_directory *directory);

#endif
