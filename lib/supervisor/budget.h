/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * budget: how often targets may be sampled. Pure.
 *
 * The budget is the share of its CPU time that a target may lose to samples. The rate is the number of samples in a
 * second of a thread's CPU time, so the share is the rate times the cost of a sample. That cost is measured all the
 * time, and the rate follows it at once, down and up. Stops that would also have come without sampling (new tasks,
 * execs, signals) are not billed. The stops of a call that a sample broke are billed: they make that sample cost more.
 *
 * A sample costs more where no CPU is idle, and more while tasks are made. Each of these conditions has a cost of its
 * own. So when a condition ends, the rate is at once what it was before.
 */
#ifndef PPROFIL_BUDGET_H
#define PPROFIL_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of a condition. */
#define BUDGET_FULL 1u   /* no CPU is idle */
#define BUDGET_NEW_TASKS 2u /* tasks were made a short time ago */
#define BUDGET_CONDITIONS 4u

struct budget_cost {
    double ns;             /* cost of a sample, as measured recently, or assumed */
    unsigned samples;      /* number of samples that were measured */
    uint64_t no_sample_ns; /* cost, since the last sample, of ticks and stops that led to no sample */
};

struct budget {
    double asked_hz;
    double rate_hz; /* the rate in force: asked_hz, or less where that costs too much */
    double share;   /* share of their time that targets may lose, more than 0 */
    struct budget_cost costs[BUDGET_CONDITIONS];
    unsigned condition;    /* the condition that rate_hz is for */
    unsigned limiting;     /* the condition under which rate_hz was last below asked_hz */
    double reported_hz;    /* rate_hz when budget_has_changed last returned true */
    uint64_t adjusted_at;  /* time of the last budget_adjust */
    uint64_t throttled_ns; /* time spent below asked_hz */
};

/* Begins with an assumed cost of a sample. asked_hz > 0; 0 < share: of their time that targets may lose. */
void budget_init(struct budget *budget, double asked_hz, double share);
/* Asks for another rate. */
void budget_ask(struct budget *budget, double asked_hz);
/* Books samples that together have cost targets cost_ns. The cost of ticks and stops that led to no sample is booked
 * with samples 0: it is part of the price of the next sample under the same condition. */
void budget_note(struct budget *budget, unsigned condition, unsigned samples, uint64_t cost_ns);
/* Sets the rate that the cost under this condition allows. now: time. To be called often. */
void budget_adjust(struct budget *budget, unsigned condition, uint64_t now);
/* Returns true if the rate has changed so much, since this last returned true, that users should know. */
bool budget_has_changed(struct budget *budget);
/* Returns the cost of a sample, ns, under budget->limiting (0 if the rate was never lowered). If none was measured
 * there, returns the cost under budget->condition. Returns 0 if none was measured under either. */
uint64_t budget_cost(const struct budget *budget);
/* Returns the mean time between two ticks, ns. */
uint64_t budget_period(const struct budget *budget);

#endif
