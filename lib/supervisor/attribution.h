/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* attribution: what a sample is worth, and who is told. */
#ifndef PPROFIL_ATTRIBUTION_H
#define PPROFIL_ATTRIBUTION_H

#include "supervisor/proc/procfs.h"
#include "supervisor/regs.h"

struct process;
struct supervisor;
struct tracee;
struct tracer;

/* Serving: what a process has used and no sample of it stands for is left to the samples of others. It has ended, and
 * process_cpu was asked since. */
void attribution_note_end(struct supervisor *supervisor, const struct process *process);
/* Books the sample that was wanted of a tracee, with what it was doing when it stopped. */
void attribution_sample(struct tracer *tracer, struct tracee *tracee, const struct regs *regs);
/* Wall mode: a thread was seen asleep. */
void attribution_sleeping(struct tracer *tracer, struct tracee *tracee, const struct procfs_state *state);
/* Wall mode: a look has read the tracee's waits (tracee->looked); it is not interrupted, perhaps for long. */
void attribution_waiting(struct tracer *tracer, struct tracee *tracee);

#endif
