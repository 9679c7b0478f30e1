/* SPDX-License-Identifier: MIT
 *
 * The system call instruction of i386: number and result in eax, arguments in ebx ecx edx esi edi
 * ebp (Linux, arch/x86/entry). int 0x80 works with every kernel; the faster way through the vDSO
 * needs a pointer that is not set before the loader has run.
 */
#ifndef PRELOAD_RAW_I386_H
#define PRELOAD_RAW_I386_H

#include "tallyman/door.h"

static inline long raw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    /* ebx is the GOT pointer of position-independent code and ebp may be the frame: both by hand.
     */
    const long all[] = {number, a, b, c, d, e, f};
    long result;

    __asm__ volatile("pushl %%ebx\n\t"
                     "pushl %%ebp\n\t"
                     "movl 4(%%eax), %%ebx\n\t"
                     "movl 8(%%eax), %%ecx\n\t"
                     "movl 12(%%eax), %%edx\n\t"
                     "movl 16(%%eax), %%esi\n\t"
                     "movl 20(%%eax), %%edi\n\t"
                     "movl 24(%%eax), %%ebp\n\t"
                     "movl (%%eax), %%eax\n\t"
                     "int $0x80\n\t"
                     "popl %%ebp\n\t"
                     "popl %%ebx"
                     : "=a"(result)
                     : "a"(all)
                     : "ecx", "edx", "esi", "edi", "cc", "memory");
    return result;
}

/* The same instruction in the door's page: door_i386.S. */
static inline long raw_syscall_from_door(long number, long a, long b, long c, long d, long e,
                                         long f)
{
    const long all[] = {number, a, b, c, d, e, f};
    long result;

    __asm__ volatile("pushl %%ebx\n\t"
                     "pushl %%ebp\n\t"
                     "pushl %[door]\n\t"
                     "movl 4(%%eax), %%ebx\n\t"
                     "movl 8(%%eax), %%ecx\n\t"
                     "movl 12(%%eax), %%edx\n\t"
                     "movl 16(%%eax), %%esi\n\t"
                     "movl 20(%%eax), %%edi\n\t"
                     "movl 24(%%eax), %%ebp\n\t"
                     "movl (%%eax), %%eax\n\t"
                     "call *(%%esp)\n\t"
                     "addl $4, %%esp\n\t"
                     "popl %%ebp\n\t"
                     "popl %%ebx"
                     : "=a"(result)
                     : "a"(all), [door] "i"(DOOR_ADDRESS)
                     : "ecx", "edx", "esi", "edi", "cc", "memory");
    return result;
}

/* Calls whose number or passing of 64-bit arguments differs from processor to processor. */
static inline long raw_fstat(int fd, struct stat64 *status)
{
    return raw_syscall(SYS_fstat64, fd, (long)status, 0, 0, 0, 0);
}

static inline long raw_fallocate(int fd, uint64_t offset, uint64_t size)
{
    return raw_syscall(SYS_fallocate, fd, 0, (long)offset, (long)(offset >> 32), (long)size,
                       (long)(size >> 32));
}

static inline long raw_pread(int fd, void *to, size_t size, uint64_t offset)
{
    return raw_syscall(SYS_pread64, fd, (long)to, (long)size, (long)offset, (long)(offset >> 32),
                       0);
}

/* mmap2 counts in pages of 4096 bytes, so the log may be larger than 4 GiB. */
static inline long raw_map_at(size_t size, int protection, int flags, int fd, uint64_t offset)
{
    return raw_syscall(SYS_mmap2, 0, (long)size, protection, flags, fd, (long)(offset >> 12));
}

/* The number of stat at a folder, for syscall(2). */
#define RAW_SYS_FSTATAT SYS_fstatat64

#define RAW_PAGE 4096u

/* That of mmap, with an offset of 0. */
#define RAW_SYS_MMAP SYS_mmap2

/* libc converts struct stat, 32-bit times and user numbers of 16 bits. */
#define RAW_STRUCTURES_FIT 0

/* The ELF class and machine that this shim can be loaded into. */
#define RAW_ELF_CLASS   1 /* ELFCLASS32 */
#define RAW_ELF_MACHINE 3 /* EM_386 */

#endif
