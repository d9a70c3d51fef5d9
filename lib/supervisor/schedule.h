/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * schedule: draws the times of a tracer's ticks. Does no I/O. Only schedule_init may read the clock.
 *
 * Time is divided into strata of one period each. Each stratum has one tick, at a uniformly random instant. So every
 * instant has the same chance of being a tick, and successive ticks see a periodic target in independent phases. A
 * fixed period with some jitter is not enough: if a target has nearly the same period, successive ticks see it in
 * nearly the same phase. Then the shares of the target's code are far less exact than the number of samples suggests.
 */
#ifndef PPROFIL_SCHEDULE_H
#define PPROFIL_SCHEDULE_H

#include <stdint.h>

struct schedule_draw {
    uint64_t at;         /* time of the tick; 0: no tick is drawn */
    uint64_t covered_ns; /* sampling time that the tick represents, ns */
    uint64_t missed_ns;  /* earlier sampling time that no tick represents, ns */
};

struct schedule {
    uint64_t stratum_end;           /* end of the last stratum for which a tick was drawn */
    uint64_t taken_at;              /* time of the last tick that was taken */
    uint64_t covered_ns, missed_ns; /* covered_ns and missed_ns of the last tick that was taken */
    struct schedule_draw ahead;     /* the tick after the last one that was taken, if it is drawn already */
    uint64_t random;                /* state of the random number generator; never 0 */
};

/* Initializes *schedule. seed: seed of the random number generator; 0: taken from the clock. */
void schedule_init(struct schedule *schedule, uint64_t seed);

/* Takes the tick that was drawn ahead. If there is none, or its time has passed, draws another tick and takes that.
 * Returns the time of the tick. Sets covered_ns to the length of the tick's stratum plus the time missed before that
 * stratum, at most 2 periods. Sets missed_ns to the rest of the missed time. period_ns > 0. */
uint64_t schedule_next(struct schedule *schedule, uint64_t now, uint64_t period_ns);

/* Like schedule_next, for the first tick after a pause. The ticks stay where they would have been without the pause. If
 * the tick taken last is still to come, takes that tick again. The tick that was drawn ahead stays, too. Ticks that
 * were due in the pause are dropped, and no tick covers their strata. So a target that is sampled for less than a
 * period each time is still found as often as without pauses. period_ns > 0. */
uint64_t schedule_resume(struct schedule *schedule, uint64_t now, uint64_t period_ns);

/* Draws the tick that the next schedule_next will take. Must not be called while another tick is drawn ahead. period_ns
 * > 0. */
void schedule_draw_ahead(struct schedule *schedule, uint64_t now, uint64_t period_ns);

/* Makes the next stratum begin now, and drops the tick that was drawn ahead, if any. No tick covers the time before. */
void schedule_restart(struct schedule *schedule, uint64_t now);

/* Makes the next stratum begin now. Returns the time by which this shortens the stratum of the last tick taken, ns. */
uint64_t schedule_cut(struct schedule *schedule, uint64_t now);

/* If the stratum of the last tick taken has ended, makes the next stratum begin now. Returns the gap between these
 * strata, ns, which no tick covers. Otherwise returns 0. */
uint64_t schedule_end_gap(struct schedule *schedule, uint64_t now);

/* Delays the beginning of the next stratum by ns, because the targets were stopped for that time. No tick covers that
 * time. */
void schedule_leave_out(struct schedule *schedule, uint64_t ns);

/* Returns a random number of 0..bound-1, all with the same chance. bound > 0. */
uint32_t schedule_random(struct schedule *schedule, uint32_t bound);

#endif
