/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/clock.h"
#include "supervisor/schedule.h"

/* A tick represents its own stratum. If the tracer came late, the tick also represents the time that was missed before
 * that stratum. In all, it represents at most COVERED_MAX periods. */
#define COVERED_MAX 2

void schedule_init(struct schedule *schedule, uint64_t seed)
{
    *schedule = (struct schedule){.random = seed != 0 ? seed : time_now() * 2654435761u};
    schedule->random |= 1; /* if this were 0, the generator would return only zeros */
}

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators". */
static uint32_t schedule_next_random(struct schedule *schedule)
{
    schedule->random ^= schedule->random >> 12;
    schedule->random ^= schedule->random << 25;
    schedule->random ^= schedule->random >> 27;
    return (uint32_t)((schedule->random * 0x2545f4914f6cdd1dull) >> 32);
}

uint32_t schedule_random(struct schedule *schedule, uint32_t bound)
{
    return (uint32_t)(((uint64_t)schedule_next_random(schedule) * bound) >> 32);
}

static struct schedule_draw schedule_draw(struct schedule *schedule, uint64_t now, uint64_t period_ns)
{
    uint64_t start = schedule->stratum_end;

    if (start + period_ns <= now)
        start = now;
    uint64_t end = start + period_ns;
    uint64_t from = start > now ? start : now;
    uint64_t whole_ns = end - schedule->stratum_end, most_ns = COVERED_MAX * period_ns;
    schedule->stratum_end = end;
    return (struct schedule_draw){
        .at = from + (uint64_t)((double)(end - from) * (schedule_next_random(schedule) / 4294967296.0)),
        .covered_ns = whole_ns < most_ns ? whole_ns : most_ns,
        .missed_ns = whole_ns < most_ns ? 0 : whole_ns - most_ns,
    };
}

/* Returns the end of the stratum of the tick that was returned last. This is before the stratum of the tick that
 * schedule_draw_ahead has drawn, if there is one. */
static uint64_t schedule_end_before_ahead(const struct schedule *schedule)
{
    return schedule->stratum_end - schedule->ahead.covered_ns - schedule->ahead.missed_ns;
}

/* If schedule_draw_ahead has drawn a tick whose time has passed, drops that tick, as if it had not been drawn. Another
 * tick can then be drawn in the rest of its stratum. */
static void schedule_give_up_late(struct schedule *schedule, uint64_t now)
{
    if (schedule->ahead.at == 0 || schedule->ahead.at > now)
        return;
    schedule->stratum_end = schedule_end_before_ahead(schedule);
    schedule->ahead = (struct schedule_draw){0};
}

static uint64_t schedule_take(struct schedule *schedule, const struct schedule_draw *next)
{
    schedule->ahead = (struct schedule_draw){0};
    schedule->covered_ns = next->covered_ns;
    schedule->missed_ns = next->missed_ns;
    schedule->taken_at = next->at;
    return next->at;
}

uint64_t schedule_next(struct schedule *schedule, uint64_t now, uint64_t period_ns)
{
    schedule_give_up_late(schedule, now);
    const struct schedule_draw next =
        schedule->ahead.at != 0 ? schedule->ahead : schedule_draw(schedule, now, period_ns);
    return schedule_take(schedule, &next);
}

uint64_t schedule_resume(struct schedule *schedule, uint64_t now, uint64_t period_ns)
{
    /* the rate was lower when this tick was drawn, so it is too far away now */
    if (schedule->taken_at > now + 2 * period_ns)
        schedule_restart(schedule, now);
    else if (schedule->taken_at > now)
        return schedule->taken_at;
    struct schedule_draw next = schedule->ahead;
    if (schedule->stratum_end + period_ns <= now)
        schedule->stratum_end = now - (now - schedule->stratum_end) % period_ns;
    while (next.at <= now)
        next = schedule_draw(schedule, schedule->stratum_end, period_ns);
    return schedule_take(schedule, &next);
}

void schedule_draw_ahead(struct schedule *schedule, uint64_t now, uint64_t period_ns)
{
    schedule->ahead = schedule_draw(schedule, now, period_ns);
}

void schedule_restart(struct schedule *schedule, uint64_t now)
{
    schedule->stratum_end = now;
    schedule->ahead = (struct schedule_draw){0};
}

uint64_t schedule_cut(struct schedule *schedule, uint64_t now)
{
    uint64_t end = schedule_end_before_ahead(schedule);

    schedule_restart(schedule, now);
    return end > now ? end - now : 0;
}

uint64_t schedule_end_gap(struct schedule *schedule, uint64_t now)
{
    uint64_t end = schedule_end_before_ahead(schedule);

    if (now <= end)
        return 0;
    schedule_restart(schedule, now);
    return now - end;
}

void schedule_leave_out(struct schedule *schedule, uint64_t ns)
{
    schedule->stratum_end += ns;
}
