/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* control-socket: the sockets through which other processes send commands to a session, and the check that such a
 * process belongs to the same user or to root. */
#ifndef PPROFIL_CONTROL_SOCKET_H
#define PPROFIL_CONTROL_SOCKET_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

struct control_socket {
    int fd; /* owned; a listening, non-blocking socket */
    /* path of the socket file; "": the address is abstract, and there is no file */
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
    dev_t device; /* device of the file at path */
    ino_t inode;  /* inode of the file at path */
};

/* Makes the socket address of a session. If `is_path` is true, or if `target` is not a number, the address is the path
 * `target`. Otherwise the address is abstract: it has no file, and vanishes when the socket is closed. Returns 0 or
 * -ENAMETOOLONG. */
int control_address(const char *target, bool is_path, struct sockaddr_un *address, socklen_t *size);

/* Makes a socket that listens at the address of a session (control_address). Replaces the socket file of a session that
 * has ended. Returns -EADDRINUSE if another session listens at the address, -EEXIST if the path is a file that is not a
 * socket; otherwise 0 or another negative errno. */
int control_listen(const char *target, bool is_path, struct control_socket *result);

/* Closes the socket, and removes its file. If another file is at the path now, that file stays. */
void control_close(const struct control_socket *socket);

/* Returns true if the process at the other end of a connection belongs to this user or to root. */
bool control_trusts(int fd);

#endif
