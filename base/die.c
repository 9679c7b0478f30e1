/* SPDX-License-Identifier: MIT */
#include "die.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tallyman/status.h"

static void message(const char *format, va_list arguments, int error)
{
    fputs("tallyman: ", stderr);
    vfprintf(stderr, format, arguments);
    if (error)
        fprintf(stderr, ": %s", strerror(error));
    fputc('\n', stderr);
}

void warn(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    message(format, arguments, 0);
    va_end(arguments);
}

void warn_errno(const char *format, ...)
{
    int error = errno;
    va_list arguments;

    va_start(arguments, format);
    message(format, arguments, error);
    va_end(arguments);
}

void die(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    message(format, arguments, 0);
    va_end(arguments);
    exit(TALLY_EXIT_FAILURE);
}

void die_errno(const char *format, ...)
{
    int error = errno;
    va_list arguments;

    va_start(arguments, format);
    message(format, arguments, error);
    va_end(arguments);
    exit(TALLY_EXIT_FAILURE);
}

void usage(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    message(format, arguments, 0);
    va_end(arguments);
    fputs("Try 'tallyman --help'.\n", stderr);
    exit(TALLY_EXIT_USAGE);
}

void bug_at(const char *file, int line, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "%s:%d: ", file, line);
    va_start(arguments, format);
    message(format, arguments, 0);
    va_end(arguments);
    abort();
}

static void *checked(void *memory)
{
    if (!memory)
        die("out of memory");
    return memory;
}

void *xmalloc(size_t size)
{
    return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *old, size_t size)
{
    return checked(realloc(old, size ? size : 1));
}

char *xstrdup(const char *text)
{
    return checked(strdup(text));
}

char *xmemdup(const void *bytes, size_t length)
{
    char *copy = xmalloc(length + 1);

    if (length)
        memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

char *xprintf(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        die("out of memory");
    va_end(arguments);
    return text;
}
