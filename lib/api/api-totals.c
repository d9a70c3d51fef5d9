/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The totals of a profile as pprofil.h shows them, and what they say for people. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/api.h"

void pprofil_profile_totals(const pprofil_profile *profile, struct pprofil_totals *totals,
                            size_t size)
{
    const struct profile_totals *from = &profile->profile->totals;
    struct pprofil_totals all = {
        .samples = from->samples,
        .cpu_ns = from->cpu_ns,
        .wall_ns = from->wall_ns,
        .elapsed_ns = from->elapsed_ns,
        .target_cpu_ns = from->target_cpu_ns,
        .stopped_ns = from->stopped_ns,
        .supervisor_cpu_ns = from->supervisor_cpu_ns,
        .lost = from->lost,
        .throttled_ns = from->throttled_ns,
        .repaired = from->repaired,
        .threads_seen = from->threads_seen,
        .threads_alive = from->threads_alive,
        .processes_seen = from->processes_seen,
        .processes_alive = from->processes_alive,
        .asked_hz = from->asked_hz,
        .wall = from->wall,
        .continued = from->continued,
        .cut_short = from->cut_short,
        .untraced = from->untraced,
        .full_ns = from->full_ns,
        .sample_cost_ns = from->sample_cost_ns,
        .overhead = (double)from->overhead_ppm / 1e6,
        .running = from->running,
    };
    api_copy(totals, size, &all, sizeof all);
}

/* Not every second spent a little below the rate is worth words. */
#define THROTTLED_MIN 0.01
/* An overhead that is not to be recommended, per cent. */
#define ADVISED_MAX 20.0

/* The overhead that the rate asked for takes; where that is much, what some more gives. */
static void totals_advise(const struct pprofil_totals *totals, char *text, size_t size)
{
    double cost = (double)totals->sample_cost_ns / 1e9, needed = ceil(100 * totals->asked_hz * cost);
    double more = ceil(250 * totals->overhead);
    double hz = more / 100 / cost;

    if (needed <= ADVISED_MAX)
        snprintf(text, size, "; --overhead %.0f would give all", needed);
    else if (more <= ADVISED_MAX)
        snprintf(text, size, "; --overhead %.0f would give about %.0f", more,
                 hz < 100 ? round(hz) : round(hz / 10) * 10);
}

int pprofil_totals_limit(const struct pprofil_totals *totals, bool advice, char *text, size_t size)
{
    bool throttled = (double)totals->throttled_ns > THROTTLED_MIN * (double)totals->elapsed_ns;
    bool dear = totals->asked_hz * (double)totals->sample_cost_ns / 1e9 > totals->overhead;
    bool full = totals->full_ns > totals->elapsed_ns / 2;
    char why[64], cure[64] = "";

    if (!throttled || !dear || totals->overhead <= 0)
        return 0;
    snprintf(why, sizeof why, "a sample cost %.0f us%s", (double)totals->sample_cost_ns / 1e3,
             full ? ", for no CPU was idle" : "");
    if (advice)
        totals_advise(totals, cure, sizeof cure);
    return snprintf(text, size, "%s%s", why, cure);
}
