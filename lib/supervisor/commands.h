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

#endif
