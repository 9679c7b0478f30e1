/* SPDX-License-Identifier: MIT
 *
 * For tests of the shim: the kernel's reports of a program's calls, by the supervisor's own filter,
 * all answered with "go on".
 */
#ifndef LISTENER_H
#define LISTENER_H

#include <stddef.h>
#include <sys/types.h>

struct listener_report {
    const char *call; /* its name in witness_calls.def */
    char path[256];   /* "" where the call has none */
    int thread;
};

struct listener_reports {
    struct listener_report *list;
    size_t count;
};

/* In the child, as the last thing before exec: installs the filter and waits until the other side
 * listens. Only system calls. */
void listener_install(int socket);

/* In the parent: `socket` is the other end. Collects in a thread until listener_finish. */
struct listener *listener_start(pid_t child, int socket);
/* Waits for the last process under the filter to end; frees the listener. */
void listener_finish(struct listener *listener, struct listener_reports *reports);

/* How many reports are of that call; `path` NULL: any. */
size_t listener_count(const struct listener_reports *reports, const char *call, const char *path);
void listener_reports_free(struct listener_reports *reports);

#endif
