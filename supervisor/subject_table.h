/* SPDX-License-Identifier: MIT
 *
 * The subjects that the database has, by name, in memory. A cache: subject_table_trim may empty it.
 */
#ifndef SUBJECT_TABLE_H
#define SUBJECT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct subject {
    uint64_t hash;
    int64_t id;      /* subject.id; 0: not yet in the database */
    uint64_t judged; /* ingest: bit for each kind that was judged for the progress line */
    uint32_t length;
    uint8_t channel;
    bool resolved; /* ingest: the kernel's name was asked for */
    bool made;     /* ingest: the build made it */
    char name[];
};

struct subject_table;

struct subject_table *subject_table_new(void);
void subject_table_free(struct subject_table *table);

/* The entry of that name, made when there is none. It stays where it is until subject_table_trim.
 */
struct subject *subject_table_get(struct subject_table *table, uint8_t channel, const char *name,
                                  size_t length);

/* Empties the table when it has grown beyond its bound; only while no entry is in use. */
void subject_table_trim(struct subject_table *table);

#endif
