/* SPDX-License-Identifier: MIT
 *
 * The system call instruction of x86-64 (System V ABI, AMD64 supplement, A.2.1): number and result
 * in rax, arguments in rdi rsi rdx r10 r8 r9; rcx and r11 are lost. A result in -4095..-1 is
 * -errno.
 */
#ifndef PRELOAD_RAW_X86_64_H
#define PRELOAD_RAW_X86_64_H

static inline long raw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* The ELF class and machine that this shim can be loaded into. */
#define RAW_ELF_CLASS   2  /* ELFCLASS64 */
#define RAW_ELF_MACHINE 62 /* EM_X86_64 */

#endif
