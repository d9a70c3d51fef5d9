/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * budget: decides how often targets may be sampled. Does no I/O and reads no clock.
 *
 * The budget is the share of its CPU time that a target may lose to samples. The rate is the number of samples in a
 * second of a thread's CPU time. So the lost share is the rate times the cost of a sample. That cost is measured all
 * the time, and the rate follows each change of it at once, down and up. Stops for new tasks, execs and signals would
 * come without sampling, too, so they are not part of the cost. The stops of a call that a sample broke are part of the
 * cost of that sample.
 *
 * A sample costs more if no CPU is idle, and more while tasks are made. A cost is kept for each combination of these
 * conditions. So when a condition ends, the rate is at once what it was before the condition began.
 */
#ifndef PPROFIL_BUDGET_H
#define PPROFIL_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of a condition; 0: a CPU is idle, and no tasks are made. */
#define BUDGET_FULL 1u   /* no CPU is idle */
#define BUDGET_NEW_TASKS 2u /* tasks were made a short time ago */
#define BUDGET_CONDITIONS 4u

struct budget_cost {
    double ns;             /* running mean of the cost of a sample, ns; an assumed cost at first */
    unsigned samples;      /* number of samples that were measured */
    uint64_t no_sample_ns; /* cost since the last sample: ticks and stops that led to no sample */
};

struct budget {
    double asked_hz;
    double rate_hz; /* the rate now: asked_hz, or less if that costs too much */
    double share;   /* share of their CPU time that targets may lose, more than 0 */
    struct budget_cost costs[BUDGET_CONDITIONS];
    unsigned condition;    /* condition for which rate_hz was set */
    unsigned limiting;     /* condition under which rate_hz was last below asked_hz */
    double reported_hz;    /* rate_hz when budget_has_changed last returned true */
    uint64_t adjusted_at;  /* time of the last budget_adjust */
    uint64_t throttled_ns; /* time in which rate_hz was below asked_hz */
};

/* Initializes *budget with an assumed cost of a sample. asked_hz > 0. share > 0: budget->share. */
void budget_init(struct budget *budget, double asked_hz, double share);
/* Sets asked_hz, and the rate that the cost allows. */
void budget_ask(struct budget *budget, double asked_hz);
/* Books the cost of `samples` samples: together they took cost_ns from targets. samples is 0 for ticks and stops that
 * led to no sample: their cost is added to that of the next sample under the same condition. */
void budget_note(struct budget *budget, unsigned condition, unsigned samples, uint64_t cost_ns);
/* Sets the rate that the cost under this condition allows. now: CLOCK_MONOTONIC, ns. To be called often. */
void budget_adjust(struct budget *budget, unsigned condition, uint64_t now);
/* Returns true if the client should get the rate: since this function last returned true, the rate has changed by 5 %
 * or more, or has returned to asked_hz. */
bool budget_has_changed(struct budget *budget);
/* Returns the cost of a sample under condition budget->limiting, ns. If no sample was measured there, returns the cost
 * under budget->condition. Returns 0 if no sample was measured under either condition. */
uint64_t budget_cost(const struct budget *budget);
/* Returns the mean time between two ticks, ns. */
uint64_t budget_period(const struct budget *budget);

#endif
