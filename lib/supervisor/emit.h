/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * emit: events onto the ring.
 *
 * With the lock. An event that does not fit into the ring is dropped and counted; nothing waits. Without a client (ring
 * is NULL) nothing is emitted. Times are CLOCK_MONOTONIC, ns.
 */
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

/* Emits through another ring from now on. The supervisor owns it and closes the old one, which must exist. Events
 * that the old ring lost are told in the new one. */
void emit_set_ring(struct supervisor *supervisor, struct ring *ring);
/* Emits *sample; its header, pid and tid are filled in here. stack: copied into the same event; NULL: none. With a
 * stack there must be a ring. */
void emit_sample(struct supervisor *supervisor, const struct tracee *tracee,
                 const struct wire_sample *sample, const struct stack *stack);
/* parent: 0 if we launched the process or attached to it. */
void emit_fork(struct supervisor *supervisor, pid_t pid, pid_t parent);
/* type: WIRE_THREAD, or WIRE_EXEC, where tid is the caller's former number. */
void emit_task(struct supervisor *supervisor, enum wire_type type, pid_t pid, pid_t tid);
/* Reads the thread's name and emits it where it has changed. */
void emit_comm(struct supervisor *supervisor, struct tracee *tracee);
/* The same of a process, whose leader may be no tracee. */
void emit_process_comm(struct supervisor *supervisor, pid_t pid);
/* pid == tid: the whole process has ended, or was left. cpu_ns: what it used while it was sampled, ns. status: of
 * wait(2); -1: not known. */
void emit_exit(struct supervisor *supervisor, pid_t pid, pid_t tid, uint64_t cpu_ns, int status);
void emit_rate(struct supervisor *supervisor);
/* exact: the clocks of all processes are read for it */
void emit_stats(struct supervisor *supervisor, bool exact);
void emit_wake(const struct supervisor *supervisor);

#endif
