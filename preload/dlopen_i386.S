/* SPDX-License-Identifier: MIT
 *
 * dlopen and dlmopen for i386; see dlopen_x86_64.S. `name` is the distance of that argument from the
 * return address.
 */
        .text
        .macro  loading_wrapper symbol, other_space, name
        .globl  \symbol
        .type   \symbol, @function
        .p2align 4
\symbol:
        .cfi_startproc
        subl    $4, %esp
        .cfi_adjust_cfa_offset 4
        pushl   \name+4(%esp)
        .cfi_adjust_cfa_offset 4
        pushl   $\other_space
        .cfi_adjust_cfa_offset 4
        call    loading_enter
        addl    $12, %esp
        .cfi_adjust_cfa_offset -12
        jmp     *%eax
        .cfi_endproc
        .size   \symbol, . - \symbol
        .endm

        loading_wrapper dlopen, 0, 4
        loading_wrapper dlmopen, 1, 8
        .section .note.GNU-stack, "", @progbits
