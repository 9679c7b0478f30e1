/* SPDX-License-Identifier: MIT */
#ifndef TALLYMAN_STATUS_H
#define TALLYMAN_STATUS_H

/* Results of functions that read data: 0 or a count is success, these are failures. */
enum tally_status_index {
#define STATUS(id, text) TALLY_STATUS_INDEX_##id,
#include "tallyman/status.def"
#undef STATUS
    TALLY_STATUS_COUNT
};

enum tally_status {
#define STATUS(id, text) TALLY_ERR_##id = -1 - TALLY_STATUS_INDEX_##id,
#include "tallyman/status.def"
#undef STATUS
};

/* Exit statuses of the program (DESIGN: command line). */
enum tally_exit {
    TALLY_EXIT_CLEAN = 0,
    TALLY_EXIT_FINDINGS = 1,
    TALLY_EXIT_USAGE = 2,
    TALLY_EXIT_INCOMPLETE = 3,
    TALLY_EXIT_FAILURE = 125,
    TALLY_EXIT_NOT_EXECUTABLE = 126,
    TALLY_EXIT_NOT_FOUND = 127,
};

/* The text of a TALLY_ERR_* value; never NULL. */
const char *tally_strstatus(int status);

#endif
