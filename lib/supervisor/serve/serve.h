/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* serve: programs that profile themselves. The first tracer's, without the lock. */
#ifndef PPROFIL_SUPERVISOR_SERVE_H
#define PPROFIL_SUPERVISOR_SERVE_H

#include <stdbool.h>
#include <stdint.h>

struct supervisor;

/* Accepts a connection of a program, and greets it. */
void serve_accept(struct supervisor *supervisor);
/* Reads the request of a connection, obeys and answers it, and closes the connection. */
void serve_request(struct supervisor *supervisor, int fd);
/* Pauses sampling where nobody counts, and ends the supervisor where that lasts. */
void serve_end_if_unneeded(struct supervisor *supervisor);

#endif
