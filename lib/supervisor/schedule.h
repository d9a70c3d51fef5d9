/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * schedule: draws the times of a tracer's ticks. Does no I/O. Only schedule_init may read the clock.
 *
 * A tick is an instant at which the tracer looks at its tracees. Time is divided into strata of one period each. Each
 * stratum has one tick, at a uniformly random instant. So every instant has the same chance of being a tick, and
 * successive ticks see a periodic target in independent phases. A fixed period with some jitter is not enough: if a
 * target has nearly the same period, successive ticks see it in nearly the same phase. Then the shares of the target's
 * code are far less exact than the number of samples suggests.
 */
#ifndef PPROFIL_SCHEDULE_H
#define PPROFIL_SCHEDULE_H

#include <stdint.h>

struct schedule_draw {
    uint64_t at;         /* time of the tick; 0: no tick is drawn */
    uint64_t covered_ns; /* length of the time that the tick represents, ns */
    uint64_t missed_ns;  /* length of the time before it that no tick represents, ns */
};

struct schedule {
    uint64_t stratum_end;           /* end of the latest stratum for which a tick was drawn */
    uint64_t taken_at;              /* time of the tick that schedule_next or schedule_resume returned last */
    uint64_t covered_ns, missed_ns; /* covered_ns and missed_ns of struct schedule_draw, for the tick at taken_at */
    struct schedule_draw ahead;     /* the tick that follows the one at taken_at, if schedule_draw_ahead has drawn it */
    uint64_t random;                /* state of the random number generator; never 0 */
};

/* Initializes *schedule. seed: seed of the random number generator; if it is 0, the clock is used instead. */
void schedule_init(struct schedule *schedule, uint64_t seed);

/* Returns the time of the next tick. This is the tick that schedule_draw_ahead has drawn; if there is none, or its time
 * has passed, another tick is drawn. The tick represents the time from the end of the former stratum to the end of its
 * own stratum, but at most 2 periods. Sets covered_ns to the length of the represented time, and missed_ns to the
 * length of the time that this limit leaves out. period_ns > 0. */
uint64_t schedule_next(struct schedule *schedule, uint64_t now, uint64_t period_ns);

/* Returns the time of the first tick after a pause. If the last returned tick has not come yet, returns it again.
 * Otherwise returns the tick of schedule_draw_ahead, if its time has not passed. Ticks that were due in the pause are
 * dropped, and no tick covers their strata. The pause does not delay the later ticks. So for the time in which sampling
 * is on, a target gets as many samples as without pauses, even if it turns sampling on for less than a period each
 * time. period_ns > 0. */
uint64_t schedule_resume(struct schedule *schedule, uint64_t now, uint64_t period_ns);

/* Draws the tick that the next schedule_next will return (the tick that is drawn ahead). Must not be called again
 * before schedule_next has returned that tick. period_ns > 0. */
void schedule_draw_ahead(struct schedule *schedule, uint64_t now, uint64_t period_ns);

/* Makes the next stratum begin at time `now`, and drops the tick that schedule_draw_ahead has drawn, if any. No tick
 * covers the time from the end of the last stratum to `now`. */
void schedule_restart(struct schedule *schedule, uint64_t now);

/* Makes the next stratum begin at time `now`. This may cut the end off the stratum of the tick that was returned last.
 * Returns the length of the part that was cut off, ns. */
uint64_t schedule_cut(struct schedule *schedule, uint64_t now);

/* If the stratum of the tick that was returned last has ended, makes the next stratum begin at time `now`, and returns
 * the gap between the two strata, ns, which no tick covers. Otherwise returns 0. */
uint64_t schedule_end_gap(struct schedule *schedule, uint64_t now);

/* Delays the beginning of the next stratum by `ns` nanoseconds, because the targets were stopped for that time. No tick
 * covers that time. */
void schedule_leave_out(struct schedule *schedule, uint64_t ns);

/* Returns a random number from 0 to bound - 1; each has the same chance. bound > 0. */
uint32_t schedule_random(struct schedule *schedule, uint32_t bound);

#endif
