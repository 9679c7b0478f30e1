/* SPDX-License-Identifier: MIT
 *
 * The door for x86-64: see door.c and raw_x86_64.h. The way back is in rbx, which the kernel keeps: no
 * stack is used, so the compiler may have values below the stack pointer.
 */
        .section .text.door, "ax", @progbits
        .globl  door_page
        .hidden door_page
        .type   door_page, @object
        .balign 4096
door_page:
        syscall
        jmp     *%rbx
        .balign 4096, 0xcc
        .size   door_page, . - door_page
        .section .note.GNU-stack, "", @progbits
