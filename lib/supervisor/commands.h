/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* commands: what the client asks for. The first tracer's, without the lock. */
#ifndef PPROFIL_SUPERVISOR_COMMANDS_H
#define PPROFIL_SUPERVISOR_COMMANDS_H

#include "wire/wire.h"

struct attach_refusal;
struct supervisor;

/* Reads what the client asks for, and does it. */
void commands_read(struct supervisor *supervisor);
/* Answers a command. */
void commands_answer(const struct supervisor *supervisor, const struct wire_message *command, int error,
                     const struct attach_refusal *refusal);

/* Makes supervisor->epoll, and watches the socket and, when serving, SIGTERM's eventfd. 0 or -errno; descriptors that
 * were made stay open then. */
int commands_open(struct supervisor *supervisor);
/* Starts the watcher, once the first tracer is there. 0 or -errno. */
int commands_start_watcher(struct supervisor *supervisor);
/* The first tracer's: serves the descriptors that are ready. */
void commands_serve(struct supervisor *supervisor);

#endif
