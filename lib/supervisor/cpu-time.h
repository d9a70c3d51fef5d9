/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cpu-time: reads the CPU time of processes and threads, and sets the baselines from which CPU time is counted. The
 * caller holds the supervisor's lock. */
#ifndef PPROFIL_CPU_TIME_H
#define PPROFIL_CPU_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct process;
struct procfs_cpu;
struct supervisor;
struct tracee;

/* Returns the CPU time of the process since its last baseline, ns, without the threads that could not be seized.
 * Returns 0 if the clock of the process cannot be read. */
uint64_t process_cpu_traced(struct process *process);
/* Returns a recent value of process_cpu_traced, and sets *age_ns to the age of this value, ns (0: read now). A read of
 * a process's clock takes long, because the kernel adds up the CPU times of all threads. So a value is used for 300
 * times as long as its read took. */
uint64_t process_cpu_lately(struct process *process, uint64_t now, uint64_t *age_ns);
/* Returns the CPU time that the process used while it was sampled, ns. sampling: sampling is on, so the clock is
 * read. */
uint64_t process_cpu_counted(struct process *process, bool sampling);
/* Returns the same as process_cpu_counted, but from the last reading of the clock. */
uint64_t process_cpu_known(const struct process *process, bool sampling);
/* Reads the run and wait times of the tracee into *cpu and tracee->time.used_ns. Adds the new CPU time to the
 * search.explained_ns of its process. Returns false if the kernel keeps no such figures, or if the CPU time is lower
 * than before. Then the tracee is unchanged, but *cpu may be filled in. */
bool tracee_read_cpu(struct tracee *tracee, struct procfs_cpu *cpu);

/* Takes the baseline of a process and its threads. CPU time used up to now, and interrupts under way, will not
 * count. */
void baseline_take(struct supervisor *supervisor, struct process *process);
/* Takes the baseline of one thread. */
void baseline_take_of(struct tracee *tracee);

/* To be called when a program that profiles itself pauses profiling. Saves the CPU time of the process and of each
 * thread that no sample represents yet. Without this, a program that turns profiling on for less than a period each
 * time would lose that CPU time. */
void baseline_keep_debts(struct process *process);
/* To be called when the pause ends. Takes the baselines, and adds the saved CPU time. */
void baseline_resume(struct supervisor *supervisor, struct process *process);

#endif
