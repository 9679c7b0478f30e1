/* SPDX-License-Identifier: MIT
 *
 * The system call instruction of x86-64 (System V ABI, AMD64 supplement, A.2.1): number and result
 * in rax, arguments in rdi rsi rdx r10 r8 r9; rcx and r11 are lost. A result in -4095..-1 is
 * -errno.
 */
#ifndef PRELOAD_RAW_X86_64_H
#define PRELOAD_RAW_X86_64_H

#include "tallyman/door.h"

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

/* The same instruction in the door's page: door_x86_64.S. The compiler may have values in the 128
 * bytes below the stack pointer. A call and its return cost a third of two jumps. */
static inline long raw_syscall_from_door(long number, long a, long b, long c, long d, long e,
                                         long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;

    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
                     "movl %[door], %%ecx\n\t"
                     "call *%%rcx\n\t"
                     "leaq 128(%%rsp), %%rsp"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
                       "r"(r9), [door] "i"(DOOR_ADDRESS)
                     : "rcx", "r11", "memory");
    return result;
}

/* Calls whose number or passing of 64-bit arguments differs from processor to processor. */
static inline long raw_fstat(int fd, struct stat64 *status)
{
    return raw_syscall(SYS_fstat, fd, (long)status, 0, 0, 0, 0);
}

static inline long raw_fallocate(int fd, uint64_t offset, uint64_t size)
{
    return raw_syscall(SYS_fallocate, fd, 0, (long)offset, (long)size, 0, 0);
}

static inline long raw_pread(int fd, void *to, size_t size, uint64_t offset)
{
    return raw_syscall(SYS_pread64, fd, (long)to, (long)size, (long)offset, 0, 0);
}

static inline long raw_map_at(size_t size, int protection, int flags, int fd, uint64_t offset)
{
    return raw_syscall(SYS_mmap, 0, (long)size, protection, flags, fd, (long)offset);
}

/* The number of stat at a folder, for syscall(2). */
#define RAW_SYS_FSTATAT SYS_newfstatat

#define RAW_PAGE 4096u

/* That of mmap, with an offset of 0. */
#define RAW_SYS_MMAP SYS_mmap

/* struct stat, struct timespec and the like are as the kernel has them: libc converts nothing. */
#define RAW_STRUCTURES_FIT 1

/* The ELF class and machine that this shim can be loaded into. */
#define RAW_ELF_CLASS   2  /* ELFCLASS64 */
#define RAW_ELF_MACHINE 62 /* EM_X86_64 */

#endif
