/* SPDX-License-Identifier: MIT
 *
 * The enumerations behind channels.def and events.def. Shared by every stage; holds no code.
 */
#ifndef TALLYMAN_EVENT_H
#define TALLYMAN_EVENT_H

enum channel {
#define CHANNEL(id, name, title) CHANNEL_##id,
#include "tallyman/channels.def"
#undef CHANNEL
    CHANNEL_COUNT,
    CHANNEL_NONE = CHANNEL_COUNT
};

enum access_class {
    ACCESS_NONE,
    ACCESS_LOOK,
    ACCESS_READ,
    ACCESS_LIST,
    ACCESS_EXECUTE,
    ACCESS_WRITE,
    ACCESS_QUERY
};

enum event_kind {
#define EVENT(id, channel, class, name, text) EVENT_##id,
#include "tallyman/events.def"
#undef EVENT
    EVENT_KIND_COUNT
};

#endif
