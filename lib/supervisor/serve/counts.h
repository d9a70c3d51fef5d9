/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * counts: what a process has asked to be counted in its own memory: one count for all its threads, and counts that
 * single threads have of their own. With the supervisor's lock.
 */
#ifndef PPROFIL_COUNTS_H
#define PPROFIL_COUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/wire.h"

struct dialect_count;
struct process;
struct tracee;

#define COUNTS_ALL_THREADS 0 /* in the place of a thread's number */

struct counts {
    struct counts *next;
    pid_t tid;   /* whose samples; COUNTS_ALL_THREADS: of all that have none of their own */
    pid_t maker; /* the thread that asked for it */
    struct dialect_count *count; /* owned */
};

/* What takes the samples of a thread; NULL: nothing. */
struct dialect_count *counts_of(const struct process *process, pid_t tid);
/* What takes the samples of all threads that have no count of their own; NULL: nothing, or it is off. */
struct dialect_count *counts_of_all(const struct process *process);
/* Does the thread have a count of its own? */
bool counts_has_own(const struct process *process, pid_t tid);

/* Which place a request of a thread is for: its own number, or COUNTS_ALL_THREADS. */
pid_t counts_place(const struct process *process, pid_t caller, enum wire_profil_scope scope,
                   const char *dialect);

/* Puts a count in that place, and takes it over. What was there is freed. 0 or -ENOMEM, and count is freed. */
int counts_put(struct process *process, pid_t place, pid_t maker, struct dialect_count *count);

/* Ends what a thread's request for a stop ends. */
void counts_stop(struct process *process, pid_t caller, enum wire_profil_scope scope);

/* A thread has ended. */
void counts_forget_thread(struct process *process, pid_t tid);
void counts_clear(struct process *process);

/* Counts a sample of the tracee. */
void counts_sample(struct tracee *tracee, const struct wire_sample *sample);

/* What a child that the thread tid forks now starts with; the caller owns it and frees it with counts_free. NULL: it
 * counts nothing, or there is no memory. */
struct counts *counts_inherited(const struct process *parent, pid_t tid);
/* The child has got its number: what was of the thread that forked it is of the child's only one. */
void counts_give(struct process *child, struct counts *inherited);
void counts_free(struct counts *counts);

/* Draws what the process is owed at first: a part of a period. A process that uses half a period of CPU time then gets
 * a tick with a chance of one half. Later counts of the process go on with what the last one was owed. drawn: a random
 * number of ns, far above a period. */
void counts_draw_owed(struct process *process, uint64_t drawn);

/* Ticks per second that the process wants; 0: nothing is on. */
double counts_rate(const struct process *process);

#endif
