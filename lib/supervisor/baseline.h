/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* baseline: the CPU time from which on a process and its threads are sampled. With the supervisor's lock. */
#ifndef PPROFIL_BASELINE_H
#define PPROFIL_BASELINE_H

struct process;
struct supervisor;
struct tracee;

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
