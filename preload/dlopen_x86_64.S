/* SPDX-License-Identifier: MIT
 *
 * dlopen and dlmopen for x86-64: note the call, then jump to libc's with registers and return address as
 * they were, for libc finds the caller by it.
 */
        .text
        .macro  loading_wrapper symbol, other_space, name
        .globl  \symbol
        .type   \symbol, @function
        .p2align 4
\symbol:
        .cfi_startproc
        push    %rdi
        .cfi_adjust_cfa_offset 8
        push    %rsi
        .cfi_adjust_cfa_offset 8
        push    %rdx
        .cfi_adjust_cfa_offset 8
        mov     \name, %rsi
        mov     $\other_space, %edi
        call    loading_enter
        pop     %rdx
        .cfi_adjust_cfa_offset -8
        pop     %rsi
        .cfi_adjust_cfa_offset -8
        pop     %rdi
        .cfi_adjust_cfa_offset -8
        jmp     *%rax
        .cfi_endproc
        .size   \symbol, . - \symbol
        .endm

        loading_wrapper dlopen, 0, %rdi
        loading_wrapper dlmopen, 1, %rsi
        .section .note.GNU-stack, "", @progbits
