/* SPDX-License-Identifier: MIT
 *
 * What this machine lets tallyman see and enforce. Each row of probes.def is tried, end to end, in
 * a process of its own with a time limit: whatever the kernel, a filter around us or a broken mount
 * does to a trial, the others go on.
 */
#ifndef DOCTOR_H
#define DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include "buffer.h"

#define DOCTOR_SCHEMA_VERSION 1
#define DOCTOR_SECONDS        10

enum doctor_answer {
    DOCTOR_NO,
    DOCTOR_LIMITED, /* it works, with a loss that the detail names */
    DOCTOR_YES
};

struct doctor_settings {
    const char *database; /* where the next run would be added */
    long seconds;         /* for one trial */
};

struct doctor_number {
    char name[24];
    double value;
};

/* What one trial found. Plain bytes: it lies in memory shared with the process of the trial. */
struct doctor_finding {
    enum doctor_answer answer;
    bool finished;
    char detail[400]; /* one line, empty when there is nothing to say */
    char cure[400];   /* in place of the table's, for this failure */
    struct doctor_number numbers[6];
    int number_count;
};

struct doctor_row {
    const char *id; /* stable, for scripts */
    bool essential; /* without it `tallyman run` does not do its main job */
    const char *title;
    const char *cost; /* of its lack */
    const char *cure; /* NULL: there is none */
    void (*function)(struct doctor_finding *finding, const struct doctor_settings *settings);
};

extern const struct doctor_row doctor_rows[];
extern const size_t doctor_row_count;

struct doctor_report {
    struct doctor_finding *findings; /* doctor_row_count of them */
    char kernel[130];                /* name and release */
    char machine[65];                /* processor */
    unsigned user;
    bool administrator; /* may install a seccomp filter without no_new_privs */
    int filters;        /* seccomp filters around us, -1 not told */
};

/* Tries everything. The caller frees. */
void doctor_examine(struct doctor_report *report, const struct doctor_settings *settings);
void doctor_report_free(struct doctor_report *report);

/* True when all that is essential works, fully or with limits. */
bool doctor_is_well(const struct doctor_report *report);

void doctor_print_text(const struct doctor_report *report, bool colour, struct buffer *out);
void doctor_print_json(const struct doctor_report *report, struct buffer *out);

const char *doctor_answer_word(enum doctor_answer answer);
/* The cure that fits this finding; NULL none, or none needed. */
const char *doctor_cure(const struct doctor_row *row, const struct doctor_finding *finding);

#endif
