/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that profiles itself sends requests to its supervisor through a socket. This is the code for both ends.
 * wire_profil_connect and wire_profil_ask run inside the program. So these two functions allocate no memory, and raise
 * no signal. lib/compat closes the connection before the program's call of profil returns.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "wire/wire.h"

#define BACKLOG 64
#define HELLO_WAIT_S 5

int wire_profil_listen(char name[WIRE_PROFIL_NAME])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    /* this size makes the kernel choose the address: unix(7), "Autobind feature" */
    socklen_t size = sizeof address.sun_family;
    int error = 0;

    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    if (bind(fd, (struct sockaddr *)&address, size) < 0 || listen(fd, BACKLOG) < 0)
        error = -errno;
    size = sizeof address;
    if (error == 0 && getsockname(fd, (struct sockaddr *)&address, &size) < 0)
        error = -errno;
    if (error == 0 && size < sizeof address.sun_family + WIRE_PROFIL_NAME)
        error = -EINVAL;
    if (error != 0) {
        close(fd);
        return error;
    }
    memcpy(name, address.sun_path, WIRE_PROFIL_NAME);
    return fd;
}

/* Receives one packet of exactly `size` bytes. Returns 0 or a negative errno. */
static int profil_receive(int fd, void *packet, size_t size)
{
    ssize_t got;

    do
        got = recv(fd, packet, size, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN)
        return -ETIMEDOUT;
    if (got < 0)
        return errno == ECONNRESET ? -EPIPE : -errno;
    if (got == 0)
        return -EPIPE;
    return (size_t)got == size ? 0 : -EPROTO;
}

/* Limits each wait on a socket to a number of seconds; 0: no limit. Without a limit a program could wait forever: a
 * child that was forked just after the listening socket was made may keep that socket open, and never answer. */
static void profil_limit_waits(int fd, time_t seconds)
{
    const struct timeval limit = {.tv_sec = seconds};

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

/* Returns true if the process `listener` made the socket at the other end. For a process outside of this PID namespace
 * the kernel shows the pid 0, so 0 is accepted, too. */
static bool profil_was_made_by(int fd, pid_t listener)
{
    struct ucred credentials;
    socklen_t size = sizeof credentials;

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 &&
           (credentials.pid == listener || credentials.pid == 0);
}

int wire_profil_connect(const char name[WIRE_PROFIL_NAME], pid_t listener, pid_t *supervisor)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct wire_profil_answer hello;
    int error;

    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    profil_limit_waits(fd, HELLO_WAIT_S);
    memcpy(address.sun_path, name, WIRE_PROFIL_NAME);
    do
        error = connect(fd, (struct sockaddr *)&address, sizeof address.sun_family + WIRE_PROFIL_NAME) < 0 ? -errno : 0;
    while (error == -EINTR);
    if (error == 0 && !profil_was_made_by(fd, listener))
        error = -ECONNREFUSED;
    if (error == 0)
        error = profil_receive(fd, &hello, sizeof hello);
    if (error == 0 && hello.value != WIRE_VERSION)
        error = -EPROTO;
    profil_limit_waits(fd, 0);
    if (error != 0) {
        close(fd);
        return error;
    }
    *supervisor = hello.pid;
    return fd;
}

int wire_profil_ask(int fd, const struct wire_profil *request, struct wire_profil_answer *answer)
{
    ssize_t sent;

    do
        sent = send(fd, request, sizeof *request, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0)
        return -errno;
    return profil_receive(fd, answer, sizeof *answer);
}
