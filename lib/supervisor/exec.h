/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exec: a process runs a new image. */
#ifndef PPROFIL_EXEC_H
#define PPROFIL_EXEC_H

#include <sys/types.h>

struct tracee;
struct tracer;

/* The stop of an exec, which every thread but its caller has died of. */
void exec_answer(struct tracer *tracer, struct tracee *leader);
/* The same, where the former leader was no tracee of this tracer: its number is that of a thread which was.
 * NULL: it is not known, or there is no memory. */
struct tracee *exec_new_leader(struct tracer *tracer, pid_t tid);
/* A tracee has executed something while it had no tracer. */
void exec_missed(struct tracer *tracer, struct tracee *tracee);
/* Without --follow a process is let go when it executes another program. It stands still. */
void exec_let_go(struct tracer *tracer, struct tracee *leader);

#endif
