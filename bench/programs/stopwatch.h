/* SPDX-License-Identifier: MIT
 *
 * Time for the benchmarks' own use, without any function that a preloaded library may replace.
 */
#ifndef STOPWATCH_H
#define STOPWATCH_H

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline int64_t stopwatch_now(void)
{
    struct timespec now;

#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_clock_gettime), "D"(CLOCK_MONOTONIC), "S"(&now)
                     : "rcx", "r11", "memory");
    (void)result;
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
