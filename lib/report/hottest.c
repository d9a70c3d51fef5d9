/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Time is summed by task and function. Sums only grow, so that each task's largest is the one that
 * it was, or the one that has just grown. What has no name yet is not taken until it has one. */
#include "config.h"

#include <errno.h>

#include "report/flat.h"
#include "report/hottest.h"

/* A sum that is only as large as the largest does not replace it, or the display would flicker. */
static int keep_largest(struct sums *best, const struct sum *sum)
{
    struct sum *largest = sums_need(best, (const uint64_t[2]){sum->key[0], 0});

    if (largest == NULL)
        return -ENOMEM;
    if (largest->location == PROFILE_NONE || sum->ns > largest->ns) {
        largest->location = sum->location;
        largest->ns = sum->ns;
    }
    return 0;
}

static int hottest_take(struct hottest *hottest, const struct profile *profile,
                        const struct report_options *options, uint32_t index)
{
    const struct profile_sample *sample = &profile->samples[index];
    uint32_t location = profile->nodes[sample->node].location;
    const struct profile_location *place = &profile->locations[location];
    struct call_total more;
    uint64_t key[2];

    uint32_t name = profile->functions[flat_function(place)].name;
    if (name == 0 || !live_samples_more(&hottest->samples, profile, options, index, &more))
        return 0;
    flat_key(profile, sample, options, key);
    key[1] = ((uint64_t)place->object + 1) << 32 | name;
    struct sum *sum = sums_need(&hottest->sums, key);
    if (sum == NULL)
        return -ENOMEM;
    if (sum->location == PROFILE_NONE)
        sum->location = location;
    sum->ns += more.ns;
    live_samples_take(&hottest->samples, index, &more);
    return keep_largest(&hottest->best, sum);
}

int hottest_update(struct hottest *hottest, const struct profile *profile,
                   const struct report_options *options)
{
    int error = live_samples_grow(&hottest->samples, profile);

    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        error = hottest_take(hottest, profile, options, i);
    if (error != 0)
        hottest_clear(hottest);
    return error;
}

void hottest_clear(struct hottest *hottest)
{
    sums_clear(&hottest->best);
    sums_clear(&hottest->sums);
    live_samples_clear(&hottest->samples);
}
