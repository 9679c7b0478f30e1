/* SPDX-License-Identifier: MIT
 *
 * The processes of a run and how they come from one another, put together from records that arrive
 * in any order: a child's may be read long before its parent's. What is known goes to the store
 * with process_table_write; what only became known later changes the row then.
 */
#ifndef PROCESS_TABLE_H
#define PROCESS_TABLE_H

#include "log_reader.h"
#include "store.h"
#include "timeline.h"

struct process_table;

/* Both are borrowed. The marks of the timeline are the caller's, but for those of rows that are
 * found to be missing. */
struct process_table *process_table_new(struct store *store, struct timeline *timeline);
/* Takes over what an earlier reader of the same log stored. */
void process_table_load(struct process_table *table);
void process_table_free(struct process_table *table);

/* process.id of the process that wrote the record; it gets a row even if its start was lost. */
int64_t process_table_id(struct process_table *table, const struct record *head);

void process_table_start(struct process_table *table, const struct record_view *record,
                         const struct subject *exe);
void process_table_argument(struct process_table *table, const struct record_view *record);
void process_table_environment(struct process_table *table, const struct record_view *record);
void process_table_exit(struct process_table *table, const struct record_view *record);
/* The same for a child of the supervisor. */
void process_table_ended(struct process_table *table, uint32_t pid, int status, uint64_t time,
                         const struct child_usage *usage);
/* `program` is NULL after a failure of the store. */
void process_table_execute(struct process_table *table, const struct record_view *record,
                           const struct subject *program);
void process_table_execute_failed(struct process_table *table, const struct record_view *record);

/* process.id of the process with that serial. */
int64_t process_table_row(const struct process_table *table, uint64_t serial);
bool process_table_knows(const struct process_table *table, uint64_t serial);
/* True, too, for one that is not known. */
bool process_table_has_shim(const struct process_table *table, uint64_t serial);
/* A row, and its serial, for a child that never reported in, of the process `parent` (0 unknown).
 */
uint64_t process_table_child(struct process_table *table, uint32_t pid, uint32_t parent_pid,
                             uint64_t time, uint64_t parent, const char *how);

/* Writes the rows that changed; the timeline has all marks before `safe`. */
void process_table_write(struct process_table *table, uint64_t safe);

/* The command was started as process `pid`. Where that never reported in it is added under the id
 * RUN_COMMAND_ID, with its blind spot; true then. After the last record, before the ends. */
bool process_table_command(struct process_table *table, uint32_t pid, uint64_t time,
                           enum image_class class, const struct subject *exe);

/* Nothing more will come. First what never reported in gets its rows, then the rest is settled. */
void process_table_add_missing(struct process_table *table);
void process_table_finish(struct process_table *table);

/* process.id of the newest process with that pid, 0 none. */
int64_t process_table_find_pid(const struct process_table *table, uint32_t pid);

size_t process_table_count(const struct process_table *table);

#endif
