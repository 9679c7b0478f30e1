/* SPDX-License-Identifier: MIT
 *
 * Tiny programs for trials, made in memory: nothing but the kernel, and a loader where there is
 * one, is needed to run them. The instructions are those of one processor; the file is program.c.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

/* Exit statuses of the static one. */
enum { PROGRAM_WITHOUT_VDSO, PROGRAM_WITH_VDSO, PROGRAM_NOT_EXECUTED };

/* A descriptor to execute (execveat(2), AT_EMPTY_PATH); -1 with errno.
 *   static   calls uname(2), then looks for a vDSO in its auxiliary vector
 *   narrow   dynamic, 32-bit, needs libc.so.6, ends with 0 */
int program_static(void);
int program_narrow(void);

/* The loader that the latter names. */
#define PROGRAM_NARROW_LOADER "/lib/ld-linux.so.2"

#endif
