/* SPDX-License-Identifier: MIT */
#include "group.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "category.h"
#include "endpoint.h"
#include "operation.h"

#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

bool path_is_within(struct text path, struct text folder)
{
    while (folder.length > 1 && folder.bytes[folder.length - 1] == '/')
        folder.length--;
    if (folder.length == 0 || path.length < folder.length ||
        memcmp(path.bytes, folder.bytes, folder.length) != 0)
        return false;
    return path.length == folder.length || folder.length == 1 || path.bytes[folder.length] == '/';
}

bool path_same_last_name(struct text one, struct text other)
{
    const char *a = memrchr(one.bytes, '/', one.length);
    const char *b = memrchr(other.bytes, '/', other.length);
    size_t length = a ? one.length - (size_t)(a - one.bytes) : 0;

    return a && b && length == other.length - (size_t)(b - other.bytes) &&
           memcmp(a, b, length) == 0;
}

static bool speaks_to_service(enum event_kind kind, struct text subject, int outcome)
{
    struct endpoint endpoint;

    if ((kind != EVENT_CONNECT && kind != EVENT_SEND) ||
        (outcome && outcome != EINPROGRESS && outcome != EAGAIN))
        return false;
    endpoint = endpoint_of(subject);
    return endpoint_is_local(&endpoint);
}

enum finding_class group_class(enum event_kind kind, struct text subject, int outcome)
{
    if (speaks_to_service(kind, subject, outcome))
        return FINDING_SERVICE;
    if (outcome == ENOENT || outcome == ENOTDIR)
        return FINDING_PROBE;
    /* "mkdir -p" learns by it that the folder is there, and changes nothing. */
    if (operation_class(kind) != ACCESS_WRITE || outcome == EEXIST)
        return FINDING_READ;
    return FINDING_WRITE;
}

enum channel group_channel(enum event_kind kind, struct text subject)
{
    if (operation_class(kind) == ACCESS_READ && is_random_device(subject.bytes, subject.length))
        return CHANNEL_RANDOMNESS;
    return operation_channel(kind);
}

/* The folder that holds the path, cut to `depth` names below the first `base` bytes. */
static struct text folder_of(struct text path, size_t base, int depth)
{
    struct text folder = path;

    while (folder.length > 1 && folder.bytes[folder.length - 1] != '/')
        folder.length--;
    if (folder.length > 1)
        folder.length--;
    for (size_t at = base; at < folder.length; at++)
        if (folder.bytes[at] == '/' && at > base && --depth == 0)
            folder.length = at;
    if (folder.length < base)
        folder.length = base;
    return folder;
}

/* Places with a meaning of their own, whatever lies there. */
static const struct {
    struct text folder;
    const char *kind;
} special[] = {
    {TEXT("/tmp"), "temporary"}, {TEXT("/var/tmp"), "temporary"}, {TEXT("/dev/shm"), "temporary"},
    {TEXT("/dev"), "device"},    {TEXT("/proc"), "kernel"},       {TEXT("/sys"), "kernel"},
};

static bool same(struct text one, struct text other)
{
    return one.length == other.length && memcmp(one.bytes, other.bytes, one.length) == 0;
}

struct text places_beside(const struct places *places)
{
    static const struct text none = TEXT("");
    struct text parent;

    if (places->root.length < 2)
        return none;
    parent = folder_of(places->root, 1, INT_MAX);
    if (!memchr(parent.bytes + 1, '/', parent.length - 1) || same(parent, places->home))
        return none;
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (same(parent, special[i].folder))
            return none;
    return parent;
}

enum place places_find(const struct places *places, struct text path, struct text *rest)
{
    const struct text folders[] = {
        [PLACE_ROOT] = places->root,
        [PLACE_BESIDE] = places_beside(places),
        [PLACE_HOME] = places->home,
    };

    for (int i = PLACE_ROOT; i < PLACE_ELSEWHERE; i++) {
        if (folders[i].length < 2 || !path_is_within(path, folders[i]))
            continue;
        *rest = (struct text){path.bytes + folders[i].length, path.length - folders[i].length};
        return (enum place)i;
    }
    *rest = path;
    return PLACE_ELSEWHERE;
}

static struct group group_of_package(struct text package)
{
    const char *space = memchr(package.bytes, ' ', package.length);

    if (space)
        package.length = (size_t)(space - package.bytes);
    return (struct group){"package", package, CATEGORY_COUNT};
}

/* Below these a third name still says what it is about: /usr/share/X, /var/lib/X, /mnt/disk/X. */
static int depth_below(struct text path)
{
    static const struct text deep[] = {TEXT("/usr"), TEXT("/var"), TEXT("/mnt"), TEXT("/media")};

    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++)
        if (path_is_within(path, deep[i]))
            return 3;
    return 2;
}

static struct group group_of_file(const struct places *places, enum finding_class class,
                                  struct text path, struct text package)
{
    struct text beside = places_beside(places);

    if (path.length == 0 || path.bytes[0] != '/')
        return (struct group){"unresolved", path, CATEGORY_COUNT};
    if (places->root.length > 1 && path_is_within(path, places->root))
        return (struct group){"project", folder_of(path, places->root.length, 2), CATEGORY_COUNT};
    if (beside.length && path_is_within(path, beside))
        return (struct group){"beside", folder_of(path, beside.length, 1), CATEGORY_COUNT};
    if (places->home.length > 1 && path_is_within(path, places->home))
        return (struct group){"home", folder_of(path, places->home.length, 2), CATEGORY_COUNT};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (path_is_within(path, special[i].folder))
            return (struct group){special[i].kind, special[i].folder, CATEGORY_COUNT};
    if (class == FINDING_READ && package.length)
        return group_of_package(package);
    return (struct group){"folder", folder_of(path, 1, depth_below(path)), CATEGORY_COUNT};
}

static bool starts_with(struct text text, const char *start)
{
    return text.length >= strlen(start) && memcmp(text.bytes, start, strlen(start)) == 0;
}

static const char *network_kind(enum event_kind kind, struct text subject)
{
    if (kind == EVENT_LOOKUP)
        return "name";
    if (starts_with(subject, "unix:"))
        return "unix";
    if (starts_with(subject, "netlink:"))
        return "kernel";
    if (starts_with(subject, "127.") || starts_with(subject, "[::1]"))
        return "loopback";
    return "remote";
}

struct group group_of(const struct places *places, enum channel channel, enum event_kind kind,
                      enum finding_class class, struct text subject, struct text package)
{
    struct group group = {operation_name(kind), subject, CATEGORY_COUNT};

    if (channel == CHANNEL_FILESYSTEM) {
        struct use_of_file use = {subject, package, kind, class};

        group = group_of_file(places, class, subject, package);
        group.category = category_of_file(places, &use);
        return group;
    }
    group.category = category_of_value(channel, kind, class, subject);
    if (channel == CHANNEL_NETWORK)
        group.kind = network_kind(kind, subject);
    else if (channel == CHANNEL_ENVIRONMENT)
        group.kind = kind == EVENT_LOCALE ? "locale" : "variable";
    else if (channel == CHANNEL_RANDOMNESS && operation_channel(kind) == CHANNEL_FILESYSTEM)
        group.kind = "device";
    return group;
}
