/* SPDX-License-Identifier: MIT */
#include "endpoint.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "group.h"

static struct text text(const char *bytes)
{
    return (struct text){bytes, strlen(bytes)};
}

static void check_service(const char *subject, const char *name)
{
    const struct service *service = endpoint_service(text(subject));

    cr_assert(service ? name && strcmp(service->name, name) == 0 : !name, "%s is %s", subject,
              service ? service->name : "unknown");
}

Test(endpoint, well_known_daemons_have_a_name)
{
    check_service("unix:/run/docker.sock", "docker");
    check_service("unix:/var/run/docker.sock", "docker");
    check_service("unix:/run/dbus/system_bus_socket", "system bus");
    check_service("unix:/run/user/1000/gnupg/S.gpg-agent", "gpg-agent");
    check_service("unix:/home/ann/.gnupg/S.gpg-agent.ssh", "gpg-agent");
    check_service("unix:/var/run/nscd/socket", "nscd");
    check_service("unix:/run/systemd/resolve/io.systemd.Resolve", "systemd-resolved");
    check_service("unix:@/tmp/.X11-unix/X0", "X11");
    check_service("unix:/home/ann/.cache/watchman/ann-state/sock", "watchman");
    check_service("127.0.0.1:4226", "sccache");
    check_service("[::1]:4226", "sccache");
    check_service("127.0.0.53:53", "resolver");
}

Test(endpoint, other_machines_and_unknown_addresses_have_none)
{
    check_service("192.0.2.1:4226", NULL);
    check_service("[2001:db8::1]:4226", NULL);
    check_service("127.0.0.1:4227", NULL);
    check_service("127.0.0.1:42260", NULL);
    check_service("unix:/srv/own", NULL);
    check_service("unix:docker.sock", NULL);
    check_service("netlink:0", NULL);
    check_service("", NULL);
}

static void check_class(enum event_kind kind, const char *subject, int outcome,
                        enum finding_class class)
{
    cr_assert_eq(group_class(kind, text(subject), outcome), class, "%s", subject);
}

Test(endpoint, who_answers_on_this_machine_is_a_service)
{
    check_class(EVENT_CONNECT, "unix:/run/x", 0, FINDING_SERVICE);
    check_class(EVENT_CONNECT, "unix:@x", 0, FINDING_SERVICE);
    check_class(EVENT_SEND, "[::1]:9", 0, FINDING_SERVICE);
    check_class(EVENT_CONNECT, "127.0.0.1:9", EINPROGRESS, FINDING_SERVICE);
    check_class(EVENT_CONNECT, "[::ffff:127.0.0.1]:9", 0, FINDING_SERVICE);
}

Test(endpoint, who_does_not_answer_or_is_elsewhere_is_none)
{
    check_class(EVENT_CONNECT, "unix:/run/x", ENOENT, FINDING_PROBE);
    check_class(EVENT_CONNECT, "127.0.0.1:9", ECONNREFUSED, FINDING_READ);
    check_class(EVENT_CONNECT, "192.0.2.1:9", 0, FINDING_READ);
    check_class(EVENT_CONNECT, "netlink:0", 0, FINDING_READ);
    check_class(EVENT_BIND, "127.0.0.1:9", 0, FINDING_READ);
    check_class(EVENT_LOOKUP, "127.0.0.1", 0, FINDING_READ);
}
