/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sends and receives messages, with descriptors, through a socket. Each datagram is one message, whose size only
 * depends on its op. So neither side ever receives only a part of a message.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "wire/wire.h"

union descriptor_room {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

int wire_socket_pair(int fds[2])
{
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0 ? -errno : 0;
}

int wire_send(int socket, const struct wire_message *message, int fd)
{
    size_t size = message->op == WIRE_OP_DONE ? WIRE_HELLO_SIZE : sizeof *message;
    struct iovec part = {.iov_base = (void *)message, .iov_len = size};
    struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};
    union descriptor_room room;

    if (fd >= 0) {
        memset(&room, 0, sizeof room);
        packet.msg_control = room.bytes;
        packet.msg_controllen = sizeof room.bytes;
        struct cmsghdr *control = CMSG_FIRSTHDR(&packet);
        control->cmsg_level = SOL_SOCKET;
        control->cmsg_type = SCM_RIGHTS;
        control->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(control), &fd, sizeof fd);
    }
    ssize_t sent;
    do
        sent = sendmsg(socket, &packet, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0;
}

static int take_descriptor(struct msghdr *packet)
{
    struct cmsghdr *control = CMSG_FIRSTHDR(packet);
    int fd = -1;

    if (control != NULL && control->cmsg_level == SOL_SOCKET &&
        control->cmsg_type == SCM_RIGHTS && control->cmsg_len == CMSG_LEN(sizeof fd))
        memcpy(&fd, CMSG_DATA(control), sizeof fd);
    return fd;
}

int wire_receive(int socket, struct wire_message *message, int *fd)
{
    struct iovec part = {.iov_base = message, .iov_len = sizeof *message};
    union descriptor_room room;
    struct msghdr packet = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = room.bytes,
                            .msg_controllen = sizeof room.bytes};
    ssize_t got;

    memset(message, 0, sizeof *message);
    do
        got = recvmsg(socket, &packet, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    *fd = -1;
    if (got < 0)
        return errno == ECONNRESET ? -EPIPE : -errno;
    if (got == 0)
        return -EPIPE;
    *fd = take_descriptor(&packet);
    if (got != sizeof *message && (got != WIRE_HELLO_SIZE || message->op != WIRE_OP_DONE)) {
        if (*fd >= 0)
            close(*fd);
        *fd = -1;
        return -EPROTO;
    }
    return 0;
}
