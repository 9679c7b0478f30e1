/* SPDX-License-Identifier: MIT
 *
 * Messages over a socket pair, with a descriptor in them (unix(7), SCM_RIGHTS). No allocation.
 */
#ifndef DESCRIPTOR_MAIL_H
#define DESCRIPTOR_MAIL_H

#include <stdbool.h>
#include <stddef.h>

/* `descriptor` -1: none goes with it. */
bool descriptor_send(int channel, const void *bytes, size_t size, int descriptor);

/* False when the other end is closed, or the message has another size. `*descriptor` is set when
 * one came with it, and closed on exec. */
bool descriptor_receive(int channel, void *bytes, size_t size, int *descriptor);

#endif
