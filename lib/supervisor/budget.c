/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <math.h>

#include "supervisor/budget.h"

#define SECOND 1000000000.0
#define RATE_MIN_HZ 10.0
/* The cost of a sample is a running mean over N samples. N is the number of samples in COST_SECONDS at rate_hz, limited
 * to COST_SAMPLES_MIN..COST_SAMPLES_MAX. Until N samples are measured, COST_FIRST_SAMPLES assumed samples of
 * COST_FIRST_NS count, too. COST_FIRST_NS is between the costs with and without an idle CPU. */
#define COST_FIRST_NS 40000.0
#define COST_FIRST_SAMPLES 4u
#define COST_SECONDS 0.1
#define COST_SAMPLES_MIN 8.0
#define COST_SAMPLES_MAX 32.0
/* a sample that cost more than this, ns, was delayed by something else, so its cost counts as this */
#define COST_SAMPLE_MAX_NS 1000000.0
#define CHANGE_MIN 0.05 /* the rate is reported to the client if it has changed by this share or more */

void budget_init(struct budget *budget, double asked_hz, double share)
{
    *budget = (struct budget){.share = share};
    for (unsigned i = 0; i < BUDGET_CONDITIONS; i++)
        budget->costs[i].ns = COST_FIRST_NS;
    budget_ask(budget, asked_hz);
}

static double budget_allowed(const struct budget *budget)
{
    double lowest = budget->asked_hz < RATE_MIN_HZ ? budget->asked_hz : RATE_MIN_HZ;
    double allowed = budget->share * SECOND / budget->costs[budget->condition].ns;

    if (allowed > budget->asked_hz)
        return budget->asked_hz;
    return allowed < lowest ? lowest : allowed;
}

void budget_ask(struct budget *budget, double asked_hz)
{
    budget->asked_hz = asked_hz;
    budget->rate_hz = budget->reported_hz = budget_allowed(budget);
}

/* Returns N, the number of samples over which the mean cost is taken. At a low rate N is smaller, so that N samples do
 * not take too long: when samples become cheaper, the mean must follow soon. */
static double budget_memory(const struct budget *budget, const struct budget_cost *cost)
{
    double samples = budget->rate_hz * COST_SECONDS;

    if (samples > COST_SAMPLES_MAX)
        samples = COST_SAMPLES_MAX;
    if (samples < COST_SAMPLES_MIN)
        samples = COST_SAMPLES_MIN;
    return samples < cost->samples + COST_FIRST_SAMPLES ? samples : cost->samples + COST_FIRST_SAMPLES;
}

void budget_note(struct budget *budget, unsigned condition, unsigned samples, uint64_t cost_ns)
{
    struct budget_cost *cost = &budget->costs[condition];

    cost->no_sample_ns += cost_ns;
    if (samples == 0)
        return;
    double each = (double)cost->no_sample_ns / samples;
    double share = samples / budget_memory(budget, cost);
    cost->no_sample_ns = 0;
    cost->samples += samples;
    if (each > COST_SAMPLE_MAX_NS)
        each = COST_SAMPLE_MAX_NS;
    cost->ns += (each - cost->ns) * (share < 1 ? share : 1);
}

uint64_t budget_cost(const struct budget *budget)
{
    const struct budget_cost *cost = &budget->costs[budget->limiting];

    if (cost->samples == 0)
        cost = &budget->costs[budget->condition];
    return cost->samples > 0 ? (uint64_t)cost->ns : 0;
}

void budget_adjust(struct budget *budget, unsigned condition, uint64_t now)
{
    if (budget->rate_hz < budget->asked_hz && budget->adjusted_at != 0)
        budget->throttled_ns += now - budget->adjusted_at;
    budget->adjusted_at = now;
    budget->condition = condition;
    budget->rate_hz = budget_allowed(budget);
    if (budget->rate_hz < budget->asked_hz)
        budget->limiting = condition;
}

bool budget_has_changed(struct budget *budget)
{
    double change = fabs(budget->rate_hz - budget->reported_hz);

    if (change == 0 || (change < CHANGE_MIN * budget->reported_hz && budget->rate_hz < budget->asked_hz))
        return false;
    budget->reported_hz = budget->rate_hz;
    return true;
}

uint64_t budget_period(const struct budget *budget)
{
    return (uint64_t)(SECOND / budget->rate_hz);
}
