/* SPDX-License-Identifier: MIT
 *
 * The rows of events.def and channels.def by number.
 */
#include "operation.h"

#include <string.h>

#include "tallyman/record.h"

static const struct {
    enum channel channel;
    enum access_class class;
    const char *name, *text;
} operations[] = {
#define EVENT(id, channel, class, name, text) {CHANNEL_##channel, ACCESS_##class, name, text},
#include "tallyman/events.def"
#undef EVENT
};

static const struct {
    const char *name, *title;
} channels[] = {
#define CHANNEL(id, name, title) {name, title},
#include "tallyman/channels.def"
#undef CHANNEL
};

bool operation_is_access(int64_t number)
{
    return number > 0 && number < EVENT_KIND_COUNT && operations[number].channel != CHANNEL_NONE;
}

enum access_class operation_class(enum event_kind kind)
{
    return operations[kind].class;
}

enum channel operation_channel(enum event_kind kind)
{
    return operations[kind].channel;
}

const char *operation_name(enum event_kind kind)
{
    return operations[kind].name;
}

const char *operation_text(enum event_kind kind)
{
    return operations[kind].text;
}

int operation_telling(enum event_kind kind)
{
    static const int ranks[] = {
        [ACCESS_LOOK] = 1, [ACCESS_QUERY] = 1,   [ACCESS_LIST] = 2,
        [ACCESS_READ] = 3, [ACCESS_EXECUTE] = 4, [ACCESS_WRITE] = 5,
    };

    /* Likewise a variable that was read, to one that could be seen. */
    return 2 * ranks[operation_class(kind)] + (kind != EVENT_VISIBLE && kind != EVENT_LOAD);
}

bool operation_no_follow(enum event_kind kind, int64_t flags)
{
    return (flags & RECORD_NO_FOLLOW) || kind == EVENT_READLINK || kind == EVENT_BIND;
}

const char *channel_name(enum channel channel)
{
    return channels[channel].name;
}

const char *channel_title(enum channel channel)
{
    return channels[channel].title;
}

bool is_random_device(const char *path, size_t length)
{
    static const char *const devices[] = {"/dev/urandom", "/dev/random", "/dev/hwrng"};

    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (length == strlen(devices[i]) && memcmp(path, devices[i], length) == 0)
            return true;
    return false;
}
