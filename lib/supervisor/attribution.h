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

/* Returns the CPU time that a sample of a thread on a CPU represents, ns. To be called once for each such sample, after
 * tracee_read_cpu: adds the returned time to what the samples of the thread and its process represent. */
uint64_t attribution_weigh(struct supervisor *supervisor, struct tracee *tracee);
/* Sends samples with WIRE_SAMPLE_UNSAMPLED: the CPU time that the tracees have used while the tracer could not sample
 * them, for silence_ns. To be called at the first tick after that, before the tick looks at the tracees. */
void attribution_report_unsampled(struct tracer *tracer, uint64_t silence_ns);
/* For programs that profile themselves. To be called when a process has ended. If its samples represent less CPU time
 * than it has used, later samples of other processes will represent the difference. The clock of the process must have
 * been read after its end (tracee_last_cpu). */
void attribution_note_end(struct supervisor *supervisor, const struct process *process);
/* Computes how much time the sample of a stopped tracee represents, and delivers the sample. regs: registers of the
 * tracee at this stop. */
void attribution_sample(struct tracer *tracer, struct tracee *tracee, const struct regs *regs);
/* Delivers a sample of a tracee that was on a CPU when a tick was due, and was asleep before it could be interrupted.
 * tracee->interrupt contains the time of the sample, and the sampling time that it represents. state: system call and
 * registers of the sleeping tracee, as procfs_look read them. */
void attribution_fell_asleep(struct tracer *tracer, struct tracee *tracee, const struct procfs_state *state);
/* Wall mode: attributes the time that the tracee has slept to the system call and address at which it sleeps. state:
 * system call and registers of the sleeping tracee, as procfs_look read them. */
void attribution_sleeping(struct tracer *tracer, struct tracee *tracee, const struct procfs_state *state);
/* Wall mode: reports how long the tracee has waited for a CPU. To be called in a tick that does not interrupt the
 * tracee, after the tick has read tracee->look.times. */
void attribution_waiting(struct tracer *tracer, struct tracee *tracee);

#endif
