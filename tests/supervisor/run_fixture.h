/* SPDX-License-Identifier: MIT
 *
 * A log, a database in a folder of its own, and what lies between them.
 */
#ifndef RUN_FIXTURE_H
#define RUN_FIXTURE_H

#include "drain.h"
#include "log_writer.h"

struct run_fixture {
    char folder[64];
    char database[96];
    int log;
    struct run_facts facts;
    struct store *store;
    struct log_reader *reader;
    struct ingest *ingest;
    struct ingest_counts counts;
    struct log_writer writer;
};

void run_fixture_start(struct run_fixture *fixture);
/* One pass as the supervisor makes it; all that was written before `safe` is in the log. `final`
 * takes chunks that are still open. */
void run_fixture_pass(struct run_fixture *fixture, bool final, uint64_t safe);
/* Takes everything that was written, ends the run, closes the database. */
void run_fixture_finish(struct run_fixture *fixture);
void run_fixture_remove(struct run_fixture *fixture);

void run_fixture_fill_facts(struct run_facts *facts);

/* The first column of the first row, as text in a static buffer; "(none)" without a row, "(null)"
 * for NULL. */
const char *run_fixture_ask(const struct run_fixture *fixture, const char *sql);
const char *database_ask(const char *path, const char *sql);

#endif
