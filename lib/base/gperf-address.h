/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gperf-address: addresses of the sockets through which pprofil gperf and programs that use osProfile(3P) reach each
 * other. The addresses are abstract (unix(7)), so they vanish with their sockets.
 *
 * A program first sends pprofil gperf the length of the lines of a .meta file: 4 bytes, the most significant one first.
 * Then it sends these lines. The stream of osProfileFlush follows, up to the end of the connection.
 */
#ifndef PPROFIL_BASE_GPERF_ADDRESS_H
#define PPROFIL_BASE_GPERF_ADDRESS_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

static inline socklen_t gperf_address(struct sockaddr_un *address, const char *kind, unsigned long number)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "pprofil-%.64s-%lu", kind, number);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

/* Writes the address at which a program answers requests for its profile. Returns the length of the address. */
static inline socklen_t gperf_program_address(struct sockaddr_un *address, pid_t pid)
{
    return gperf_address(address, "osprofile", (unsigned long)pid);
}

/* Writes the address at which a user's pprofil gperf --server receives profiles. Returns the length of the address. If
 * a user has several servers, the environment variable PPROFIL_GPERF contains the name of one of them. */
static inline socklen_t gperf_server_address(struct sockaddr_un *address, uid_t user)
{
    const char *name = secure_getenv("PPROFIL_GPERF");

    return gperf_address(address, name != NULL ? name : "gperf", user);
}

#endif
