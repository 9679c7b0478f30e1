/* SPDX-License-Identifier: MIT
 *
 * vfork for x86-64. The child returns from here on the parent's stack and overwrites what lies below, so
 * the return address is kept in rdi, which the kernel preserves (glibc does the same). Around the call
 * this thread is marked as sharing its memory: what the child does is then recorded as the child's.
 */
#include <sys/syscall.h>

        .text
        .globl  vfork
        .globl  __vfork
        .type   vfork, @function
        .type   __vfork, @function
        .p2align 4
vfork:
__vfork:
        .cfi_startproc
        sub     $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    vfork_enter
        add     $8, %rsp
        .cfi_adjust_cfa_offset -8
        pop     %rdi
        .cfi_adjust_cfa_offset -8
        .cfi_register %rip, %rdi
        mov     $SYS_vfork, %eax
        syscall
        push    %rdi
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rip, 0
        test    %rax, %rax
        jz      1f
        mov     %rax, %rdi
        sub     $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    vfork_leave
        add     $8, %rsp
        .cfi_adjust_cfa_offset -8
1:      ret
        .cfi_endproc
        .size   vfork, . - vfork
        .size   __vfork, . - __vfork
        .section .note.GNU-stack, "", @progbits
