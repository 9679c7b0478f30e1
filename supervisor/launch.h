/* SPDX-License-Identifier: MIT
 *
 * Starting a program under the shim, so that it finds everything else as without tallyman: its
 * environment but for two variables, its descriptors, its signals.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include <signal.h>
#include <sys/types.h>
#include "run_directory.h"
#include "witness_filter.h"

#define LAUNCH_PROBE_LOG "probe" /* in the run's folder */
#define LAUNCH_SHIM_LINK                                                                           \
    "libtallyman.so" /* likewise; where the shim's path cannot be preloaded                        \
                      */

/* Signals as the caller of tallyman had them, for the command. */
struct launch_signals {
    sigset_t mask;
    struct sigaction child; /* SIGCHLD */
};

/* Path of the shim that can stand in LD_PRELOAD, to be freed. NULL and a line in `why`: there is
 * none that can be read. */
char *launch_find_shim(const char *given, const struct run_directory *directory,
                       struct buffer *why);

/* Starts a small program under the shim and waits for its first record. 0, or TALLY_ERR_SYSTEM with
 * the reason in `why`. */
int launch_probe(const struct run_directory *directory, const struct run_facts *facts,
                 const char *shim, const struct launch_signals *signals, struct buffer *why);

/* Who is told of the kernel's listener, in the parent, before the command runs. */
struct launch_watch {
    void (*start)(void *context, struct witness_listener listener);
    void *context;
};

/* Starts the command; `shim` is NULL for one that it does not fit, `watch` where no listener is
 * wanted. Its pid; or one of these with errno. */
#define LAUNCH_NO_PROCESS (-1)
#define LAUNCH_NO_PROGRAM (-2) /* errno is exec(3)'s */
pid_t launch_command(char *const *argv, const char *shim, const char *log_path,
                     const struct launch_signals *signals, const struct launch_watch *watch);

#endif
