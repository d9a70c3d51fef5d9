/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * serve: programs that profile themselves.
 *
 * serve.c answers their requests, in the first tracer and without the lock. counts.c has the histograms that a process
 * has asked for in its own memory, under the supervisor's lock: one count for all its threads, and counts of single
 * threads.
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

/* Accepts a connection of a program, and greets it. */
void serve_accept(struct supervisor *supervisor);
/* Reads the request of a connection, obeys and answers it, and closes the connection. */
void serve_request(struct supervisor *supervisor, int fd);
/* Pauses sampling where nobody counts, and ends the supervisor where that lasts. */
void serve_end_if_unneeded(struct supervisor *supervisor);

/* --- histograms: counts.c --- */

#define COUNTS_ALL_THREADS 0 /* in place of a thread's number */

struct counts {
    struct counts *next;
    pid_t tid;   /* the thread whose samples are counted; COUNTS_ALL_THREADS: all that have no count of their own */
    pid_t maker; /* the thread that asked for it */
    struct dialect_count *count; /* owned */
};

/* Returns the count that takes the samples of a thread; NULL: none. */
struct dialect_count *counts_of(const struct process *process, pid_t tid);
/* Returns the count that takes the samples of all threads that have none of their own; NULL: there is none, or it is
 * off. */
struct dialect_count *counts_of_all(const struct process *process);
/* Returns true if the thread has a count of its own. */
bool counts_has_own(const struct process *process, pid_t tid);

/* Returns which place a request of a thread is for: its own number, or COUNTS_ALL_THREADS. */
pid_t counts_place(const struct process *process, pid_t caller, enum wire_profil_scope scope,
                   const char *dialect);

/* Puts a count in that place. Takes it over, and frees what was there. Returns 0 or -ENOMEM; count is freed then. */
int counts_put(struct process *process, pid_t place, pid_t maker, struct dialect_count *count);

/* Ends the counts that a thread's request for a stop ends. */
void counts_stop(struct process *process, pid_t caller, enum wire_profil_scope scope);

/* Frees the count of a thread that has ended. */
void counts_forget_thread(struct process *process, pid_t tid);
/* Frees all counts of the process. */
void counts_clear(struct process *process);

/* Counts a sample of the tracee. */
void counts_sample(struct tracee *tracee, const struct wire_sample *sample);

/* Returns the counts with which a child begins that the thread tid forks now. The caller owns them and frees them with
 * counts_free. NULL: the child counts nothing, or there is no memory. */
struct counts *counts_inherited(const struct process *parent, pid_t tid);
/* Gives a child, which has its number now, its counts: those of the thread that forked it become those of its only
 * thread. */
void counts_give(struct process *child, struct counts *inherited);
void counts_free(struct counts *counts);

/* Sets what the process is owed at first: a part of a period. A process that uses half a period of CPU time then gets a
 * tick with a chance of one half. Later counts of the process go on with what the last one was owed. drawn: a random
 * number of ns, far above a period. */
void counts_draw_owed(struct process *process, uint64_t drawn);

/* Returns how many ticks per second the process wants; 0: nothing is on. */
double counts_rate(const struct process *process);

#endif
