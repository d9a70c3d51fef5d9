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

/* Returns the CPU time that the process has used since its baseline was last set, ns, without the threads that could
 * not be seized. Returns 0 if the clock of the process cannot be read. */
uint64_t process_cpu_traced(struct process *process);
/* Returns a recent value of process_cpu_traced, and sets *age_ns to the age of this value, ns; 0: the clock was read
 * just now. It takes long to read a process's clock, because the kernel adds up the CPU times of all threads. So each
 * value is used for 300 times the time that it took to read it. */
uint64_t process_cpu_lately(struct process *process, uint64_t now, uint64_t *age_ns);
/* Returns the CPU time that the process used while it was sampled, ns. sampling: sampling is on now, so the clock of
 * the process must be read. */
uint64_t process_cpu_counted(struct process *process, bool sampling);
/* Like process_cpu_counted, but does not read the clock of the process: uses the value that was read last. */
uint64_t process_cpu_known(const struct process *process, bool sampling);
/* Reads the run and wait times of the tracee into *cpu and tracee->time.used_ns. Adds to process->search.explained_ns
 * the CPU time that the tracee has used since this function was last called. Returns false if the kernel does not keep
 * these times, or if the CPU time is lower than before. Then the tracee is unchanged, but *cpu may be filled in. */
bool tracee_read_cpu(struct tracee *tracee, struct procfs_cpu *cpu);

/* Sets the baseline of a process and of its threads to their present CPU times. CPU time that was used before does not
 * count any more, and interrupts that were sent before yield no sample. */
void baseline_take(struct supervisor *supervisor, struct process *process);
/* Sets the baseline of a single thread to its present CPU time. */
void baseline_take_of(struct tracee *tracee);

/* To be called when a program that profiles itself pauses profiling. Saves how much CPU time of the process, and of
 * each of its threads, no sample represents yet. Otherwise that CPU time would be lost if a program turns profiling on
 * again and again, for less than a period each time. */
void baseline_keep_debts(struct process *process);
/* To be called when the pause ends. Sets the baselines like baseline_take. The CPU time that baseline_keep_debts has
 * saved then counts as CPU time that no sample represents yet. */
void baseline_resume(struct supervisor *supervisor, struct process *process);

#endif
