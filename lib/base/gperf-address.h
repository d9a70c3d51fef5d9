/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gperf-address: where a program with the calls of osProfile(3P) and pprofil gperf meet. The addresses are abstract
 * ones of unix(7), which last no longer than the socket that is bound to them.
 *
 * The program sends three things to its host: the length of the lines of a .meta file, in 4 bytes, most significant
 * first; these lines; and the stream of osProfileFlush, up to the end of the connection.
 */
#ifndef PPROFIL_BASE_GPERF_ADDRESS_H
#define PPROFIL_BASE_GPERF_ADDRESS_H

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

/* Where a program answers requests for its profile. Returns the length of the address. */
socklen_t gperf_program_address(struct sockaddr_un *address, pid_t pid);
/* Where pprofil gperf --server of a user gets profiles that programs send. PPROFIL_GPERF in the environment names
 * another place, for those who have several. */
socklen_t gperf_server_address(struct sockaddr_un *address, uid_t user);

#endif
