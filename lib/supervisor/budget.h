/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * budget: decides how often targets may be sampled. Does no I/O and reads no clock.
 *
 * The budget is the share of a target's CPU time that may be lost to samples. The rate is the number of samples in a
 * second of a thread's CPU time. So the lost share is the rate times the cost of a sample. That cost is measured all
 * the time. When it changes, the rate changes immediately, down or up. Stops for new tasks, execs and signals are not
 * part of the cost, because they would also come without samples. If a sample breaks a system call, the stops that
 * repair this call are part of the cost of that sample.
 *
 * A sample costs more if no CPU is idle, and also if new tasks are being made. A separate cost is kept for each
 * combination of these two conditions. So when a condition ends, the rate immediately returns to its value from before
 * that condition.
 */
#ifndef PPROFIL_BUDGET_H
#define PPROFIL_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of the value `condition`; 0: a CPU is idle, and no tasks were made a short time ago. */
#define BUDGET_FULL 1u   /* no CPU is idle */
#define BUDGET_NEW_TASKS 2u /* tasks were made a short time ago */
#define BUDGET_CONDITIONS 4u

struct budget_cost {
    double ns;             /* mean cost of the latest samples, ns; before the first sample, an assumed cost */
    unsigned samples;      /* number of samples that were measured */
    uint64_t no_sample_ns; /* since the last sample: cost of ticks and stops that led to no sample, ns */
};

struct budget {
    double asked_hz;
    double rate_hz; /* the present rate: asked_hz, or a lower rate if samples at asked_hz would cost too much */
    double share;   /* the budget: share of the targets' CPU time that may be lost; more than 0 */
    struct budget_cost costs[BUDGET_CONDITIONS];
    unsigned condition;    /* condition for which rate_hz was computed */
    unsigned limiting;     /* the latest condition under which rate_hz was below asked_hz */
    double reported_hz;    /* value of rate_hz when budget_has_changed last returned true */
    uint64_t adjusted_at;  /* time of the last budget_adjust */
    uint64_t throttled_ns; /* for how long rate_hz has been below asked_hz so far */
};

/* Initializes *budget with an assumed cost of a sample. The parameters `asked_hz` and `share` become the fields of the
 * same names; both must be more than 0. */
void budget_init(struct budget *budget, double asked_hz, double share);
/* Sets budget->asked_hz, and sets rate_hz to the rate that the present cost of a sample allows. */
void budget_ask(struct budget *budget, double asked_hz);
/* Records that `samples` samples took a total of cost_ns from targets. To be called with samples = 0 if ticks or stops
 * took that time without a sample. Such a cost is added to the cost of the next sample under the same condition. */
void budget_note(struct budget *budget, unsigned condition, unsigned samples, uint64_t cost_ns);
/* Sets rate_hz to the rate that the cost of a sample under this condition allows. now: CLOCK_MONOTONIC, ns. To be
 * called often. */
void budget_adjust(struct budget *budget, unsigned condition, uint64_t now);
/* Returns true if the client should be told the rate. This is so if the rate has changed by 5 % or more since this
 * function last returned true, or if it is asked_hz again. */
bool budget_has_changed(struct budget *budget);
/* Returns the cost of a sample under condition budget->limiting, ns. If no sample was measured under that condition,
 * returns the cost under budget->condition. Returns 0 if no sample was measured under either condition. */
uint64_t budget_cost(const struct budget *budget);
/* Returns the mean time between two ticks, ns. */
uint64_t budget_period(const struct budget *budget);

#endif
