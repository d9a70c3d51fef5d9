/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* emit: events onto the ring. */
#ifndef PPROFIL_EMIT_H
#define PPROFIL_EMIT_H

#include <stdint.h>
#include <sys/types.h>

#include "wire/wire.h"

struct process;
struct ring;
struct stack;
struct supervisor;
struct tracee;

/* From now on all goes into another ring, which it takes over; what was lost before is told
 * there. */
void emit_set_ring(struct supervisor *supervisor, struct ring *ring);
void emit_sample(struct supervisor *supervisor, const struct tracee *tracee,
                 const struct wire_sample *sample, const struct stack *stack);
void emit_fork(struct supervisor *supervisor, pid_t pid, pid_t parent);
void emit_task(struct supervisor *supervisor, enum wire_type type, pid_t pid, pid_t tid);
/* Reads the thread's name and emits it where it has changed. */
void emit_comm(struct supervisor *supervisor, struct tracee *tracee);
/* The same of a process, whose leader may be no tracee. */
void emit_process_comm(struct supervisor *supervisor, pid_t pid);
void emit_exit(struct supervisor *supervisor, pid_t pid, pid_t tid, uint64_t cpu_ns, int status);
void emit_rate(struct supervisor *supervisor);
/* exact: the clocks of all processes are read for it */
void emit_stats(struct supervisor *supervisor, bool exact);
void emit_wake(const struct supervisor *supervisor);

#endif
