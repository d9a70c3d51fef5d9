/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * serve: serves programs that profile themselves: accepts their connections, carries out their requests, and counts
 * their samples.
 *
 * serve.c handles requests, in the first tracer and without the supervisor's lock. counts.c keeps the counts of a
 * process. A count is a histogram that the process has requested in its own memory. A process may have one count for
 * all its threads, and counts for single threads. The functions of counts.c need the supervisor's lock.
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

/* Accepts the connection of a program, and sends it a greeting. */
void serve_accept(struct supervisor *supervisor);
/* Reads the request of a connection, carries it out, answers it, and closes the connection. */
void serve_request(struct supervisor *supervisor, int fd);
/* Pauses sampling if no process has a running count. Ends the supervisor after some time without a running count, or at
 * once if it has no tracees. */
void serve_end_if_unneeded(struct supervisor *supervisor);

/* --- histograms: counts.c --- */

#define COUNTS_ALL_THREADS 0 /* value for a thread id: all threads */

struct counts {
    struct counts *next;
    pid_t tid;   /* thread whose samples are counted; COUNTS_ALL_THREADS: all threads without a count of their own */
    pid_t maker; /* thread that requested the count */
    struct dialect_count *count; /* owned */
};

/* Returns the count for the samples of a thread; NULL: none. */
struct dialect_count *counts_of(const struct process *process, pid_t tid);
/* Returns the count for all threads that have no count of their own; NULL: there is none, or it is off. */
struct dialect_count *counts_of_all(const struct process *process);
/* Returns true if the thread has a count of its own. */
bool counts_has_own(const struct process *process, pid_t tid);

/* Returns the value of counts.tid for a requested count: either caller or COUNTS_ALL_THREADS. caller: thread that makes
 * the request. */
pid_t counts_place(const struct process *process, pid_t caller, enum wire_profil_scope scope,
                   const char *dialect);

/* Stores count with tid `place`, and frees the former count with that tid. Takes ownership of count. Returns 0, or
 * -ENOMEM after freeing count. */
int counts_put(struct process *process, pid_t place, pid_t maker, struct dialect_count *count);

/* Ends the counts that a request to stop refers to. caller: thread that makes the request. */
void counts_stop(struct process *process, pid_t caller, enum wire_profil_scope scope);

/* Frees the count of a thread that has ended. */
void counts_forget_thread(struct process *process, pid_t tid);
/* Frees all counts of the process. */
void counts_clear(struct process *process);

/* Counts a sample of the tracee in the target's memory. */
void counts_sample(struct tracee *tracee, const struct wire_sample *sample);

/* Returns the counts that a child inherits if thread tid forks now. The caller owns them, and frees them with
 * counts_free. NULL: the child inherits none, or memory is short. */
struct counts *counts_inherited(const struct process *parent, pid_t tid);
/* Gives inherited counts to the child, which owns them from now on. A count of the thread that forked becomes a count
 * of the child's only thread. */
void counts_give(struct process *child, struct counts *inherited);
void counts_free(struct counts *counts);

/* Sets the CPU time that each count is owed (dialect_count.owed_ns) to a random part of a period. So a process that
 * uses half a period of CPU time gets a tick with a probability of one half. Later counts of the process begin with
 * what the last count was owed. drawn: a random number, ns, far larger than a period. */
void counts_draw_owed(struct process *process, uint64_t drawn);

/* Returns the number of ticks per second that the process needs; 0: it has no count that is on. */
double counts_rate(const struct process *process);

#endif
