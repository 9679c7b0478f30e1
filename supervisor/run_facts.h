/* SPDX-License-Identifier: MIT
 *
 * What is known about a run before it starts: the first row of the database, and a file beside the
 * event log, so that `recover` can make the row when the database was lost.
 */
#ifndef RUN_FACTS_H
#define RUN_FACTS_H

#include <stddef.h>
#include <stdint.h>
#include "buffer.h"
#include "supervisor.h"

#define RUN_FACTS_FILE "run"

/* Bytes that may be unknown (data NULL). */
struct fact {
    char *data;
    size_t length;
};

struct run_facts {
    uint8_t id[16];
    uint64_t started;   /* Unix time, ns */
    uint64_t monotonic; /* at that moment */
#define FACT(name) struct fact name;
#include "run_facts.def"
#undef FACT
};

/* Fills in everything from the options and the machine. */
void run_facts_collect(struct run_facts *facts, const struct run_options *options);
void run_facts_free(struct run_facts *facts);

/* The uuid as the database has it: 32 hex digits and a NUL. */
void run_facts_uuid(const struct run_facts *facts, char uuid[33]);

/* Writes and reads RUN_FACTS_FILE in the folder. 0 or TALLY_ERR_SYSTEM, TALLY_ERR_FORMAT. */
int run_facts_write(const struct run_facts *facts, int folder);
int run_facts_read(struct run_facts *facts, int folder);

#endif
