/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* attribution: for how much time a sample stands, and who gets it: the client, or a histogram in the target. */
#ifndef PPROFIL_ATTRIBUTION_H
#define PPROFIL_ATTRIBUTION_H

#include "supervisor/proc/procfs.h"
#include "supervisor/regs.h"

struct process;
struct supervisor;
struct tracee;
struct tracer;

/* Serving: adds the CPU time of a process that has ended, as far as no sample stands for it, to what the samples of
 * others will stand for. process_cpu must have been called since its end. */
void attribution_note_end(struct supervisor *supervisor, const struct process *process);
/* Attributes the sample that was wanted of a tracee. regs: what it was doing when it stopped. */
void attribution_sample(struct tracer *tracer, struct tracee *tracee, const struct regs *regs);
/* Wall mode: the tracee was seen asleep. */
void attribution_sleeping(struct tracer *tracer, struct tracee *tracee, const struct procfs_state *state);
/* Wall mode: a look has read the tracee's waits (tracee->look.times), and found that it waits for a CPU. It is not
 * interrupted, perhaps for long. */
void attribution_waiting(struct tracer *tracer, struct tracee *tracee);

#endif
