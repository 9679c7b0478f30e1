/* SPDX-License-Identifier: MIT */
#ifndef SHIM_ENVIRONMENT_H
#define SHIM_ENVIRONMENT_H

/* A copy of `environ` that makes a program load the shim and report to the log: LD_PRELOAD and
 * TALLYMAN_RUN_VARIABLE are added or changed in place, all the rest is the same in the same order.
 */
char **shim_environment_new(const char *shim, const char *log_path);
/* Says in such a copy that the kernel reports the run. Allocates nothing. */
void shim_environment_witnessed(char **environment);
void shim_environment_free(char **environment);

#endif
