/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sends and receives requests to the opener. */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "wire/open-request.h"

#define PATIENCE_MS 5000
#define LATER_PATIENCE_MS 300

int open_request_patience(unsigned hanging)
{
    return hanging == 0 ? PATIENCE_MS : LATER_PATIENCE_MS;
}

int open_request_send(int socket, const struct open_request *request)
{
    size_t size = offsetof(struct open_request, path) + strlen(request->path) + 1;

    return send(socket, request, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

int open_request_receive(int socket, struct open_request *request)
{
    ssize_t got;

    do
        got = recv(socket, request, sizeof *request, 0);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return -EPIPE;
    if (got <= (ssize_t)offsetof(struct open_request, path) || ((const char *)request)[got - 1] != '\0')
        return -EPROTO;
    return 0;
}
