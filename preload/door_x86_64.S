/* SPDX-License-Identifier: MIT
 *
 * The door for x86-64: see door.c and raw_x86_64.h.
 */
        .section .text.door, "ax", @progbits
        .globl  door_page
        .hidden door_page
        .type   door_page, @object
        .balign 4096
door_page:
        syscall
        ret
        .balign 4096, 0xcc
        .size   door_page, . - door_page
        .section .note.GNU-stack, "", @progbits
