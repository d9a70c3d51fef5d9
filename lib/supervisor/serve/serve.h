/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * serve: serves programs that profile themselves. Accepts their connections, carries out their requests, and counts
 * their samples.
 *
 * The functions of serve.c handle requests. The first tracer calls them, without the supervisor's lock. counts.c keeps
 * the counts of a process. A count means that the samples of a process, or of one of its threads, are counted in a
 * histogram in the memory of that process, as the process has requested. A process may have one count for all its
 * threads, and further counts for single threads. The functions of counts.c need the supervisor's lock.
 */
#ifndef PPROFIL_SUPERVISOR_SERVE_H
#define PPROFIL_SUPERVISOR_SERVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/wire.h"

struct dialect_count;
struct process;
struct supervisor;
struct tracee;

/* --- requests: serve.c --- */

/* Accepts the connection of a program, and sends a greeting to the program. */
void serve_accept(struct supervisor *supervisor);
/* Reads the request that a program has sent over the connection `fd`, carries it out, answers it, and closes the
 * connection. */
void serve_request(struct supervisor *supervisor, int fd);
/* Pauses sampling if no process has a count that is on. If no process has had one for some time, ends the supervisor.
 * If there are no tracees any more, ends it immediately. */
void serve_end_if_unneeded(struct supervisor *supervisor);

/* --- histograms: counts.c --- */

#define COUNTS_ALL_THREADS 0 /* this value instead of a thread id means all threads */

struct counts {
    struct counts *next;
    pid_t tid;   /* thread whose samples are counted; COUNTS_ALL_THREADS: all threads that have no count of their own */
    pid_t maker; /* thread that requested the count */
    struct dialect_count *count; /* owned */
};

/* Returns the count to which the samples of a thread belong; NULL: there is none. */
struct dialect_count *counts_of(const struct process *process, pid_t tid);
/* Returns the count for all threads that have no count of their own; NULL: there is none, or it is off. */
struct dialect_count *counts_of_all(const struct process *process);
/* Returns true if the thread has a count of its own. */
bool counts_has_own(const struct process *process, pid_t tid);

/* Returns the value of counts.tid for a new count that thread `caller` requests. This is `caller` or
 * COUNTS_ALL_THREADS. */
pid_t counts_place(const struct process *process, pid_t caller, enum wire_profil_scope scope, const char *dialect);

/* Adds a count whose counts.tid is `place`, and frees the former count with that tid. If `place` is COUNTS_ALL_THREADS,
 * also frees the count for `maker` alone. The process owns `count` from now on. Returns 0 or -ENOMEM. In case of
 * -ENOMEM, `count` was freed. */
int counts_put(struct process *process, pid_t place, pid_t maker, struct dialect_count *count);

/* Ends and frees the counts that are meant by a request to stop counting. caller: thread that makes the request. */
void counts_stop(struct process *process, pid_t caller, enum wire_profil_scope scope);

/* Frees the count of a thread that has ended. */
void counts_forget_thread(struct process *process, pid_t tid);
/* Frees all counts of the process. */
void counts_clear(struct process *process);

/* Counts a sample of the tracee in the histogram in the tracee's own memory, if it has a count. */
void counts_sample(struct tracee *tracee, const struct wire_sample *sample);

/* Returns copies of the counts that a child inherits if thread `tid` forks now. The caller owns them, and frees them
 * with counts_free. NULL: the child inherits none, or memory is short. */
struct counts *counts_inherited(const struct process *parent, pid_t tid);
/* Gives inherited counts to the child, which owns them from now on. A count of the thread that forked becomes a count
 * of the child's only thread. */
void counts_give(struct process *child, struct counts *inherited);
void counts_free(struct counts *counts);

/* For each count, sets the CPU time that is not counted yet (dialect_count.owed_ns) to a random part of a period:
 * `drawn`, modulo the period. So if a process uses only half a period of CPU time, it gets a sample with a probability
 * of one half. drawn: a random number, far larger than a period, ns. */
void counts_draw_owed(struct process *process, uint64_t drawn);

/* Returns how many ticks per second the process needs; 0: none, because it has no count that is on. */
double counts_rate(const struct process *process);

#endif
