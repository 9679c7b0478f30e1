/* SPDX-License-Identifier: MIT */
#include "endpoint.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool starts_with(struct text text, const char *start)
{
    return text.length >= strlen(start) && memcmp(text.bytes, start, strlen(start)) == 0;
}

/* The decimal number behind the last colon; -1 none. */
static int64_t port_of(struct text subject)
{
    const char *colon = memrchr(subject.bytes, ':', subject.length);
    const char *end = subject.bytes + subject.length;
    int64_t port = 0;

    if (!colon || end - colon < 2 || end - colon > 6)
        return -1;
    for (const char *at = colon + 1; at < end; at++) {
        if (*at < '0' || *at > '9')
            return -1;
        port = port * 10 + (*at - '0');
    }
    return port < 1 << 16 ? port : -1;
}

static enum endpoint_kind kind_of_address(struct text subject)
{
    static const struct {
        const char *start;
        enum endpoint_kind kind;
    } addresses[] = {
        {"127.", ENDPOINT_LOOPBACK},         {"[::1]:", ENDPOINT_LOOPBACK},
        {"[::ffff:7f", ENDPOINT_LOOPBACK},   {"[::ffff:127.", ENDPOINT_LOOPBACK},
        {"0.0.0.0:", ENDPOINT_ANY},          {"[::]:", ENDPOINT_ANY},
        {"[::ffff:0.0.0.0]:", ENDPOINT_ANY}, {"[::ffff:0:0]:", ENDPOINT_ANY},
    };

    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        if (starts_with(subject, addresses[i].start))
            return addresses[i].kind;
    return ENDPOINT_OTHER;
}

struct endpoint endpoint_of(struct text subject)
{
    struct endpoint endpoint = {ENDPOINT_OTHER, {"", 0}, -1};

    if (starts_with(subject, "unix:")) {
        endpoint.path = (struct text){subject.bytes + 5, subject.length - 5};
        endpoint.kind = starts_with(endpoint.path, "/") ? ENDPOINT_PATH : ENDPOINT_NAME;
        return endpoint;
    }
    endpoint.port = port_of(subject);
    if (endpoint.port >= 0)
        endpoint.kind = kind_of_address(subject);
    return endpoint;
}

bool endpoint_is_local(const struct endpoint *endpoint)
{
    return endpoint->kind != ENDPOINT_OTHER;
}

static const struct service services[] = {
#define SERVICE(pattern, name, text) {pattern, name, text},
#include "services.def"
#undef SERVICE
};

const struct service *endpoint_service(struct text subject)
{
    struct endpoint endpoint = endpoint_of(subject);
    char port[32];
    const char *name = subject.bytes;

    if (!endpoint_is_local(&endpoint))
        return NULL;
    if (endpoint.port >= 0) {
        snprintf(port, sizeof port, "loopback:%" PRId64, endpoint.port);
        name = port;
    }
    for (size_t i = 0; i < sizeof services / sizeof *services; i++)
        if (fnmatch(services[i].pattern, name, 0) == 0)
            return &services[i];
    return NULL;
}
