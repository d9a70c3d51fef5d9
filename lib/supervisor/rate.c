/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The clock of the sampler: stratified random sampling of time, and a slow loop around it that
 * keeps the budget.
 *
 * A fixed period with some jitter is not enough: successive ticks then meet a target of nearly
 * the same period in nearly the same phase, and shares come out wrong by far more than the
 * number of samples suggests.
 */
#include "config.h"

#include <time.h>

#include "supervisor/rate.h"

#define SECOND 1000000000.0
#define WINDOW_NS 100000000u   /* of the budget */
#define FIRST_WINDOW_NS 25000000u
#define WINDOW_CPU_NS 20000000u /* less CPU time than this says nothing */
#define LOWEST_HZ 10.0

void rate_init(struct rate *rate, double asked_hz, double budget, uint64_t seed)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    *rate = (struct rate){.asked_hz = asked_hz, .rate_hz = asked_hz, .budget = budget};
    rate->random = seed != 0 ? seed : (uint64_t)now.tv_nsec * 2654435761u + (uint64_t)now.tv_sec;
    rate->random |= 1; /* zero would stay zero */
}

void rate_change(struct rate *rate, double asked_hz)
{
    rate->asked_hz = rate->rate_hz = asked_hz;
}

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators". */
static uint32_t next_random(struct rate *rate)
{
    rate->random ^= rate->random >> 12;
    rate->random ^= rate->random << 25;
    rate->random ^= rate->random >> 27;
    return (uint32_t)((rate->random * 0x2545f4914f6cdd1dull) >> 32);
}

uint32_t rate_random(struct rate *rate, uint32_t bound)
{
    return (uint32_t)(((uint64_t)next_random(rate) * bound) >> 32);
}

uint64_t rate_period(const struct rate *rate)
{
    return (uint64_t)(SECOND / rate->rate_hz);
}

uint64_t rate_next(struct rate *rate, uint64_t now, uint64_t slowest_ns)
{
    uint64_t period = rate_period(rate);
    uint64_t start = rate->stratum_end;

    if (slowest_ns > period)
        period = slowest_ns;
    if (start + period <= now)
        start = now; /* late: what was missed is added to what the next tick covers */
    uint64_t end = start + period;
    uint64_t from = start > now ? start : now;
    rate->covered_ns = end - rate->stratum_end;
    rate->stratum_end = end;
    return from + (uint64_t)((double)(end - from) * (next_random(rate) / 4294967296.0));
}

void rate_leave_out(struct rate *rate, uint64_t ns)
{
    rate->stratum_end += ns;
}

void rate_restart(struct rate *rate, uint64_t now)
{
    rate->stratum_end = now;
}

/* The share of the CPU time that samples may take after such a window. */
static double budget_left(const struct rate *rate, double events, double cpu)
{
    double left = rate->budget - events / cpu;

    return left < rate->budget / 2 ? rate->budget / 2 : left;
}

bool rate_adjust(struct rate *rate, uint64_t now, const struct rate_totals *totals)
{
    const struct rate_totals since = rate->window;
    uint64_t length = now - rate->window_start;

    if (rate->rate_hz < rate->asked_hz)
        rate->throttled_ns += now - rate->adjusted_at;
    rate->adjusted_at = now;
    if (length < (since.cpu_ns == 0 ? FIRST_WINDOW_NS : WINDOW_NS))
        return false;
    uint64_t cpu_ns = totals->cpu_ns - since.cpu_ns;
    bool first = rate->window_start == 0;
    if (!first && cpu_ns < WINDOW_CPU_NS && length < 10 * (uint64_t)WINDOW_NS)
        return false;
    rate->window_start = now;
    rate->window = *totals;
    if (first || cpu_ns < WINDOW_CPU_NS)
        return false;

    double before = rate->rate_hz;
    double lowest = rate->asked_hz < LOWEST_HZ ? rate->asked_hz : LOWEST_HZ;
    double cost = (double)(totals->sampling_ns - since.sampling_ns) / (double)cpu_ns;
    double budget = budget_left(rate, (double)(totals->events_ns - since.events_ns), (double)cpu_ns);
    double wanted = cost > 0 ? before * budget / cost : rate->asked_hz;
    if (wanted > before * 1.25)
        wanted = before * 1.25; /* up slowly, down at once */
    if (wanted > rate->asked_hz)
        wanted = rate->asked_hz;
    rate->rate_hz = wanted < lowest ? lowest : wanted;
    return rate->rate_hz != before;
}
