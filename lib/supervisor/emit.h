/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* emit: sends events to the client through the ring. The caller holds the supervisor's lock. An event that does not fit
 * into the ring is dropped and counted, so no function waits. If there is no client (supervisor->ring is NULL), no
 * event is sent. Times are CLOCK_MONOTONIC, ns. */
#ifndef PPROFIL_EMIT_H
#define PPROFIL_EMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/wire.h"

struct process;
struct ring;
struct stack;
struct blocked;
struct supervisor;
struct tracee;

/* Replaces supervisor->ring by `ring`, which the supervisor owns from now on. Closes the old ring, which must exist.
 * Reports the number of events that the old ring lost, by an event in the new ring. */
void emit_set_ring(struct supervisor *supervisor, struct ring *ring);
/* Sends *sample, and fills in its fields header, pid and tid. If `stack` is not NULL, it is copied into the same event,
 * and there must be a ring. Returns false if the ring had no room for the event. */
bool emit_sample(struct supervisor *supervisor, const struct tracee *tracee,
                 const struct wire_sample *sample, const struct stack *stack);
/* Sends a code object of a Python interpreter. Returns false if the ring has no room for it. The event then counts as
 * lost, but the caller reads the code object again, and sends it later. There must be a ring. */
bool emit_python_code(struct supervisor *supervisor, const struct wire_python_code *code);
/* Tells the client that the Python interpreter of a process has not the layout of its version. */
void emit_python_refusal(struct supervisor *supervisor, pid_t pid, uint32_t version);
/* Sends a kernel stack. names: `count` names of functions, `size` bytes with their NULs. Returns false if the ring has
 * no room for it. */
bool emit_kernel_stack(struct supervisor *supervisor, uint32_t id, const char *names, unsigned count, size_t size);
/* Sends what a thread of process `pid` waits for. Returns false if there is no client, or if the ring has no room for
 * it. */
bool emit_wait(struct supervisor *supervisor, uint32_t id, pid_t pid, const struct blocked *blocked);
/* Reports that we trace a further process. parent: the process that has forked it; 0: this is not known, or the client
 * has launched the process or attached to it. */
void emit_fork(struct supervisor *supervisor, pid_t pid, pid_t parent);
/* Reports a new thread (type WIRE_THREAD), or an exec (WIRE_EXEC). For an exec, `tid` is the id that the calling thread
 * had before the exec. */
void emit_task(struct supervisor *supervisor, enum wire_type type, pid_t pid, pid_t tid);
/* Reads the thread's name, and reports it if it has changed. */
void emit_comm(struct supervisor *supervisor, struct tracee *tracee);
/* Reads and reports the name of a process. The leader of the process need not be a tracee. */
void emit_process_comm(struct supervisor *supervisor, pid_t pid);
/* Reports that a thread has ended. If pid == tid, the event means that the whole process has ended, or that we do not
 * trace it any more. cpu_ns: CPU time that the process used while it was sampled. status: the status that wait(2)
 * returned; -1: not known. */
void emit_exit(struct supervisor *supervisor, pid_t pid, pid_t tid, uint64_t cpu_ns, int status);
/* Sends *usage, which is a complete event. */
void emit_usage(struct supervisor *supervisor, const struct wire_usage *usage);
/* Reports the requested sampling rate and the present one: asked_hz and rate_hz of struct budget. */
void emit_rate(struct supervisor *supervisor);
/* Reports the statistics. If exact is true, reads the clocks of all processes for this; otherwise uses the values that
 * were read last. */
void emit_stats(struct supervisor *supervisor, bool exact);
void emit_wake(const struct supervisor *supervisor);

#endif
