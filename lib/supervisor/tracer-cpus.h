/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tracer-cpus: tracers and the CPUs: whether any CPU is idle (cpus_full), on which CPU a tracer runs (affinity), how
 * soon the scheduler runs it (priority), and how long it has waited for a CPU. */
#ifndef PPROFIL_TRACER_CPUS_H
#define PPROFIL_TRACER_CPUS_H

#include <stdbool.h>
#include <stdint.h>

struct supervisor;
struct tracer;

/* At a tick: finds out whether every CPU is in use, by targets or by others, and sets supervisor->cpus.full. Reads the
 * system's load at most once in 10 ms. */
void cpus_full_update(struct tracer *tracer);
/* Returns how many tracees want a CPU, as their tracers saw at their last ticks. */
unsigned cpus_full_count_runnable(const struct supervisor *supervisor);

/* To be called where CPUs are full: the tracer runs on the CPU of the tracees that it interrupts, and that CPU is its
 * home. The two take turns there: to wake each other up across CPUs would take twice as long. A tracer that has tracees
 * on several CPUs goes from one CPU to the next, and stays on each for some ticks. Returns true if the tracer has
 * moved: the instant at which it got its new CPU was not random. Gives up the lock while the tracer moves. */
bool affinity_rotate(struct tracer *tracer);
/* Returns how many CPUs the tracer visits in turn, 1 or more. */
unsigned affinity_cpu_count(const struct tracer *tracer);
/* Lets the tracer run on all CPUs again, and takes its home away. */
void affinity_unbind(struct tracer *tracer);
/* Needs no lock. Moves the calling tracer off its CPU, at most once in 2 ms, and lets it run on all CPUs again. Does
 * nothing while the occupier (preempt.c) has an order. The scheduler may wake a tracer on the CPU of a running tracee
 * though another CPU is idle, and leave it there for long. */
void affinity_move_away(struct tracer *tracer);

/* Needs no lock; by the tracer's own thread. Asks for the priority that suits the CPUs as they are: real-time where one
 * is idle, else a short slice. The kernel may refuse both. */
void priority_ask(struct tracer *tracer);
/* Asks anew if the CPUs have filled up since it last asked, or one has become idle. */
void priority_follow_cpus(struct tracer *tracer);

/* Returns the run-queue wait of the tracer's life, ns; 0: the kernel keeps no such figure. */
uint64_t tracer_read_wait(struct tracer *tracer);
/* By the tracer's own thread. Returns true if it has been preempted since the last call: getrusage(2). */
bool tracer_was_preempted(struct tracer *tracer);

#endif
