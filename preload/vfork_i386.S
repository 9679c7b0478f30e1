/* SPDX-License-Identifier: MIT
 *
 * vfork for i386; see vfork_x86_64.S. The return address waits in ecx, which int 0x80 preserves.
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
        subl    $12, %esp
        .cfi_adjust_cfa_offset 12
        call    vfork_enter
        addl    $12, %esp
        .cfi_adjust_cfa_offset -12
        popl    %ecx
        .cfi_adjust_cfa_offset -4
        .cfi_register %eip, %ecx
        movl    $SYS_vfork, %eax
        int     $0x80
        pushl   %ecx
        .cfi_adjust_cfa_offset 4
        .cfi_rel_offset %eip, 0
        testl   %eax, %eax
        jz      1f
        subl    $8, %esp
        .cfi_adjust_cfa_offset 8
        pushl   %eax
        .cfi_adjust_cfa_offset 4
        call    vfork_leave
        addl    $12, %esp
        .cfi_adjust_cfa_offset -12
1:      ret
        .cfi_endproc
        .size   vfork, . - vfork
        .size   __vfork, . - __vfork
        .section .note.GNU-stack, "", @progbits
