/* SPDX-License-Identifier: MIT */
#include "reports.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "render.h"
#include "tallyman/status.h"

#define WIDTH_OF_NO_TERMINAL 100
#define NARROWEST            40

static const struct report_format formats[] = {
#define FORMAT(name, text) {#name, text, render_##name},
#include "formats.def"
#undef FORMAT
};

const struct report_format *report_format_find(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

const char report_format_choices[] =
#define FORMAT(name, text) "|" #name
#include "formats.def"
#undef FORMAT
    ;

void report_settings_for(int descriptor, struct report_settings *settings)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    struct winsize size;

    settings->colour = isatty(descriptor) && !(no_colour && *no_colour) &&
                       !(terminal && strcmp(terminal, "dumb") == 0);
    settings->width = WIDTH_OF_NO_TERMINAL;
    if (isatty(descriptor) && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        settings->width = size.ws_col < NARROWEST ? NARROWEST : size.ws_col;
}

static int write_all(int file, const struct buffer *document)
{
    size_t done = 0;

    while (done < document->length) {
        ssize_t wrote = write(file, document->data + done, document->length - done);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return TALLY_ERR_SYSTEM;
        done += (size_t)wrote;
    }
    return 0;
}

/* The name that an ordinary open would have given: mkstemp makes files that only the owner reads.
 */
static void open_to_others(int file)
{
    mode_t mask = umask(0);

    umask(mask);
    fchmod(file, 0666 & ~mask);
}

static int write_beside(const char *path, const struct buffer *document)
{
    cleanup_free char *temporary = xprintf("%s.XXXXXX", path);
    cleanup_close int file = mkostemp(temporary, O_CLOEXEC);
    int error;

    if (file < 0)
        return TALLY_ERR_SYSTEM;
    open_to_others(file);
    if (write_all(file, document) == 0 && fsync(file) == 0 && rename(temporary, path) == 0)
        return 0;
    error = errno;
    unlink(temporary);
    errno = error;
    return TALLY_ERR_SYSTEM;
}

int report_write(const char *path, const struct buffer *document)
{
    cleanup_close int file = -1;
    struct stat status;

    if (!path || strcmp(path, "-") == 0)
        return write_all(STDOUT_FILENO, document);
    /* A device or a pipe (/dev/stderr, a FIFO) is written to and never replaced. */
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return file < 0 ? TALLY_ERR_SYSTEM : write_all(file, document);
    }
    return write_beside(path, document);
}

int report_append(const char *path, const struct buffer *document)
{
    cleanup_close int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);

    return file < 0 ? TALLY_ERR_SYSTEM : write_all(file, document);
}
