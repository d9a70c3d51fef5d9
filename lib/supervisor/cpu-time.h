/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cpu-time: the CPU time of processes and threads, and the baselines from which on it counts. With the supervisor's
 * lock. */
#ifndef PPROFIL_CPU_TIME_H
#define PPROFIL_CPU_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct process;
struct procfs_cpu;
struct supervisor;
struct tracee;

/* Returns the same without the CPU time of threads that could not be seized. */
uint64_t process_cpu_traced(struct process *process);
/* Returns what process_cpu_traced returned *age_ns ago; 0: just now. The kernel sums a process's clock over all its
 * threads, so the clock is read again only after 300 times as long as the last reading took. */
uint64_t process_cpu_lately(struct process *process, uint64_t now, uint64_t *age_ns);
/* Returns the CPU time of the process in all stretches of sampling, ns. sampling: such a stretch is under way, and the
 * clock is read for it. */
uint64_t process_cpu_counted(struct process *process, bool sampling);
/* Returns the same, but with what process_cpu returned last. */
uint64_t process_cpu_known(const struct process *process, bool sampling);
/* Reads the CPU time of the tracee, ns, and books what is new as explained. Returns false if the kernel keeps no such
 * figure, or if the figure is lower than before: the tracee is unchanged then, but *cpu may be filled in. */
bool tracee_read_cpu(struct tracee *tracee, struct procfs_cpu *cpu);

/* Takes the baseline of a process and its threads: CPU time used up to now does not count, nor do interrupts under
 * way. */
void baseline_take(struct supervisor *supervisor, struct process *process);
/* Takes the baseline of one thread. */
void baseline_take_of(struct tracee *tracee);

/* A program that profiles itself may do so for less than a period each time. To be called when it pauses: keeps the CPU
 * time of the process and its threads that no sample stands for yet. */
void baseline_keep_debts(struct process *process);
/* To be called when the pause ends: takes the baselines, and adds what was kept. */
void baseline_resume(struct supervisor *supervisor, struct process *process);

#endif
