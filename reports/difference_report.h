/* SPDX-License-Identifier: MIT
 *
 * Turns a comparison of two runs into a document.
 */
#ifndef REPORTS_DIFFERENCE_REPORT_H
#define REPORTS_DIFFERENCE_REPORT_H

#include "difference.h"
#include "reports.h"

struct difference_settings {
    struct report_settings page;       /* `all`: every difference with all its members */
    const char *databases[SIDE_COUNT]; /* their paths, as the user gave them */
};

typedef void (*difference_renderer)(const struct comparison *comparison,
                                    const struct difference_settings *settings, struct buffer *out);

/* NULL when there is none of that name. */
difference_renderer difference_renderer_find(const char *format);
/* "text|json|markdown", for a table of options. */
#define DIFFERENCE_FORMAT_CHOICES (&difference_format_choices[1])
extern const char difference_format_choices[];

#define DIFFERENCE_FORMAT(name, text)                                                              \
    void difference_render_##name(const struct comparison *comparison,                             \
                                  const struct difference_settings *settings, struct buffer *out);
#include "difference_formats.def"
#undef DIFFERENCE_FORMAT

#endif
