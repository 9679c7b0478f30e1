/* SPDX-License-Identifier: MIT */
#include "witness_calls.h"

#include <linux/audit.h>
#include <seccomp.h>
#include <stdbool.h>
#include <string.h>

#include "tallyman/event.h"

#define NONE WITNESS_NONE
const struct witness_row witness_rows[WITNESS_CALL_COUNT] = {
#define CALL(name, shape, kind, a, b, c) {#name, EVENT_##kind, WITNESS_##shape, a, b, c},
#include "witness_calls.def"
#undef CALL
};
#undef NONE

/* Calls that libseccomp may not know yet: from 424 on a call has one number in all tables
 * (Documentation/process/adding-syscalls.rst). And those that it takes for parts of socketcall(2)
 * in 32-bit programs, which have numbers of their own since Linux 4.3. */
static const struct {
    const char *name;
    uint32_t number;
} others[] = {
    {"fchmodat2", 452},     {"setxattrat", 463},     {"getxattrat", 464},   {"listxattrat", 465},
    {"removexattrat", 466}, {"open_tree_attr", 467}, {"file_getattr", 468}, {"file_setattr", 469},
    {"sendmmsg", 345},      {"bind", 361},           {"connect", 362},      {"sendto", 369},
    {"sendmsg", 370},
};

#define NUMBERS_MAX 512

static struct witness_abi abis[WITNESS_ABIS];
static uint8_t calls[WITNESS_ABIS][NUMBERS_MAX]; /* enum witness_call + 1 */
_Static_assert(WITNESS_CALL_COUNT < UINT8_MAX, "a call does not fit its byte");

static uint32_t number_of(uint32_t libseccomp_architecture, const char *name)
{
    int number = seccomp_syscall_resolve_name_arch(libseccomp_architecture, name);

    if (number >= 0)
        return (uint32_t)number;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strcmp(others[i].name, name) == 0)
            return others[i].number;
    }
    return UINT32_MAX;
}

static void fill(size_t index, uint32_t architecture, uint32_t libseccomp_architecture, size_t word)
{
    struct witness_abi *abi = &abis[index];

    abi->architecture = architecture;
    abi->word = word;
    for (size_t i = 0; i < WITNESS_CALL_COUNT; i++) {
        uint32_t number = number_of(libseccomp_architecture, witness_rows[i].name);

        abi->numbers[i] = number < NUMBERS_MAX ? number : UINT32_MAX;
        if (number < NUMBERS_MAX)
            calls[index][number] = (uint8_t)(i + 1);
    }
}

const struct witness_abi *witness_abis(void)
{
    static bool made;

    if (!made) {
        fill(0, AUDIT_ARCH_X86_64, SCMP_ARCH_X86_64, 8);
        fill(1, AUDIT_ARCH_I386, SCMP_ARCH_X86, 4);
        made = true;
    }
    return abis;
}

const struct witness_abi *witness_abi_find(uint32_t architecture)
{
    for (size_t i = 0; i < WITNESS_ABIS; i++) {
        if (abis[i].architecture == architecture)
            return &abis[i];
    }
    return NULL;
}

enum witness_call witness_call_find(uint32_t architecture, int number)
{
    const struct witness_abi *abi = witness_abi_find(architecture);
    uint8_t call;

    if (!abi || number < 0 || number >= NUMBERS_MAX)
        return WITNESS_CALL_COUNT;
    call = calls[abi - abis][number];
    return call ? (enum witness_call)(call - 1) : WITNESS_CALL_COUNT;
}
