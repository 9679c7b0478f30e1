/* SPDX-License-Identifier: MIT */
#include "case.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *case_read(const char *name, const char *file)
{
    char path[512];
    struct buffer text = BUFFER_INIT;
    char piece[4096];
    size_t length;
    FILE *stream;

    snprintf(path, sizeof path, "%s/%s/%s", CASES, name, file);
    stream = fopen(path, "r");
    if (!stream)
        return NULL;
    while ((length = fread(piece, 1, sizeof piece, stream)) > 0)
        buffer_add(&text, piece, length);
    fclose(stream);
    return buffer_take(&text);
}

static void write_case(const char *name, const char *file, const char *text)
{
    char path[512];
    FILE *stream;

    snprintf(path, sizeof path, "%s/%s/%s", CASES, name, file);
    stream = fopen(path, "w");
    cr_assert_not_null(stream, "%s", path);
    fputs(text, stream);
    fclose(stream);
}

/* Where two texts part, for the message. */
static int first_different_line(const char *one, const char *other)
{
    int line = 1;

    for (; *one && *one == *other; one++, other++)
        line += *one == '\n';
    return line;
}

void case_render(struct small_run *run, const char *format, const struct report_settings *settings,
                 struct buffer *out)
{
    struct analysis *analysis = small_run_load(run);

    cr_assert_eq(report_format_find(format)->render(analysis, run->db, settings, out), 0);
    analysis_free(analysis);
}

void case_check(struct small_run *run, const char *name, const char *format, const char *file,
                const struct report_settings *settings)
{
    struct buffer out = BUFFER_INIT;
    char *expected = case_read(name, file);

    buffer_add_text(&out, ""); /* an empty document, too, is text */
    case_render(run, format, settings, &out);
    if (getenv("TALLYMAN_UPDATE"))
        write_case(name, file, out.data);
    else
        cr_assert(expected && strcmp(expected, out.data) == 0,
                  "%s/%s differs from line %d on; it is now:\n%s", name, file,
                  expected ? first_different_line(expected, out.data) : 0, out.data);
    free(expected);
    buffer_fini(&out);
}

void case_load(struct small_run *run, const char *name)
{
    char *events = case_read(name, "events.sql");
    char *manifest = case_read(name, "tallyman.yaml");

    cr_assert_not_null(events);
    small_run_execute(run, events);
    small_run_judge(run, manifest);
    free(events);
    free(manifest);
}
