/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rate: when the next tick is due, and how fast we may go.
 */
#ifndef PPROFIL_RATE_H
#define PPROFIL_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct rate {
    double asked_hz;
    double rate_hz; /* in force: asked_hz, or less while the budget is passed */
    double budget;  /* stopped time a target may spend per CPU time, 0..1 */
    uint64_t due;   /* time of the tick last handed out */
    uint64_t random;
    uint64_t window_start;  /* time */
    uint64_t window_stopped; /* totals at the window's start, ns */
    uint64_t window_cpu;
    uint64_t throttled_ns;
};

/* seed: 0 takes one from the clock. */
void rate_init(struct rate *rate, double asked_hz, double budget, uint64_t seed);

/* The time at which the tick after the present one is due. Jittered by +-10 %, so that a
 * target with a period of its own is not always met in the same phase. slowest_ns: a longer
 * period to use instead, or 0. A tick that is late already is dropped, not made up for. */
uint64_t rate_next(struct rate *rate, uint64_t now, uint64_t slowest_ns);

/* Called often with ever-growing totals. Lowers the rate when the last window's stopped time
 * passed the budget, raises it again when there is room. Returns whether it changed. */
bool rate_adjust(struct rate *rate, uint64_t now, uint64_t stopped_ns, uint64_t cpu_ns);

/* The mean period in force, ns. */
uint64_t rate_period(const struct rate *rate);

/* Uniform in 0..bound-1. */
uint32_t rate_random(struct rate *rate, uint32_t bound);

#endif
