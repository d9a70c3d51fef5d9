/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sampling: starts and pauses sampling in all tracers, and changes its rate and mode. Also declares housekeeping, the
 * periodic work for all tracers. The caller holds the lock. */
#ifndef PPROFIL_SAMPLING_H
#define PPROFIL_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

struct supervisor;
struct tracer;

/* Called by the first tracer's own thread. Starts sampling, or resumes it after a pause. Does nothing if sampling is
 * on. */
void sampling_start(struct supervisor *supervisor);
/* Pauses sampling; targets stay followed. Does nothing if sampling is off. */
void sampling_pause(struct supervisor *supervisor);
/* Begins or ends wall mode, in which sleeping threads are sampled, too. */
void sampling_set_wall(struct supervisor *supervisor, bool wall);
/* Resets the statistics and the counted CPU times. */
void sampling_clear(struct supervisor *supervisor);
/* Returns the present condition for the budget: BUDGET_ bits of budget.h. full: no CPU is idle. */
unsigned sampling_condition(const struct supervisor *supervisor, bool full);
/* Called by the tracer's own thread. Sets the rate that the budget allows now. */
void sampling_adjust_rate(struct tracer *tracer, uint64_t now);
/* Called by the first tracer's own thread. Sets the requested rate: hz > 0 samples in a second of a thread's CPU time.
 * Sends the client the rate that the budget allows. */
void sampling_set_rate(struct supervisor *supervisor, double hz);

/* Called by the first tracer. Does the periodic work that is due. Returns the time at which it must be called again.
 * While sampling is off, the returned time has no meaning. */
uint64_t housekeeping_run(struct tracer *tracer);

#endif
