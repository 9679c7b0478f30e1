/* SPDX-License-Identifier: MIT
 *
 * A child under the witness's own filter, whose reports come to us.
 */
#ifndef WATCHED_H
#define WATCHED_H

#include <linux/seccomp.h>
#include <stdbool.h>
#include <sys/types.h>
#include "witness_filter.h"

/* What a trial says that cannot be made for want of a listener. */
#define WATCHED_NO_LISTENER "there is no listener"
#define WATCHED_CURE        "see \"kernel witness\""

struct watched {
    pid_t child; /* -1 with errno: it could not be started */
    struct witness_listener listener;
};

struct watched_call {
    struct seccomp_notif notice;
    char more[256]; /* what a newer kernel adds */
};

/* Starts the child: it installs the filter and then calls `work`, which makes system calls and
 * nothing else; its result is the exit status. Without a listener it ends before that. The
 * descriptors are shared with us until it executes something. */
void watched_start(struct watched *watched, int (*work)(const void *data), const void *data);

/* The next report, within five seconds; false: nobody is left, or nothing came. */
bool watched_next(const struct watched *watched, struct watched_call *call);

/* Lets it go on as it was made. */
bool watched_answer(const struct watched *watched, const struct watched_call *call);

/* Answers all further reports, until the child has ended. Its exit status, or -1. */
int watched_end(struct watched *watched);

#endif
