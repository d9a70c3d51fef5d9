/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* opener-process: a process that opens files, and may hang. */
#ifndef PPROFIL_OPENER_PROCESS_H
#define PPROFIL_OPENER_PROCESS_H

/* Opens what the socket asks for, one file at a time, and sends the descriptors. Returns when nobody asks any more,
 * when an answer cannot be sent, or after a file that another process serves. May hang: for a process of its own,
 * which ends then. */
void opener_serve(int socket);
/* Forks one. Returns its socket, which is the caller's, or -errno. */
int opener_fork(void);

#endif
