/* SPDX-License-Identifier: MIT
 *
 * Events whose subject is worked out from a call's arguments: clocks, zones, locales, addresses,
 * limits.
 */
#ifndef PRELOAD_NOTE_VALUES_H
#define PRELOAD_NOTE_VALUES_H

#include <locale.h>
#include <langinfo.h>
#include <sys/socket.h>
#include <time.h>

#include "note.h"

void note_clock(const struct call *call, clockid_t clock);
void note_zone(const struct call *call);
void note_variable(const struct call *call, const char *name, const char *value);
void note_locale(const struct call *call, int category, const char *locale, const char *result);
void note_new_locale(const struct call *call, int mask, const char *locale);
void note_language(const struct call *call, nl_item item, const char *result);
void note_address(const struct call *call, enum event_kind kind, const struct sockaddr *address,
                  socklen_t length);
void note_message(const struct call *call, const struct msghdr *message);
void note_messages(const struct call *call, const struct mmsghdr *messages, int sent);
/* A named object that libc keeps in a folder of its own; `name` may start with slashes. */
void note_shared(const struct call *call, enum event_kind kind, const char *folder,
                 const char *name);
void note_number(const struct call *call, enum event_kind kind, const char *prefix,
                 uint64_t number);
void note_configuration(const struct call *call, int name);
void note_limit(const struct call *call, int resource);

#endif
