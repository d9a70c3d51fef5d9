/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * schedule: draws the times of a tracer's ticks. Pure, except that schedule_init may read the clock.
 *
 * Time is cut into strata of one period each, and a tick is at a uniformly random instant of each. So every instant has
 * the same chance of being looked at, and successive ticks see a periodic target in independent phases. A fixed period
 * with some jitter is not enough: if a target has nearly the same period, successive ticks see it in nearly the same
 * phase. Then the error of its shares is far greater than the number of samples suggests.
 */
#ifndef PPROFIL_SCHEDULE_H
#define PPROFIL_SCHEDULE_H

#include <stdint.h>

struct schedule_draw {
    uint64_t at;         /* time of the tick; 0: no tick is drawn */
    uint64_t covered_ns; /* sampling time that the tick stands for */
    uint64_t missed_ns;  /* earlier sampling time for which no tick stands */
};

struct schedule {
    uint64_t stratum_end;           /* time up to which ticks have been drawn */
    uint64_t taken_at;              /* time of the last tick that was taken */
    uint64_t covered_ns, missed_ns; /* covered_ns and missed_ns of that tick */
    struct schedule_draw ahead;     /* the tick after the last one that was taken, if it is drawn already */
    uint64_t random;                /* state of the random number generator; never 0 */
};

/* seed: of the random number generator; 0: taken from the clock. */
void schedule_init(struct schedule *schedule, uint64_t seed);

/* Takes the tick that was drawn ahead. If there is none, or it is late, draws and takes another one. Returns its time.
 * Sets covered_ns to the length of its stratum and the time missed before it, at most 2 periods; and missed_ns to the
 * rest of the missed time. period_ns > 0. */
uint64_t schedule_next(struct schedule *schedule, uint64_t now, uint64_t period_ns);

/* Like schedule_next, after a pause without ticks. The ticks stay where they would have been without the pause. If the
 * tick taken last is still to come, takes it again. The tick that was drawn ahead stays, too. Ticks that were due in
 * the pause are left out, and no tick covers their strata. So a target may be sampled for less than a period each time,
 * and is still found as often as without pauses. period_ns > 0. */
uint64_t schedule_resume(struct schedule *schedule, uint64_t now, uint64_t period_ns);

/* Draws the tick that the next schedule_next will take. No tick may be drawn ahead already. period_ns > 0. */
void schedule_draw_ahead(struct schedule *schedule, uint64_t now, uint64_t period_ns);

/* Lets the next stratum begin now, and drops a tick that was drawn ahead. No tick covers the time before. */
void schedule_restart(struct schedule *schedule, uint64_t now);

/* Lets the next stratum begin now. Returns by how much this shortens the stratum of the last tick taken, ns. */
uint64_t schedule_cut(struct schedule *schedule, uint64_t now);

/* If the stratum of the last tick taken is over, lets the next one begin now, and returns the time since its end, ns,
 * which no tick covers. Else returns 0. */
uint64_t schedule_end_gap(struct schedule *schedule, uint64_t now);

/* Lets the next stratum that is drawn begin ns later, because that time did not pass for the targets. No tick covers
 * it. */
void schedule_leave_out(struct schedule *schedule, uint64_t ns);

/* Returns a random number of 0..bound-1, all with the same chance. bound > 0. */
uint32_t schedule_random(struct schedule *schedule, uint32_t bound);

#endif
