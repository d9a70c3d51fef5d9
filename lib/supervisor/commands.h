/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* commands: receives the client's commands and carries them out. Starts the threads that wait for descriptors and for
 * SIGTERM. The first tracer calls these functions without the lock. */
#ifndef PPROFIL_SUPERVISOR_COMMANDS_H
#define PPROFIL_SUPERVISOR_COMMANDS_H

#include "wire/wire.h"

struct attach_refusal;
struct supervisor;

/* Sends the client the answer to a command. error: 0 or -errno. refusal: sent with the answer. */
void commands_answer(const struct supervisor *supervisor, const struct wire_message *command, int error,
                     const struct attach_refusal *refusal);

/* Creates client.epoll, which watches the client's socket and, when serving, the eventfd of SIGTERM. Returns 0 or
 * -errno. After an error, descriptors that it created stay open. */
int commands_open(struct supervisor *supervisor);
/* Starts the watcher's thread and, when serving, the thread that waits for SIGTERM. To be called when the first tracer
 * exists. Returns 0 or -errno. */
int commands_start_watcher(struct supervisor *supervisor);
/* Reads commands, requests and answers from the descriptors that are ready, and handles them. */
void commands_serve(struct supervisor *supervisor);

#endif
