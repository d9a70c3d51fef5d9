/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gperf-address: addresses of the sockets through which pprofil gperf and programs that use osProfile(3P) reach each
 * other. The addresses are abstract (unix(7)), so they vanish with their sockets.
 *
 * A program sends pprofil gperf the lines of a .meta file, preceded by their length in 4 bytes, most significant first.
 * The stream of osProfileFlush follows, up to the end of the connection.
 */
#ifndef PPROFIL_BASE_GPERF_ADDRESS_H
#define PPROFIL_BASE_GPERF_ADDRESS_H

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

/* Writes the address at which a program answers requests for its profile. Returns the length of the address. */
socklen_t gperf_program_address(struct sockaddr_un *address, pid_t pid);
/* Writes the address at which a user's pprofil gperf --server takes profiles. Returns its length. PPROFIL_GPERF in the
 * environment names another server, for a user who has several. */
socklen_t gperf_server_address(struct sockaddr_un *address, uid_t user);

#endif
