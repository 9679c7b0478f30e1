/* SPDX-License-Identifier: MIT
 *
 * The page lies in the shim's text, alone and unused (door_<processor>.S), until mremap moves it:
 * file-backed and never writable, so hosts that forbid writable code allow it, and no file is
 * opened. The hole that stays behind is never jumped to.
 */
#include "raw.h"

uint32_t door_state = DOOR_SHUT;

extern const char door_page[] __attribute__((visibility("hidden")));

/* Takes the place for itself, so that the move replaces nobody's memory. A kernel before 4.17 does
 * not know the flag and takes the address for a wish. */
static bool take_place(void)
{
    long at = RAW(RAW_SYS_MMAP, DOOR_ADDRESS, DOOR_SIZE, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    if (at == (long)DOOR_ADDRESS)
        return true;
    if (at > 0 || at < -4095)
        raw_unmap((void *)at, DOOR_SIZE);
    return false;
}

static bool move_page(void)
{
    long at;

    if (!take_place())
        return false;
    at = RAW(SYS_mremap, door_page, DOOR_SIZE, DOOR_SIZE, MREMAP_MAYMOVE | MREMAP_FIXED,
             DOOR_ADDRESS, 0);
    if (at == (long)DOOR_ADDRESS)
        return true;
    raw_unmap((void *)(uintptr_t)DOOR_ADDRESS, DOOR_SIZE);
    return false;
}

void door_open(void)
{
    uint32_t shut = DOOR_SHUT;

    if (__atomic_compare_exchange_n(&door_state, &shut, DOOR_MOVING, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
        __atomic_store_n(&door_state, move_page() ? DOOR_OPEN : DOOR_BLOCKED, __ATOMIC_RELEASE);
}
