/* SPDX-License-Identifier: MIT
 *
 * Which execution is behind a stream of popen's, for pclose, which waits for it inside libc. Holds
 * a number of them; of what is more the end is not known.
 */
#ifndef PRELOAD_PIPES_H
#define PRELOAD_PIPES_H

#include <stdint.h>

/* popen has just returned it. */
void pipes_keep(const void *stream, uint64_t execution);

/* Before pclose, after which another thread may get a stream at the same place. 0: none known. */
uint64_t pipes_take(const void *stream);

#endif
