/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exec: a process runs a new image. */
#ifndef PPROFIL_EXEC_H
#define PPROFIL_EXEC_H

#include <sys/types.h>

struct tracee;
struct tracer;

/* Answers the stop of an exec, which has ended every thread but its caller. If options.follow is false, the client is
 * told that the process has ended, and the leader is detached and freed, and the process with its last tracee. */
void exec_answer(struct tracer *tracer, struct tracee *leader);
/* Makes the leader's record where the former leader was another tracer's, or nobody's. tid: the leader's. NULL: the
 * caller of the exec is not known, or there is no memory. */
struct tracee *exec_new_leader(struct tracer *tracer, pid_t tid);
/* A tracee has executed something while it had no tracer. */
void exec_missed(struct tracer *tracer, struct tracee *tracee);

#endif
