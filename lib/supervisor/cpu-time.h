/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cpu-time: the CPU time of processes and threads, and the baselines from which on it counts. With the supervisor's lock. */
#ifndef PPROFIL_CPU_TIME_H
#define PPROFIL_CPU_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct process;
struct procfs_cpu;
struct supervisor;
struct tracee;

/* Returns the process's CPU time, ns, since baseline_take was last called for it, or else of its life; 0 if its
 * clock cannot be read. Works on a zombie that is not reaped yet. Sets known_cpu_ns. */
uint64_t process_cpu(struct process *process);
/* The same without that of threads that could not be seized. */
uint64_t process_cpu_traced(struct process *process);
/* Returns what process_cpu_traced returned *age_ns ago; 0: just now. The kernel sums a process's clock over all its
 * threads, so the clock is read again only after 300 times as long as the last reading took. */
uint64_t process_cpu_lately(struct process *process, uint64_t now, uint64_t *age_ns);
/* Returns its CPU time over all stretches of sampling, ns. sampling: one goes on, and the clock is read for it. */
uint64_t process_cpu_counted(struct process *process, bool sampling);
/* The same, with what process_cpu returned last. */
uint64_t process_cpu_known(const struct process *process, bool sampling);
/* Reads its CPU time, ns, and books what is new as explained. Returns false if the kernel does not tell, or tells
 * less than before: the tracee is unchanged then, but *cpu may be filled in. */
bool tracee_read_cpu(struct tracee *tracee, struct procfs_cpu *cpu);

/* CPU time used up to now does not count, nor do interrupts under way. */
void baseline_take(struct supervisor *supervisor, struct process *process);
/* The same of one thread. */
void baseline_take_of(struct tracee *tracee);

/* Programs that profile themselves may do so for less than a period each time. A pause begins: keeps what the process
 * and its threads have used, and no sample stands for yet. */
void baseline_keep_debts(struct process *process);
/* The pause ends: takes baselines, but what was kept counts, once. */
void baseline_resume(struct supervisor *supervisor, struct process *process);

#endif
