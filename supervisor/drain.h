/* SPDX-License-Identifier: MIT
 *
 * Moves the event log into the database while the build runs. Two threads: one beats the heart that
 * writers look at and does nothing else, so it never waits for a disk; the other reads, stores and
 * gives room back. When the database fails the build goes on: nothing is given back any more, and
 * the log keeps all that is not safe.
 */
#ifndef DRAIN_H
#define DRAIN_H

#include "ingest.h"

struct drain;

/* `log` is borrowed, as are the rest. `store` NULL: there is no database, only the heart beats. */
struct drain *drain_new(int log, struct store *store, const struct policy *policy,
                        struct ingest_counts *counts, bool trust_marks);
void drain_free(struct drain *drain);

/* Starts the threads; the caller has all signals blocked. */
void drain_start(struct drain *drain);

/* Ends the threads; writers are told that the log is closed. */
void drain_stop(struct drain *drain);

/* Nobody shall wait for room any more: the records stay in the log. */
void drain_give_up(struct drain *drain);

/* Takes everything that is left. The threads must not run. */
void drain_rest(struct drain *drain);

struct ingest *drain_ingest(struct drain *drain); /* NULL without a store */

/* How many accesses an earlier supervisor had taken and not stored when it died. */
uint32_t drain_pending_before(const struct drain *drain);

/* True when the log was, or may have been, closed to the build before drain_stop: records of which
 * nobody knows are missing. */
bool drain_closed_early(const struct drain *drain);
struct log_totals drain_totals(const struct drain *drain);

#endif
