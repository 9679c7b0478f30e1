/* SPDX-License-Identifier: MIT */
#include "descriptor_mail.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

union control {
    char room[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
};

bool descriptor_send(int channel, const void *bytes, size_t size, int descriptor)
{
    union control control = {{0}};
    struct iovec piece = {(void *)(uintptr_t)bytes, size};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    struct cmsghdr *header;

    if (descriptor >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof descriptor);
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    return sendmsg(channel, &message, MSG_NOSIGNAL) == (ssize_t)size;
}

bool descriptor_receive(int channel, void *bytes, size_t size, int *descriptor)
{
    union control control;
    struct iovec piece = {bytes, size};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    const struct cmsghdr *header;
    ssize_t got;

    do
        got = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (header && header->cmsg_type == SCM_RIGHTS)
        memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
    return got == (ssize_t)size;
}
