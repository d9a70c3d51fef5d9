/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tracer-cpus: finds out whether any CPU is idle (cpus_full), chooses the CPU on which a tracer runs (affinity), asks
 * for its priority, and reads how long it has waited for a CPU. */
#ifndef PPROFIL_TRACER_CPUS_H
#define PPROFIL_TRACER_CPUS_H

#include <stdbool.h>
#include <stdint.h>

struct supervisor;
struct tracer;

/* At a tick: finds out whether every CPU is in use, by targets or by other tasks. Sets supervisor->cpus.full. Reads the
 * system's load at most once in 10 ms. */
void cpus_full_update(struct tracer *tracer);
/* Returns how many tracees ran or waited for a CPU at the last ticks of their tracers. */
unsigned cpus_full_count_runnable(const struct supervisor *supervisor);

/* To be called at a tick if CPUs are full. Moves the tracer to a CPU of the tracees that it interrupts. There tracer
 * and tracee take turns; wake-ups from one CPU to another would take twice as long. If its tracees are on several CPUs,
 * the tracer goes from one CPU to the next, and stays on each for some ticks. Sets home_cpu if there is none. Returns
 * true if the tracer has moved. Then the present instant is not random, because the scheduler has chosen when the
 * tracer got its new CPU. Gives up the lock while the tracer moves. */
bool affinity_rotate(struct tracer *tracer);
/* Returns how many CPUs the tracer visits in turn, 1 or more. */
unsigned affinity_cpu_count(const struct tracer *tracer);
/* Lets the tracer run on all CPUs again, and clears its home_cpu. */
void affinity_unbind(struct tracer *tracer);
/* Needs no lock. Moves the calling tracer off its CPU, at most once in 2 ms, and lets it run on all CPUs again. Does
 * nothing while the occupier (preempt.c) has an order. The reason for the move: the scheduler may wake a tracer on the
 * CPU of a running tracee although another CPU is idle, and leave the tracer there for long. */
void affinity_move_away(struct tracer *tracer);

/* Needs no lock; called by the tracer's own thread. Asks the kernel for real-time priority if a CPU is idle, otherwise
 * for a short time slice. The kernel may refuse both. */
void priority_ask(struct tracer *tracer);
/* Calls priority_ask again if the CPUs have filled up, or one has become idle, since the last call. */
void priority_follow_cpus(struct tracer *tracer);

/* Returns the total run-queue wait of the tracer, ns; 0: the kernel keeps no such figure. */
uint64_t tracer_read_wait(struct tracer *tracer);
/* Called by the tracer's own thread. Returns true if the tracer has been preempted since the last call: ru_nivcsw of
 * getrusage(2). */
bool tracer_was_preempted(struct tracer *tracer);

#endif
