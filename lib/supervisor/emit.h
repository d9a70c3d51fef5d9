/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* emit: sends events to the client through the ring. The caller holds the lock. An event that does not fit into the
 * ring is dropped and counted, so no function waits. Without a client (ring is NULL) nothing is emitted. Times are
 * CLOCK_MONOTONIC, ns. */
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

/* Replaces the ring; the supervisor owns the new one. Closes the old ring, which must exist. Emits, into the
 * new ring, the number of events that the old ring lost. */
void emit_set_ring(struct supervisor *supervisor, struct ring *ring);
/* Emits *sample; fills in header, pid and tid. stack: copied into the same event; NULL: none. If there is a stack,
 * there must be a ring. */
void emit_sample(struct supervisor *supervisor, const struct tracee *tracee,
                 const struct wire_sample *sample, const struct stack *stack);
/* Reports that a process is followed. parent: the process that forked it; 0: the client launched it or attached to it,
 * or it is not known. */
void emit_fork(struct supervisor *supervisor, pid_t pid, pid_t parent);
/* Emits a new thread (type WIRE_THREAD), or an exec (WIRE_EXEC; tid is the former number of its caller). */
void emit_task(struct supervisor *supervisor, enum wire_type type, pid_t pid, pid_t tid);
/* Reads the thread's name, and emits it if it has changed. */
void emit_comm(struct supervisor *supervisor, struct tracee *tracee);
/* Reads and emits the name of a process, whose leader need not be a tracee. */
void emit_process_comm(struct supervisor *supervisor, pid_t pid);
/* Emits the end of a thread. If pid == tid, the event means that the whole process has ended, or is not followed any
 * more. cpu_ns: CPU time that the process used while it was sampled. status: of wait(2); -1: not known. */
void emit_exit(struct supervisor *supervisor, pid_t pid, pid_t tid, uint64_t cpu_ns, int status);
/* Emits the requested rate and the present one: asked_hz and rate_hz of struct budget. */
void emit_rate(struct supervisor *supervisor);
/* Emits the statistics. exact: reads the clocks of all processes for them. */
void emit_stats(struct supervisor *supervisor, bool exact);
/* Wakes the client up. */
void emit_wake(const struct supervisor *supervisor);

#endif
