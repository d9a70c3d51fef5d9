/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tracer-cpus: tracers and the CPUs: whether any is idle (cpus_full), on which one a tracer runs (affinity), how soon the
 * scheduler runs it (priority), and how long it has waited for one.
 */
#ifndef PPROFIL_TRACER_CPUS_H
#define PPROFIL_TRACER_CPUS_H

#include <stdbool.h>
#include <stdint.h>

struct supervisor;
struct tracer;

/* At a tick: finds out whether every CPU is in use, by targets or by others, and sets supervisor->cpus_full. Reads
 * the system's load at most once in 10 ms. */
void cpus_full_update(struct tracer *tracer);
/* Returns how many tracees want a CPU, as their tracers saw at their last ticks. */
unsigned cpus_full_count_runnable(const struct supervisor *supervisor);

/* Where CPUs are full a tracer runs on the CPU of the tracees that it interrupts, and that CPU is its home. The two
 * take turns there: to wake each other up across CPUs takes twice as long. If it has tracees on several CPUs, it goes
 * from one to the next, and stays for some ticks each time. Returns true if it has moved: when it got
 * its new CPU was no random instant. Gives up the lock while the tracer moves. */
bool affinity_rotate(struct tracer *tracer);
/* How many CPUs it goes round, 1 or more. */
unsigned affinity_cpu_count(const struct tracer *tracer);
/* It may run on all CPUs again, and has no home. */
void affinity_unbind(struct tracer *tracer);
/* Needs no lock. Moves the calling tracer off the CPU that it is on, at most once in 2 ms, and lets it run on all
 * CPUs again; does nothing while the occupier has an order. The scheduler may wake a tracer on the CPU of a running
 * tracee though another CPU is idle, and leave it there for long. */
void affinity_move_away(struct tracer *tracer);

/* Needs no lock; by the tracer's own thread. Asks for the priority that suits the CPUs as they are: real-time where
 * one is idle, else a short slice. The kernel may refuse both. */
void priority_ask(struct tracer *tracer);
/* Asks anew if the CPUs have filled up, or one of them has become idle. */
void priority_follow_cpus(struct tracer *tracer);

/* Returns how long it has waited for CPUs in its life, ns; 0: the kernel does not tell. */
uint64_t tracer_read_wait(struct tracer *tracer);
/* By the tracer's own thread. Returns true if it has lost its CPU against its will since it asked last:
 * getrusage(2). */
bool tracer_was_preempted(struct tracer *tracer);

#endif
