/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tracer-cpus: finds out whether any CPU is idle (cpus_full), chooses the CPU on which a tracer runs (affinity), asks
 * for the tracer's priority, and reads how long the tracer has waited for a CPU. */
#ifndef PPROFIL_TRACER_CPUS_H
#define PPROFIL_TRACER_CPUS_H

#include <stdbool.h>
#include <stdint.h>

struct supervisor;
struct tracer;

/* --- cpus-full.c ---------------------------------------------------------------------------------- */

/* Called at a tick. Finds out whether all CPUs are in use, by targets or by other tasks, and sets
 * supervisor->cpus.full. Reads the system's load at most once in 10 ms. */
void cpus_full_update(struct tracer *tracer);
/* Returns how many tracees were running or waiting for a CPU at the last tick of their tracer. */
unsigned cpus_full_count_runnable(const struct supervisor *supervisor);
/* To be called at a tick while no CPU is idle. Returns true if at least as many other tasks as tracees want a CPU.
 * Reads the system's load at most once in 10 ms. */
bool cpus_full_by_others(struct tracer *tracer);

/* --- tracer-affinity.c ---------------------------------------------------------------------------- */

/* To be called at a tick if no CPU is idle. Moves the tracer to a CPU of its tracees. Only the tracees on this CPU are
 * interrupted. Tracer and tracee take turns there. If they were on different CPUs, their wake-ups would take twice as
 * long. If the tracees are on several CPUs, the tracer goes from one CPU to the next, and stays on each for some ticks.
 * If home_cpu is not set, sets it. Returns true if the tracer has moved. Then the present instant is not random,
 * because the scheduler has chosen when the tracer got its new CPU. Gives up the lock while the tracer moves. */
bool affinity_rotate(struct tracer *tracer);
/* Returns how many CPUs the tracer visits in turn: 1 or more. */
unsigned affinity_cpu_count(const struct tracer *tracer);
/* Allows the tracer to run on all CPUs again, and clears its home_cpu. */
void affinity_unbind(struct tracer *tracer);
/* Needs no lock. Moves the calling tracer to another CPU, at most once in 2 ms, and allows it to run on all CPUs again.
 * Does nothing while the occupier (preempt.c) has an order. The reason for the move: the scheduler may wake a tracer on
 * the CPU of a running tracee although another CPU is idle, and may leave the tracer there for long. */
void affinity_move_away(struct tracer *tracer);

/* --- tracer-priority.c ---------------------------------------------------------------------------- */

/* Called by the tracer's own thread; needs no lock. If a CPU is idle, or if the mean time between two ticks is 0.5 ms
 * or more, asks the kernel for real-time priority, otherwise for a short time slice. The kernel may refuse both. */
void priority_ask(struct tracer *tracer);
/* The caller holds the lock. Returns true if real-time priority is best for the tracer: if a CPU is idle, if the
 * mean time between two ticks is 0.5 ms or more, or if at least as many other tasks as tracees want a CPU. May read the
 * system's load, at most once in 10 ms. */
bool priority_realtime_is_best(struct tracer *tracer);
/* Called by the tracer's own thread. Asks the kernel for real-time priority, or for a short time slice, unless the last
 * request was the same. Must not ask for a short time slice while the tracer holds the lock: the kernel may then take
 * the CPU from it, and other tracers would wait for the lock. */
void priority_follow(struct tracer *tracer, bool realtime);

/* --- tracer-clock.c ------------------------------------------------------------------------------- */

/* Called by the tracer's own thread. Returns its files of /proc. */
struct procfs_task *tracer_files(struct tracer *tracer);
/* Returns the total time for which the tracer has waited for a CPU, ns; 0: the kernel does not count it. */
uint64_t tracer_read_wait(struct tracer *tracer);
/* Called by the tracer's own thread while no CPU is idle. Reads the time and the tracer's CPU time into tracer->clock.
 * Returns true if the tracer had no CPU for some of the time since the last call. */
bool tracer_read_clock(struct tracer *tracer);
/* Called by the tracer's own thread after a sleep, while no CPU is idle. Finds out when the tracer got its CPU:
 * sleep.cpu_at. */
void tracer_note_cpu(struct tracer *tracer);

#endif
