/* SPDX-License-Identifier: MIT
 *
 * The door for i386: see door.c and raw_i386.h. Every register may hold an argument: the way back is on
 * the stack.
 */
        .section .text.door, "ax", @progbits
        .globl  door_page
        .hidden door_page
        .type   door_page, @object
        .balign 4096
door_page:
        int     $0x80
        ret
        .balign 4096, 0xcc
        .size   door_page, . - door_page
        .section .note.GNU-stack, "", @progbits
