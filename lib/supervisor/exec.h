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
/* Needs no lock. Sends PTRACE_INTERRUPT to a tracee that is to be let go. It is detached at that stop (wait.c), unless
 * the interrupt has broken a call that has to be mended first. To be called again at the call's end, and at any other
 * stop that comes first, for that takes the interrupt away. */
void exec_ask_to_leave(struct tracer *tracer, struct tracee *tracee);
/* Tells the client that the process has ended and detaches its leader, which stands still: options.follow is false,
 * and it executes another program. The leader is freed, and the process with its last tracee. */
void exec_let_go(struct tracer *tracer, struct tracee *leader);

#endif
