/* SPDX-License-Identifier: MIT
 *
 * Messages of the programs, all on stderr as "tallyman: ...". Never used by the shim.
 *   die, die_errno   the user's world is at fault: one line, exit TALLY_EXIT_FAILURE
 *   usage            wrong command line: one line, a hint at --help, exit TALLY_EXIT_USAGE
 *   BUG              our own fault: message and abort
 *   warn             the run goes on
 */
#ifndef BASE_DIE_H
#define BASE_DIE_H

#include <stdarg.h>
#include <stddef.h>

#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

void warn(const char *format, ...) PRINTF_LIKE(1, 2);
void warn_errno(const char *format, ...) PRINTF_LIKE(1, 2);
_Noreturn void die(const char *format, ...) PRINTF_LIKE(1, 2);
_Noreturn void die_errno(const char *format, ...) PRINTF_LIKE(1, 2);
_Noreturn void usage(const char *format, ...) PRINTF_LIKE(1, 2);
_Noreturn void bug_at(const char *file, int line, const char *format, ...) PRINTF_LIKE(3, 4);

#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)

/* Allocators that die when there is no memory. The caller owns the result (free). */
void *xmalloc(size_t size) __attribute__((malloc, alloc_size(1), returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2), returns_nonnull));
void *xrealloc(void *old, size_t size) __attribute__((alloc_size(2), returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
char *xmemdup(const void *bytes, size_t length)
    __attribute__((malloc, returns_nonnull)); /* adds a NUL */
char *xprintf(const char *format, ...) PRINTF_LIKE(1, 2) __attribute__((returns_nonnull));

#endif
