/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "supervisor/budget.h"

#define SECOND 1000000000.0
#define RATE_MIN_HZ 10.0
#define COST_FIRST_NS 40000.0 /* before anything is measured: between an idle CPU's and a full one's */
#define COST_SAMPLES 32.0     /* a new sample counts for one of so many, ... */
#define COST_SECONDS 0.1      /* ... or of those of such a time, if these are fewer, ... */
#define COST_SAMPLES_MIN 8.0  /* ... but not for more than one of so many */
#define COST_SAMPLE_MAX_NS 1000000.0 /* one that cost more was held up by something else */
#define CHANGE_MIN 0.05       /* of the rate: less is not worth an event */

void budget_init(struct budget *budget, double asked_hz, double share)
{
    *budget = (struct budget){.share = share, .cost_ns = COST_FIRST_NS};
    budget_ask(budget, asked_hz);
}

static double budget_allowed(const struct budget *budget)
{
    double lowest = budget->asked_hz < RATE_MIN_HZ ? budget->asked_hz : RATE_MIN_HZ;
    double allowed = budget->share * SECOND / budget->cost_ns;

    if (allowed > budget->asked_hz)
        return budget->asked_hz;
    return allowed < lowest ? lowest : allowed;
}

void budget_ask(struct budget *budget, double asked_hz)
{
    budget->asked_hz = asked_hz;
    budget->rate_hz = budget_allowed(budget);
}

/* Returns how many samples the mean cost is of. Where the rate is low that many take long, and it has to follow soon
 * when samples become cheaper. */
static double budget_memory(const struct budget *budget)
{
    double samples = budget->rate_hz * COST_SECONDS;

    if (samples > COST_SAMPLES)
        return COST_SAMPLES;
    return samples < COST_SAMPLES_MIN ? COST_SAMPLES_MIN : samples;
}

void budget_note(struct budget *budget, unsigned samples, uint64_t cost_ns)
{
    double cost = (double)cost_ns / samples;
    double share = samples / budget_memory(budget);

    budget->measured = true;
    if (cost > COST_SAMPLE_MAX_NS)
        cost = COST_SAMPLE_MAX_NS;
    budget->cost_ns += (cost - budget->cost_ns) * (share < 1 ? share : 1);
}

bool budget_adjust(struct budget *budget, uint64_t now)
{
    double before = budget->rate_hz, allowed = budget_allowed(budget);

    if (before < budget->asked_hz && budget->adjusted_at != 0)
        budget->throttled_ns += now - budget->adjusted_at;
    budget->adjusted_at = now;
    double change = allowed > before ? allowed - before : before - allowed;
    if (change < CHANGE_MIN * before && allowed < budget->asked_hz)
        return false;
    budget->rate_hz = allowed;
    return allowed != before;
}

uint64_t budget_period(const struct budget *budget)
{
    return (uint64_t)(SECOND / budget->rate_hz);
}
