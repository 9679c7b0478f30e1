/* SPDX-License-Identifier: MIT
 *
 * Cases: a folder with events.sql, tallyman.yaml where there is one, and what the formats make of
 * it. With TALLYMAN_UPDATE in the environment the expected files are written anew.
 */
#ifndef TESTS_CASE_H
#define TESTS_CASE_H

#include "reports.h"
#include "small_run.h"

/* The file's text, NULL when it does not exist. The caller frees. */
char *case_read(const char *name, const char *file);

/* Fills the run and judges it. */
void case_load(struct small_run *run, const char *name);

void case_render(struct small_run *run, const char *format, const struct report_settings *settings,
                 struct buffer *out);
/* Renders and compares. */
void case_check(struct small_run *run, const char *name, const char *format, const char *file,
                const struct report_settings *settings);

#endif
