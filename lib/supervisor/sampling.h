/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sampling: starts and pauses sampling in all tracers, and changes its rate and mode. The caller holds the lock. Also
 * declares housekeeping_run, which does periodic work for all tracers. */
#ifndef PPROFIL_SAMPLING_H
#define PPROFIL_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

struct supervisor;
struct tracer;

/* Called by the first tracer's own thread. Starts sampling, or resumes it after a pause. Does nothing if sampling is
 * on. */
void sampling_start(struct supervisor *supervisor);
/* Pauses sampling. Targets are still followed. Does nothing if sampling is off. */
void sampling_pause(struct supervisor *supervisor);
/* Turns wall mode on or off. In wall mode, sleeping threads are sampled, too. */
void sampling_set_wall(struct supervisor *supervisor, bool wall);
/* Sets the statistics to 0. CPU time that was used before no longer counts. */
void sampling_clear(struct supervisor *supervisor);
/* Returns the present value of the condition on which the cost of a sample depends: BUDGET_ bits of budget.h. full: no
 * CPU is idle. */
unsigned sampling_condition(const struct supervisor *supervisor, bool full);
/* Called by the tracer's own thread. Sets the sampling rate to the highest rate that the budget allows now. */
void sampling_adjust_rate(struct tracer *tracer, uint64_t now);
/* Called by the first tracer's own thread. Requests a rate of hz > 0 samples in a second of a thread's CPU time. Sends
 * the client the rate that the budget allows. */
void sampling_set_rate(struct supervisor *supervisor, double hz);

/* Called by the first tracer. Does the periodic work that is due. Returns the time at which it must be called again;
 * while sampling is off, the returned time has no meaning. */
uint64_t housekeeping_run(struct tracer *tracer);

#endif
