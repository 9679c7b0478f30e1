/* SPDX-License-Identifier: MIT
 *
 * Calls of the exec family, until it is known what became of them. Three records tell: the call
 * itself, and then either its failure or the start of the image that it made. They arrive in any
 * order.
 */
#ifndef EXECUTION_H
#define EXECUTION_H

#include "log_reader.h"
#include "subject_table.h"

struct execution {
    uint64_t id;
    uint64_t process; /* who called; 0: the call was not seen */
    uint64_t started; /* process of the new image; 0: none reported in */
    uint64_t time;
    int64_t program; /* subject.id; 0: a name without path that nothing was found for */
    char *name;      /* of the program */
    size_t name_length;
    uint32_t pid;
    uint32_t flags;
    int32_t error; /* of a failed call */
    uint16_t hook;
    uint8_t image; /* enum image_class */
    bool in_place; /* the caller itself becomes the image, as far as the function's name tells */
};

typedef void (*execution_sink)(void *context, const struct execution *execution);

struct executions;

/* `settled` is called for each that is complete, with `context`. */
struct executions *executions_new(execution_sink settled, void *context);
void executions_free(struct executions *executions);

/* False when the record makes no sense. */
bool executions_called(struct executions *executions, const struct record_view *record,
                       const struct subject *program);
void executions_started(struct executions *executions, uint64_t id, uint64_t process,
                        const struct subject *exe);
void executions_failed(struct executions *executions, uint64_t id, int32_t error);

/* Hands on what stayed incomplete: calls without an image, images without a call. */
void executions_finish(struct executions *executions, execution_sink unobserved,
                       execution_sink orphan, void *context);

#endif
