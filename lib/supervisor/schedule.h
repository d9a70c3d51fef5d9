/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * schedule: when a tracer's next tick is due. Pure.
 *
 * Time is cut into strata of one period each, and a tick is at a uniformly random instant of each. So every instant has
 * the same chance of being looked at, and the phases in which a periodic target is met are independent of each other. A
 * fixed period with some jitter is not enough: successive ticks then meet a target of nearly the same period in nearly
 * the same phase, and shares come out wrong by far more than the number of samples suggests.
 */
#ifndef PPROFIL_SCHEDULE_H
#define PPROFIL_SCHEDULE_H

#include <stdint.h>

struct schedule_draw {
    uint64_t at;         /* time of the tick; 0: none is drawn */
    uint64_t covered_ns; /* sampling time that it stands for */
    uint64_t missed_ns;  /* sampling time before that, for which no tick stands */
};

struct schedule {
    uint64_t stratum_end;           /* time up to which ticks have been drawn */
    uint64_t taken_at;              /* time of the last tick that was taken */
    uint64_t covered_ns, missed_ns; /* covered_ns and missed_ns of that tick */
    struct schedule_draw ahead;     /* the tick after that one */
    uint64_t random;                /* state of the random number generator; never 0 */
};

/* seed: 0: the clock's. */
void schedule_init(struct schedule *schedule, uint64_t seed);

/* Takes the tick that was drawn ahead, or draws one if there is none or it is late. Returns its time. Sets covered_ns:
 * the period, and what was missed before it, up to another period; and missed_ns: the rest of what was missed.
 * period_ns > 0. */
uint64_t schedule_next(struct schedule *schedule, uint64_t now, uint64_t period_ns);

/* Like schedule_next, after a pause in which nobody was looked at. The pause has moved no tick. The one that was taken
 * before it may still be to come, and is taken again then; the one that was drawn ahead stays. Ticks that were due in
 * the pause are left out, and no tick covers their strata. So a target that is looked at for less than a period, now
 * and then, is found as often as if the ticks had never paused. period_ns > 0. */
uint64_t schedule_resume(struct schedule *schedule, uint64_t now, uint64_t period_ns);

/* Draws a tick ahead, for the next schedule_next. None may be drawn ahead yet. period_ns > 0. */
void schedule_draw_ahead(struct schedule *schedule, uint64_t now, uint64_t period_ns);

/* Has the next stratum begin now, with nothing drawn ahead. No tick covers what is before it. */
void schedule_restart(struct schedule *schedule, uint64_t now);

/* Has the next stratum begin now. Returns the time that this takes from the stratum of the last tick taken, ns. */
uint64_t schedule_cut(struct schedule *schedule, uint64_t now);

/* If the stratum of the last tick taken is over, restarts, and returns the time since its end, ns, which no tick
 * covers. Else returns 0. */
uint64_t schedule_end_gap(struct schedule *schedule, uint64_t now);

/* Has the next stratum that is drawn begin ns later: this time did not pass for the targets. No tick covers it. */
void schedule_leave_out(struct schedule *schedule, uint64_t ns);

/* Returns a random number of 0..bound-1, all with the same chance. bound > 0. */
uint32_t schedule_random(struct schedule *schedule, uint32_t bound);

#endif
