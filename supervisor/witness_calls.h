/* SPDX-License-Identifier: MIT
 *
 * The system calls that the witness watches, and their numbers in each table of the kernel's.
 */
#ifndef WITNESS_CALLS_H
#define WITNESS_CALLS_H

#include <stddef.h>
#include <stdint.h>

enum witness_call {
#define CALL(name, shape, kind, a, b, c) WITNESS_CALL_##name,
#include "witness_calls.def"
#undef CALL
    WITNESS_CALL_COUNT
};

enum witness_shape {
    WITNESS_OPEN,
    WITNESS_OPEN_HOW,
    WITNESS_CREATE,
    WITNESS_HANDLE,
    WITNESS_PATH,
    WITNESS_LINK,
    WITNESS_PAIR,
    WITNESS_TEXT,
    WITNESS_DESCRIPTOR,
    WITNESS_EXECUTE,
    WITNESS_ADDRESS,
    WITNESS_MESSAGE,
    WITNESS_MULTIPLEX,
    WITNESS_CLOCK,
    WITNESS_VALUE,
    WITNESS_REFUSE,
    WITNESS_PRIVILEGED
};

#define WITNESS_NONE (-1)

/* A row of witness_calls.def; a, b and c are numbers of arguments or WITNESS_NONE. */
struct witness_row {
    const char *name;
    uint16_t kind; /* enum event_kind */
    uint8_t shape; /* enum witness_shape */
    int8_t a, b, c;
};

extern const struct witness_row witness_rows[WITNESS_CALL_COUNT];

/* The processor modes that one machine runs programs in. `architecture` is AUDIT_ARCH_*. */
#define WITNESS_ABIS 2
struct witness_abi {
    uint32_t architecture;
    uint32_t
        numbers[WITNESS_CALL_COUNT]; /* UINT32_MAX: this table of the kernel's has no such call */
    size_t word;                     /* size of a pointer */
};

/* Made once, by the first call; not before other threads run. */
const struct witness_abi *witness_abis(void);

/* WITNESS_CALL_COUNT: not one of them. */
enum witness_call witness_call_find(uint32_t architecture, int number);

/* The ABI of that architecture, NULL if there is none. */
const struct witness_abi *witness_abi_find(uint32_t architecture);

#endif
