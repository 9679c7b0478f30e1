/* SPDX-License-Identifier: MIT */
#include "report_output.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "quote.h"
#include "tallyman/status.h"

bool report_output_is_standard(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

/* A step of GitHub Actions has its summary in a file beside what it prints. */
static int add_step_summary(const struct analysis *analysis)
{
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    cleanup_buffer struct buffer summary = BUFFER_INIT;

    if (!path || !*path)
        return TALLY_EXIT_CLEAN;
    report_step_summary(analysis, &summary);
    if (report_append(path, &summary) == 0)
        return TALLY_EXIT_CLEAN;
    warn_errno("cannot add to the summary of the step (GITHUB_STEP_SUMMARY)");
    return TALLY_EXIT_FAILURE;
}

int report_output(const struct judged_run *judged, const char *format,
                  const struct report_settings *settings, const char *path)
{
    cleanup_buffer struct buffer document = BUFFER_INIT;

    if (report_format_find(format)->render(judged->analysis, judged->db, settings, &document) !=
        0) {
        warn("cannot read the run: %s", sqlite3_errmsg(judged->db));
        return TALLY_EXIT_FAILURE;
    }
    if (report_write(path, &document) != 0) {
        cleanup_buffer struct buffer shown = BUFFER_INIT;

        if (report_output_is_standard(path))
            buffer_add_text(&shown, "standard output");
        else
            quote_display(&shown, path, strlen(path));
        warn_errno("cannot write the report to %s", shown.data);
        return TALLY_EXIT_FAILURE;
    }
    return strcmp(format, "github") == 0 ? add_step_summary(judged->analysis) : TALLY_EXIT_CLEAN;
}
