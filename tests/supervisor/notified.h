/* SPDX-License-Identifier: MIT
 *
 * A child whose execs and clock reads the kernel reports to us, and all that it starts.
 */
#ifndef TESTS_NOTIFIED_H
#define TESTS_NOTIFIED_H

#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct notified {
    pid_t child;
    int listener;
};

/* Starts a child that installs the filter and then calls `work`, which shall not return. */
struct notified notified_start(void (*work)(const void *data), const void *data);

/* The next report; false when nobody is left who could make one, or nothing comes for 20 s. */
bool notified_next(const struct notified *notified, struct seccomp_notif *call);

/* Lets the call go on as it was made. False when nobody waits for that any more. */
bool notified_continue(const struct notified *notified, const struct seccomp_notif *call);

bool notified_is_exec(const struct seccomp_notif *call);

/* Closes the listener; the child is the caller's to wait for. */
void notified_end(struct notified *notified);

#endif
