/* SPDX-License-Identifier: MIT
 *
 * The functions behind the wrappers: what the program would have called without the shim. Found by
 * reading the loaded objects' own symbol tables from the one after the shim on (what
 * dlsym(RTLD_NEXT) means), so that other preloads keep their place. dlsym itself may allocate and
 * resets dlerror's message; this allocates nothing, takes no lock and can run at any time after
 * relocation.
 */
#ifndef PRELOAD_REAL_H
#define PRELOAD_REAL_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

enum hook {
#define HOOK(name, ret, fails, params, args, event, note)   HOOK_##name,
#define CHANGE(name, ret, fails, params, args, event, note) HOOK_##name,
#define CUSTOM(name, ret, fails, params, args, event, note) HOOK_##name,
#include "tallyman/hooks.def"
    HOOK_COUNT, /* a number of its own: the shim's start-up */
#ifdef __i386__
#    include "tallyman/hooks_time64.def"
#endif
#undef HOOK
#undef CHANGE
#undef CUSTOM
    HOOK_OLD, /* older versions follow, which never stand in the event log */
#define OLD(id, name, version64, version32, ret, fails, params, args, event)        HOOK_##id,
#define OLD_CUSTOM(id, name, version64, version32, ret, fails, params, args, event) HOOK_##id,
#include "tallyman/hooks_old.def"
#undef OLD
#undef OLD_CUSTOM
    HOOK_END
};

typedef void (*real_function)(void);

/* What a wrapper calls: the next definition of hook's symbol, or the direct function in place of
 * libc's own (direct.h). NULL when no loaded object has one. */
real_function real_find(enum hook hook);
extern real_function real_table[HOOK_END];

/* The next definition itself. */
real_function real_find_behind(enum hook hook);
extern real_function behind_table[HOOK_END];

static inline real_function real_get(enum hook hook)
{
    real_function function = __atomic_load_n(&real_table[hook], __ATOMIC_RELAXED);

    return function ? function : real_find(hook);
}

static inline real_function real_behind(enum hook hook)
{
    real_function function = __atomic_load_n(&behind_table[hook], __ATOMIC_RELAXED);

    return function ? function : real_find_behind(hook);
}

/* REAL(open)(path, flags, mode) */
#define REAL(name)   ((__typeof__(&hook_##name))real_get(HOOK_##name))
#define BEHIND(name) ((__typeof__(&hook_##name))real_behind(HOOK_##name))
#define REAL_OLD(id) ((__typeof__(&old_##id))real_get(HOOK_##id))

/* True when the next definition is libc's own. */
bool real_is_libcs(enum hook hook);

/* A symbol of libc's own, NULL when it has none of that name. */
real_function real_in_libc(const char *name);

/* libc's variable of that name (<sys/single_threaded.h>), NULL before 2.32. */
const char *real_single_threaded(void);

/* The loader's list of objects, the program first. */
const struct link_map *real_objects(void);

/* The kernel's clock through the vDSO (no system call where the hardware allows), CLOCK_MONOTONIC
 * in nanoseconds; never another preload's idea of it. */
uint64_t real_monotonic(void);

#endif
