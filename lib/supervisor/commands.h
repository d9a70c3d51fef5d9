/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* commands: receives the client's commands and carries them out. Starts two threads: one waits for descriptors, and one
 * for SIGTERM. The first tracer calls these functions without the lock. */
#ifndef PPROFIL_SUPERVISOR_COMMANDS_H
#define PPROFIL_SUPERVISOR_COMMANDS_H

#include "wire/wire.h"

struct attach_refusal;
struct supervisor;

/* Answers a command of the client. error: 0 or -errno. refusal: sent with the answer. */
void commands_answer(const struct supervisor *supervisor, const struct wire_message *command, int error,
                     const struct attach_refusal *refusal);

/* Creates client.epoll, which watches the client's socket and, with options.serve, the eventfd of SIGTERM. Returns 0 or
 * -errno. If it fails, descriptors that it has created stay open. */
int commands_open(struct supervisor *supervisor);
/* To be called when the first tracer exists. Starts the watcher's thread and, with options.serve, the thread that waits
 * for SIGTERM. Returns 0 or -errno. */
int commands_start_watcher(struct supervisor *supervisor);
/* Reads what has come on the descriptors that are ready (commands, requests and answers), and handles it. */
void commands_serve(struct supervisor *supervisor);

#endif
