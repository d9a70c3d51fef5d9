/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sampling: sampling as a whole: it starts, pauses, changes its rate and mode. With the lock. Also housekeeping, which
 * is what is done for all tracers now and then. */
#ifndef PPROFIL_SAMPLING_H
#define PPROFIL_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

struct supervisor;
struct tracer;

/* By the first tracer's own thread. Starts sampling, or goes on after a pause. Does nothing if it is on. */
void sampling_start(struct supervisor *supervisor);
/* Pauses sampling; targets stay followed. Does nothing if it is off. */
void sampling_pause(struct supervisor *supervisor);
/* Begins or ends wall mode, in which sleeping threads are sampled, too. */
void sampling_set_wall(struct supervisor *supervisor, bool wall);
/* Sets all totals to 0. */
void sampling_clear(struct supervisor *supervisor);
/* Returns the condition under which samples are taken: budget.h. full: no CPU is idle. */
unsigned sampling_condition(const struct supervisor *supervisor, bool full);
/* By the tracer's own thread. Sets the rate that the budget allows now. */
void sampling_adjust_rate(struct tracer *tracer, uint64_t now);
/* By the first tracer's own thread. Asks for hz > 0 samples in a second of a thread's CPU time, as far as the budget
 * allows, and tells the client. */
void sampling_set_rate(struct supervisor *supervisor, double hz);

/* By the first tracer. Does for all tracers what is due. Returns the time at which it is to be called again; that means
 * nothing while nothing is sampled. */
uint64_t housekeeping_run(struct tracer *tracer);

#endif
