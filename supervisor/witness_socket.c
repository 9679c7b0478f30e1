/* SPDX-License-Identifier: MIT
 *
 * Addresses of sockets, in the words that the shim has for them.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tallyman/event.h"
#include "witness_look.h"
#include "witness_memory.h"
#include "witness_path.h"

#define NAME_MAX_SHOWN 512u /* of a socket */
#define MESSAGES_MAX   1024 /* of one call; the kernel looks at no more (UIO_MAXIOV) */

static void look_unix(struct witness_view *view, uint16_t kind, const struct sockaddr_un *address,
                      size_t length)
{
    char text[NAME_MAX_SHOWN + PATH_MAX], name[sizeof address->sun_path + 1] = "";
    char folder[PATH_MAX] = "";
    size_t room = length - offsetof(struct sockaddr_un, sun_path);
    bool abstract = room && !address->sun_path[0];
    const char *from = name;
    struct sight *sight;
    uint32_t flags = 0;

    if (room == 0)
        return; /* a name of the kernel's choice */
    memcpy(name, address->sun_path + abstract, room - abstract);
    if (!abstract && name[0] != '/' &&
        witness_folder((pid_t)view->notice->pid, AT_FDCWD, folder, sizeof folder - 1, &flags)) {
        strcat(folder, "/");
        while (from[0] == '.' && from[1] == '/')
            from += 2;
    }
    snprintf(text, sizeof text, "unix:%s%s%s", abstract ? "@" : "", folder, from);
    sight = witness_add_text(view, kind, text);
    if (sight && !abstract && kind != EVENT_BIND)
        sight->error = witness_look_at((pid_t)view->notice->pid, view->task->leader, kind,
                                       text + strlen("unix:"), 0, F_OK);
}

void witness_look_address(struct witness_view *view, uint16_t kind, uint64_t at, uint64_t length)
{
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_in6 in6;
        struct sockaddr_un un;
        struct sockaddr_nl nl;
        struct sockaddr_storage all;
    } address;
    char text[NAME_MAX_SHOWN], number[INET6_ADDRSTRLEN];
    size_t size = length < sizeof address ? (size_t)length : sizeof address;

    if (at == 0 || size < sizeof address.any.sa_family)
        return;
    memset(&address, 0, sizeof address);
    if (witness_read((pid_t)view->notice->pid, at, &address, size) != (ssize_t)size) {
        witness_add_unreadable(view, kind, 0, EFAULT);
        return;
    }
    witness_add_check(view, at, &address, size);
    switch (address.any.sa_family) {
    case AF_UNSPEC:
        return; /* takes a connection back */
    case AF_UNIX:
        if (size <= sizeof address.un)
            look_unix(view, kind, &address.un, size);
        return;
    case AF_INET:
        inet_ntop(AF_INET, &address.in.sin_addr, number, sizeof number);
        snprintf(text, sizeof text, "%s:%u", number, ntohs(address.in.sin_port));
        break;
    case AF_INET6:
        inet_ntop(AF_INET6, &address.in6.sin6_addr, number, sizeof number);
        snprintf(text, sizeof text, "[%s]:%u", number, ntohs(address.in6.sin6_port));
        break;
    case AF_NETLINK:
        snprintf(text, sizeof text, "netlink:%u", address.nl.nl_pad);
        break;
    default:
        snprintf(text, sizeof text, "family:%u", address.any.sa_family);
    }
    witness_add_text(view, kind, text);
}

/* struct msghdr starts with the address and its length, in words of the program's. */
static void look_message(struct witness_view *view, uint16_t kind, uint64_t at)
{
    uint64_t name = 0;
    uint32_t length = 0;
    size_t word = view->abi->word;

    if (witness_read((pid_t)view->notice->pid, at, &name, word) != (ssize_t)word ||
        witness_read((pid_t)view->notice->pid, at + word, &length, sizeof length) !=
            (ssize_t)sizeof length) {
        witness_add_unreadable(view, kind, 0, EFAULT);
        return;
    }
    witness_look_address(view, kind, name, length);
}

void witness_look_messages(struct witness_view *view, const struct witness_row *row)
{
    size_t size = view->abi->word == 8 ? 64 : 32; /* struct mmsghdr */
    uint64_t count = view->call == WITNESS_CALL_sendmmsg ? (uint32_t)view->args[2] : 1;

    for (uint64_t i = 0; i < count && i < MESSAGES_MAX; i++) {
        if (view->sight_count == SIGHTS_MAX - 1) {
            witness_add_unreadable(view, row->kind, 0, EFAULT);
            return;
        }
        look_message(view, row->kind, view->args[row->b] + i * size);
    }
}
