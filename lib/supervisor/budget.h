/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * budget: how often targets may be sampled. Pure.
 *
 * The budget is the share of its CPU time that a target may lose to samples. The rate is the number of samples in a
 * second of a thread's CPU time, so the share is the rate times what a sample costs. That cost is measured all the
 * time, and the rate follows it at once, down and up. Stops that would have come at any rate (births, execs, signals)
 * are not billed. Those of a call that a sample broke are: the sample costs more by them.
 *
 * A sample costs more where no CPU is idle, and more while tasks are made. Each of these conditions has a cost of its
 * own. When it ends, the rate is at once what it was before.
 */
#ifndef PPROFIL_BUDGET_H
#define PPROFIL_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of a condition. */
#define BUDGET_FULL 1u   /* no CPU is idle */
#define BUDGET_NEW_TASKS 2u /* tasks have been made of late */
#define BUDGET_CONDITIONS 4u

struct budget_cost {
    double ns;             /* of a sample, as measured of late, or assumed */
    unsigned samples;      /* that were measured */
    uint64_t no_sample_ns; /* what ticks and stops that led to no sample have cost since the last sample */
};

struct budget {
    double asked_hz;
    double rate_hz; /* in force: asked_hz, or less where that costs too much */
    double share;   /* that targets may lose: 0 < share */
    struct budget_cost costs[BUDGET_CONDITIONS];
    unsigned condition; /* that rate_hz is for */
    unsigned limiting;  /* under which it was last below asked_hz */
    double reported_hz;     /* rate_hz, as budget_has_changed saw it last */
    uint64_t adjusted_at; /* time of the last budget_adjust */
    uint64_t throttled_ns; /* time spent below asked_hz */
};

void budget_init(struct budget *budget, double asked_hz, double share);
/* Another rate is asked for. */
void budget_ask(struct budget *budget, double asked_hz);
/* Books samples that cost targets cost_ns together. What ticks and stops cost that led to no sample is booked with
 * samples 0: it is part of the price of the next sample under the same condition. */
void budget_note(struct budget *budget, unsigned condition, unsigned samples, uint64_t cost_ns);
/* Sets the rate that the cost under this condition allows. Called often. */
void budget_adjust(struct budget *budget, unsigned condition, uint64_t now);
/* Returns true if the rate has changed by so much, since it last returned true, that users should know. */
bool budget_has_changed(struct budget *budget);
/* Returns what a sample costs, ns, under budget->limiting (0 if the rate was never lowered), or, if none was measured
 * there, under budget->condition; 0: none was measured under either. */
uint64_t budget_cost(const struct budget *budget);
/* Returns the mean time between two ticks, ns. */
uint64_t budget_period(const struct budget *budget);

#endif
