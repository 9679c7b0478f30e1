/* SPDX-License-Identifier: MIT
 *
 * For the files with trials, doctor's own.
 */
#ifndef PROBE_H
#define PROBE_H

#include "die.h"
#include "doctor.h"

#define PROBE(id, essential, title, cost, cure)                                                    \
    void probe_##id(struct doctor_finding *finding, const struct doctor_settings *settings);
#include "probes.def"
#undef PROBE

/* The answer and its one line. */
void probe_answer(struct doctor_finding *finding, enum doctor_answer answer, const char *format,
                  ...) PRINTF_LIKE(3, 4);
/* A further sentence of the line. */
void probe_add(struct doctor_finding *finding, const char *format, ...) PRINTF_LIKE(2, 3);
void probe_cure(struct doctor_finding *finding, const char *format, ...) PRINTF_LIKE(2, 3);
void probe_number(struct doctor_finding *finding, const char *name, double value);

/* A setting of the kernel's in a file; `otherwise` when it cannot be read. */
long probe_sysctl(const char *path, long otherwise);

/* A number from /proc/self/status such as "Seccomp:"; `otherwise` when it is not there. */
long probe_own_status(const char *name, long otherwise);

/* Runs one row's function in a process of its own. */
void probe_try(const struct doctor_row *row, struct doctor_finding *finding,
               const struct doctor_settings *settings);

/* fork(2) for a step of a trial, with the exit status of the child: 0 to 255, or -1 with errno, or
 * 256 + the signal that ended it. */
int probe_step(int (*step)(const void *data), const void *data);

#endif
