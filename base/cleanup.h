/* SPDX-License-Identifier: MIT
 *
 * Variables that release what they own when they go out of scope (gcc and clang).
 *   cleanup_free char *text = xstrdup("...");     return steal_ptr(&text);
 *   cleanup_close int fd = open(...);
 */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>

static inline void cleanup_free_pointer(void *pointer)
{
    free(*(void **)pointer);
}

static inline void cleanup_close_descriptor(const int *fd)
{
    int error = errno;

    if (*fd >= 0)
        close(*fd);
    errno = error;
}

static inline void cleanup_close_stream(FILE *const *stream)
{
    if (*stream)
        fclose(*stream);
}

static inline void *steal_pointer(void *pointer)
{
    void **from = pointer;
    void *taken = *from;

    *from = NULL;
    return taken;
}

static inline int steal_descriptor(int *fd)
{
    int taken = *fd;

    *fd = -1;
    return taken;
}

#define cleanup_free   __attribute__((cleanup(cleanup_free_pointer)))
#define cleanup_close  __attribute__((cleanup(cleanup_close_descriptor)))
#define cleanup_stream __attribute__((cleanup(cleanup_close_stream)))

/* Hands the pointer on and forgets it, with its type. */
#define steal_ptr(pointer) ((__typeof__(*(pointer)))steal_pointer(pointer))

#endif
