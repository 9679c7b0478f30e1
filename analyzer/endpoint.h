/* SPDX-License-Identifier: MIT
 *
 * Subjects of the network channel, taken apart: "unix:/path", "unix:@abstract", "192.0.2.1:80",
 * "[2001:db8::1]:80", "netlink:0".
 */
#ifndef ANALYZER_ENDPOINT_H
#define ANALYZER_ENDPOINT_H

#include "analysis.h"

enum endpoint_kind {
    ENDPOINT_OTHER,    /* another machine, the kernel, no endpoint at all */
    ENDPOINT_PATH,     /* a socket with an absolute path */
    ENDPOINT_NAME,     /* an abstract socket, or one with a relative path */
    ENDPOINT_LOOPBACK, /* a port that this machine alone reaches */
    ENDPOINT_ANY,      /* a port at every address; connecting to it is connecting to loopback */
};

struct endpoint {
    enum endpoint_kind kind;
    struct text path; /* PATH: without "unix:" */
    int64_t port;     /* LOOPBACK, ANY */
};

struct endpoint endpoint_of(struct text subject);

/* Something that runs on this machine can be behind it. */
bool endpoint_is_local(const struct endpoint *endpoint);

/* A known daemon that listens there, a row of services.def; NULL none. */
struct service {
    const char *pattern, *name, *text;
};
const struct service *endpoint_service(struct text subject);

#endif
