/* SPDX-License-Identifier: MIT
 *
 * The exported names of the wrappers for older versions: name@version, which the compilers have no
 * common way to say. Every x86 processor knows the jump.
 */
        .text
#ifdef __i386__
#    define VERSION(version64, version32) version32
#else
#    define VERSION(version64, version32) version64
#endif
#define STUB(id, name, version)                                                                    \
        .globl  versioned_##id;                                                                    \
        .type   versioned_##id, @function;                                                         \
        .symver versioned_##id, name@version, remove;                                              \
versioned_##id:                                                                                    \
        .cfi_startproc;                                                                            \
        jmp     old_##id;                                                                          \
        .cfi_endproc;                                                                              \
        .size   versioned_##id, . - versioned_##id;
#define OLD(id, name, version64, version32, ret, fails, params, args, event)                       \
        STUB(id, name, VERSION(version64, version32))
#define OLD_CUSTOM(id, name, version64, version32, ret, fails, params, args, event)                \
        STUB(id, name, VERSION(version64, version32))
#include "tallyman/hooks_old.def"
        .section .note.GNU-stack, "", @progbits
