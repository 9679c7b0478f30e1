/* SPDX-License-Identifier: MIT
 *
 * Inside of the process table: process_table.c keeps the rows, process_lineage.c finds out who
 * started whom.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include "execution.h"
#include "id_map.h"
#include "process_table.h"

struct process {
    uint64_t serial;
    uint64_t parent; /* serial; 0 unknown or none */
    uint64_t started;
    uint64_t ended;
    uint32_t pid;
    uint32_t parent_pid;
    int64_t exe;
    int32_t status;                               /* of wait(2); valid once `ended` */
    int64_t user_us, system_us, max_resident_kib; /* < 0 unknown */
    int64_t environment;
    const char *how;
    const char *shim;
    struct process *same_pid; /* the one before it with this pid */
    struct process *spawned;  /* the one before it in the table's list of that name */
    struct buffer argv;       /* since the row was last written */
    struct buffer cwd;
    uint32_t calls;     /* of the exec family, whose outcome is not known yet */
    bool reported;      /* PROCESS_START was seen */
    bool witnessed;     /* by the witness: there is no shim in it */
    bool first;         /* as the supervisor started it */
    bool settled;       /* the call that made it is known */
    bool orphan;        /* was in the list of those */
    bool stored_before; /* by an earlier reader; its call may still be read */
    bool has_argv;
    bool has_environment;
    bool stored; /* the row is there */
    bool dirty;  /* it is not as it should be */
};

/* A child's end whose process is not known yet. */
struct early_end {
    uint32_t pid;
    uint64_t execution; /* names the process where nobody was told its pid; 0 none */
    int32_t status;
    uint64_t time;
    struct child_usage usage;
    bool has_usage;
};

struct process_table {
    struct store *store;
    struct timeline *timeline;
    struct executions *executions;
    struct id_map by_serial;
    struct id_map by_pid; /* the newest to be seen */
    struct id_map by_execution;
    struct id_map spawned; /* by its parent: the newest whose call was not named, by the witness */
    struct process *first;
    struct process **orphans; /* their parent is to be found by pid and time */
    size_t orphan_count, orphan_room;
    uint64_t last_made; /* serial of a row that no process has reported */
    struct process **dirty;
    size_t dirty_count, dirty_room;
    struct early_end *ends;
    size_t end_count, end_room;
};

/* The process of that serial; made, as one whose start was not seen, when there is none. */
struct process *process_get(struct process_table *table, uint64_t serial,
                            const struct record *head);
/* To be written again. */
void process_touch(struct process_table *table, struct process *process);
void process_index_pid(struct process_table *table, struct process *process);

/* The image names an execution, 0 for that of the command. Programs without shim hand the name of
 * theirs on, so the first to have it is the one that it was given to; the others are orphans. */
void process_claim(struct process_table *table, struct process *process, uint64_t execution,
                   const struct subject *exe);
void process_add_orphan(struct process_table *table, struct process *process);
/* Finds parents of orphans that started before `safe`. `final`: no more calls will be read. */
void process_adopt(struct process_table *table, uint64_t safe, bool final);
/* An execution_sink for one that is complete. */
void process_settle(void *context, const struct execution *execution);

struct image_word {
    const char *word; /* process.shim */
    enum blind_spot class;
};
const struct image_word *process_image_word(uint32_t class);

#endif
