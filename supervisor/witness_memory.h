/* SPDX-License-Identifier: MIT
 *
 * Reading the memory of a process that waits in a system call. Everything in it is the program's
 * and may change while it is read.
 */
#ifndef WITNESS_MEMORY_H
#define WITNESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How many bytes of [at, at + size) could be read, from the start; -1 none, with errno. */
ssize_t witness_read(pid_t thread, uint64_t at, void *to, size_t size);

/* Length of the string at `at`, read to `to` with its NUL; at most `room` - 1 bytes. -1: it cannot
 * be read, with errno (ENAMETOOLONG: there is no NUL within the room; `to` holds what was read). */
ssize_t witness_read_string(pid_t thread, uint64_t at, char *to, size_t room);

#endif
