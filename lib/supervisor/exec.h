/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exec: a process runs a new image. */
#ifndef PPROFIL_EXEC_H
#define PPROFIL_EXEC_H

#include <sys/types.h>

struct tracee;
struct tracer;

/* Answers the stop of an exec, which has ended every thread but its caller. */
void exec_answer(struct tracer *tracer, struct tracee *leader);
/* Makes the leader's record where the former leader was another tracer's, or nobody's. tid: the leader's. NULL: the
 * caller of the exec is not known, or there is no memory. */
struct tracee *exec_new_leader(struct tracer *tracer, pid_t tid);
/* A tracee has executed something while it had no tracer. */
void exec_missed(struct tracer *tracer, struct tracee *tracee);
/* Makes a tracee that leaves stop. To be called again if it meets another stop first, for that takes the interrupt
 * away. Needs no lock. */
void exec_ask_to_leave(struct tracer *tracer, struct tracee *tracee);
/* Without --follow a process is let go when it executes another program. It stands still. */
void exec_let_go(struct tracer *tracer, struct tracee *leader);

#endif
