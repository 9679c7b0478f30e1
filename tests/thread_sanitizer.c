/* SPDX-License-Identifier: MIT
 *
 * Linked into unit tests under the thread sanitizer.
 */
#include <stdlib.h>

/* Criterion does not look at the status with which a test's process ends after its report. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "halt_on_error=1";
}

/* Criterion (by BoxFort, src/arena.c) puts what its processes share at a random address between
 * 0x200000000000 and 0x600000000000 and has no setting for it. All of that but 0x550000000000 to
 * 0x568000000000 is the sanitizer's own, so that nearly every start ended with "Could not
 * initialize inheritable arena". BoxFort alone calls rand_r here and multiplies what it gives by 16
 * MiB: this one gives what lies in both ranges, below where the kernel puts programs. */
#define FIRST 0x350000u /* 0x200000000000 + 16 MiB * this is 0x550000000000 */
#define COUNT 0x5000u   /* up to 0x555000000000 */

int rand_r(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return (int)(FIRST + (*seed >> 8) % COUNT);
}
