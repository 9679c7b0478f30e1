/* SPDX-License-Identifier: MIT
 *
 * Who is writing: the process (an id that is never used twice in a run), kept right across fork,
 * vfork, clone and exec without a system call per event.
 */
#ifndef PRELOAD_SELF_H
#define PRELOAD_SELF_H

#include <stdbool.h>
#include <stdint.h>

#include "tallyman/record.h"

enum self_state { SELF_NEW, SELF_ACTIVE, SELF_OFF };

/* Fills a page that the kernel clears in a forked child (MADV_WIPEONFORK, Linux 4.14). */
struct self_page {
    uint32_t pid;       /* 0: just forked */
    uint32_t announced; /* PROCESS_START was written */
    uint64_t process;   /* id in the run */
} __attribute__((aligned(4096)));

/* Per thread; the whole of the shim's thread-local storage. A vfork child shares it with its
 * parent's thread, which waits. */
struct self_thread {
    uint32_t asks;      /* > 0: another process may be running on this memory: ask for the pid */
    uint32_t guest_pid; /* that process, once seen */
    uint64_t guest_process; /* its id */
    uint32_t thread;        /* thread id ... */
    uint32_t thread_pid;    /* ... and the pid it was asked under */
    void *exec_map;         /* environment of an exec that a vfork child made in this memory */
    uint64_t exec_map_size;
};

extern struct self_page self_page;
extern uint32_t self_state;
extern __thread struct self_thread self_thread __attribute__((tls_model("initial-exec")));

/* Slow paths of self_active. */
bool self_start(void);
bool self_forked(void);
bool self_guest(void);

/* True when there is a run to report to. Every wrapper asks this first. */
static inline bool self_active(void)
{
    if (__builtin_expect(__atomic_load_n(&self_state, __ATOMIC_ACQUIRE) != SELF_ACTIVE, 0))
        return __atomic_load_n(&self_state, __ATOMIC_ACQUIRE) == SELF_NEW && self_start();
    if (__builtin_expect(__atomic_load_n(&self_page.pid, __ATOMIC_RELAXED) == 0, 0))
        return self_forked();
    return __builtin_expect(self_thread.asks == 0, 1) || self_guest();
}

/* The id of the process that runs now. */
static inline uint64_t self_process(void)
{
    return __builtin_expect(self_thread.guest_pid != 0, 0) ? self_thread.guest_process
                                                           : self_page.process;
}

/* Fills in process, pid and thread. */
void self_identify(struct record *record);

#endif
