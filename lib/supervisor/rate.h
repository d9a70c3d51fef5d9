/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rate: when the next tick is due, and how fast we may go.
 */
#ifndef PPROFIL_RATE_H
#define PPROFIL_RATE_H

#include <stdbool.h>
#include <stdint.h>

/* What has been used up so far, ns. */
struct rate_totals {
    uint64_t sampling_ns; /* taken from targets by samples, ... */
    uint64_t events_ns;   /* ... and by stops that come at any rate */
    uint64_t cpu_ns;      /* the targets' CPU time */
};

struct rate {
    double asked_hz;
    double rate_hz; /* in force: asked_hz, or less while the budget is passed */
    double budget;  /* time that targets may lose to us, per CPU time, 0..1 */
    uint64_t stratum_end; /* time up to which ticks have been drawn */
    uint64_t covered_ns;  /* time that the tick last drawn stands for */
    uint64_t random;
    uint64_t adjusted_at; /* time of the last rate_adjust */
    uint64_t window_start;       /* time */
    struct rate_totals window;   /* at the window's start */
    uint64_t throttled_ns;
};

/* seed: 0 takes one from the clock. */
void rate_init(struct rate *rate, double asked_hz, double budget, uint64_t seed);

/* Another rate from the next tick on; the time drawn from so far stays covered. */
void rate_change(struct rate *rate, double asked_hz);

/* Draws the next tick: time is cut into strata of one period each, and the tick is at a
 * uniformly random instant of the next one. So every instant has the same chance of being
 * looked at, and the phases in which a periodic target is met are independent of each other.
 * Sets covered_ns: the period, and what was missed before it. slowest_ns: a longer period to
 * use instead, or 0. */
uint64_t rate_next(struct rate *rate, uint64_t now, uint64_t slowest_ns);

/* The next stratum begins now; what is before it is covered by no tick. */
void rate_restart(struct rate *rate, uint64_t now);

/* ns of the time drawn from so far did not pass for the targets: no tick covers it either. */
void rate_leave_out(struct rate *rate, uint64_t ns);

/* Called often with ever-growing totals. Lowers the rate when the last window's samples cost
 * more than the budget left them, raises it again when there is room. Events cannot be saved:
 * what they cost is left to the samples only down to half of the budget. Returns whether the
 * rate changed. */
bool rate_adjust(struct rate *rate, uint64_t now, const struct rate_totals *totals);

/* The mean period in force, ns. */
uint64_t rate_period(const struct rate *rate);

/* Uniform in 0..bound-1. */
uint32_t rate_random(struct rate *rate, uint32_t bound);

#endif
