/* SPDX-License-Identifier: MIT
 *
 * What is fixed about operations and channels.
 */
#ifndef ANALYZER_OPERATION_H
#define ANALYZER_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tallyman/event.h"

/* A number from a database: one of an access, and not of a fact about processes? */
bool operation_is_access(int64_t number);

enum access_class operation_class(enum event_kind kind);
enum channel operation_channel(enum event_kind kind); /* CHANNEL_NONE: about processes */
const char *operation_name(enum event_kind kind);
const char *operation_text(enum event_kind kind); /* finishes "the process ..." */
/* How much it says of what happened: "it ran gcc" more than "it looked at gcc". From 0. */
int operation_telling(enum event_kind kind);
/* Does it concern a link itself, or bind a socket? `flags` are those of record.h. */
bool operation_no_follow(enum event_kind kind, int64_t flags);
const char *channel_name(enum channel channel);
const char *channel_title(enum channel channel);

/* Reading one of these files is a use of the channel randomness. */
bool is_random_device(const char *path, size_t length);

#endif
