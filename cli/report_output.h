/* SPDX-License-Identifier: MIT
 *
 * Renders a run in one of the output formats and writes it where the user wants it.
 */
#ifndef CLI_REPORT_OUTPUT_H
#define CLI_REPORT_OUTPUT_H

#include <stdbool.h>

#include "judged_run.h"
#include "reports.h"

/* "-" and NULL are standard output. */
bool report_output_is_standard(const char *path);

/* `format` is one of REPORT_FORMAT_CHOICES. 0, or an exit status after the reason was said on
 * stderr. */
int report_output(const struct judged_run *judged, const char *format,
                  const struct report_settings *settings, const char *path);

#endif
