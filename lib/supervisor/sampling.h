/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sampling: it starts, pauses, and goes on in another way. */
#ifndef PPROFIL_SAMPLING_H
#define PPROFIL_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

struct supervisor;
struct tracer;

/* Starts sampling, or goes on after a pause; does nothing if it is on. By the first tracer's own thread, as is
 * sampling_set_rate. */
void sampling_start(struct supervisor *supervisor);
/* Pauses it; targets stay followed. Does nothing if it is off. */
void sampling_pause(struct supervisor *supervisor);
/* Wall mode: samples sleeping threads, too, or no longer. */
void sampling_set_wall(struct supervisor *supervisor, bool wall);
/* All totals begin anew. */
void sampling_clear(struct supervisor *supervisor);
/* Returns under which condition samples are taken, as budget.h has it. full: no CPU is idle */
unsigned sampling_condition(const struct supervisor *supervisor, bool full);
/* Sets the rate that the budget allows now. By the tracer's own thread. */
void sampling_adjust_rate(struct tracer *tracer, uint64_t now);
/* Asks for hz > 0 samples in a second of a thread's CPU time, as far as the budget allows, and tells the client. */
void sampling_set_rate(struct supervisor *supervisor, double hz);

/* With the lock, by the first tracer: does for all tracers what is due. Returns the time at which it is to be called
 * again. The result means nothing while nothing is sampled. */
uint64_t housekeeping_run(struct tracer *tracer);

#endif
