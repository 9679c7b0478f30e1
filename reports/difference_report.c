/* SPDX-License-Identifier: MIT */
#include "difference_report.h"

#include <string.h>

static const struct {
    const char *name;
    difference_renderer render;
} formats[] = {
#define DIFFERENCE_FORMAT(name, text) {#name, difference_render_##name},
#include "difference_formats.def"
#undef DIFFERENCE_FORMAT
};

difference_renderer difference_renderer_find(const char *format)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, format) == 0)
            return formats[i].render;
    return NULL;
}

const char difference_format_choices[] =
#define DIFFERENCE_FORMAT(name, text) "|" #name
#include "difference_formats.def"
#undef DIFFERENCE_FORMAT
    ;
