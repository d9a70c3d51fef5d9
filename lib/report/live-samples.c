/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All samples are looked at, but those that have nothing more for as long as it takes to see it. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/flat.h"
#include "report/live-samples.h"

int live_grow(void *array, uint32_t *count, uint32_t wanted, size_t element)
{
    int error = 0;

    while (error == 0 && *count < wanted) {
        error = array_grow(array, *count, element);
        if (error == 0)
            memset(*(char **)array + (size_t)(*count)++ * element, 0, element);
    }
    return error;
}

void live_add(struct call_total *to, const struct call_total *more)
{
    to->samples += more->samples;
    to->ns += more->ns;
}

static bool same_filter(const struct report_filter *a, const struct report_filter *b)
{
    return a->pid == b->pid && a->tid == b->tid && a->process == b->process &&
           a->thread == b->thread && a->object == b->object && a->syscall == b->syscall &&
           a->state == b->state;
}

bool live_samples_go_on(const struct live_samples *samples, const struct profile *profile,
                        const struct report_filter *filter)
{
    return samples->wall == profile->totals.wall && samples->clears == profile->clears &&
           same_filter(&samples->filter, filter);
}

void live_samples_begin(struct live_samples *samples, const struct profile *profile,
                        const struct report_filter *filter)
{
    live_samples_clear(samples);
    samples->filter = *filter;
    samples->wall = profile->totals.wall;
    samples->clears = profile->clears;
}

int live_samples_grow(struct live_samples *samples, const struct profile *profile)
{
    return live_grow(&samples->taken, &samples->count, profile->sample_count,
                     sizeof *samples->taken);
}

bool live_samples_more(const struct live_samples *samples, const struct profile *profile,
                       const struct report_options *options, uint32_t sample,
                       struct call_total *more)
{
    const struct profile_sample *now = &profile->samples[sample];
    const struct call_total *taken = &samples->taken[sample];

    *more = (struct call_total){now->count - taken->samples, report_ns(profile, now) - taken->ns};
    return (more->samples != 0 || more->ns != 0) && flat_counts(profile, options, now);
}

void live_samples_take(struct live_samples *samples, uint32_t sample,
                       const struct call_total *more)
{
    live_add(&samples->taken[sample], more);
}

void live_samples_clear(struct live_samples *samples)
{
    free(samples->taken);
    *samples = (struct live_samples){0};
}
