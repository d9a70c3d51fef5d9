/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* control-socket: the sockets by which sessions are commanded, and whose commands they accept. */
#ifndef PPROFIL_CONTROL_SOCKET_H
#define PPROFIL_CONTROL_SOCKET_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

struct control_socket {
    int fd; /* owned; it listens, and does not block */
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* "": not in the file system */
    dev_t device; /* of the file at path */
    ino_t inode;
};

/* Makes the address of a target. If it is a number, that is an abstract address, which vanishes with its socket;
 * otherwise, and if is_path, it is a path. 0 or -ENAMETOOLONG. */
int control_address(const char *target, bool is_path, struct sockaddr_un *address,
                    socklen_t *size);

/* Listens at a target. A path at which nobody listens any more is taken over. 0 or a negative errno. -EADDRINUSE:
 * another session listens there. -EEXIST: the path is not a socket. */
int control_listen(const char *target, bool is_path, struct control_socket *result);

/* Closes the socket, and removes its path unless that is another file by now. */
void control_close(const struct control_socket *socket);

/* Is the process at the other end of a connection one of this user or of root? */
bool control_trusts(int fd);

#endif
