/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* attribution: computes how much time a sample represents. Sends the sample to the client, or counts it in a histogram
 * in the target. */
#ifndef PPROFIL_ATTRIBUTION_H
#define PPROFIL_ATTRIBUTION_H

#include "supervisor/proc/procfs.h"
#include "supervisor/regs.h"

struct process;
struct supervisor;
struct tracee;
struct tracer;

/* When serving programs that profile themselves: saves the CPU time of an ended process that none of its samples
 * represents. The samples of other processes will represent this CPU time. The clock of the process must have been read
 * after its end (tracee_last_cpu). */
void attribution_note_end(struct supervisor *supervisor, const struct process *process);
/* Attributes the sample of a tracee that has stopped. regs: its registers at the stop. */
void attribution_sample(struct tracer *tracer, struct tracee *tracee, const struct regs *regs);
/* Wall mode: attributes the time that the tracee has slept. state: system call and registers of the sleeping tracee, as
 * procfs_look read them. */
void attribution_sleeping(struct tracer *tracer, struct tracee *tracee, const struct procfs_state *state);
/* Wall mode: attributes the time that the tracee has waited for a CPU. To be called after this tick has read
 * tracee->look.times, if the tick does not interrupt the tracee. */
void attribution_waiting(struct tracer *tracer, struct tracee *tracee);

#endif
