/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* control-socket: where sessions are commanded, and whose commands count. */
#ifndef PPROFIL_CONTROL_SOCKET_H
#define PPROFIL_CONTROL_SOCKET_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

struct control_socket {
    int fd; /* owned: it listens, and does not block */
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* "": it has none */
    dev_t device; /* of the path */
    ino_t inode;
};

/* A process number stands for an abstract address, which vanishes with its socket; is_path: it is
 * the name of a file. 0 or -ENAMETOOLONG. */
int control_address(const char *target, bool is_path, struct sockaddr_un *address,
                    socklen_t *size);

/* Listens there. A path that nobody listens at any more is taken over. 0 or -errno; -EADDRINUSE:
 * another does; -EEXIST: the path is no socket. */
int control_listen(const char *target, bool is_path, struct control_socket *result);

/* Listens no more, and removes the path if it is still its own. */
void control_close(const struct control_socket *socket);

/* Is the process at the other end of a connection ours, or root's? */
bool control_trusts(int fd);

#endif
