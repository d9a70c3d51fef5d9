/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Time is summed by task and function; then each task keeps the function with the largest sum. */
#include "config.h"

#include <errno.h>

#include "report/flat.h"
#include "report/hottest.h"

static int add(const struct profile *profile, const struct report_options *options,
               struct sums *sums, const struct profile_sample *sample)
{
    uint32_t location = profile->nodes[sample->node].location;
    const struct profile_location *place = &profile->locations[location];
    uint64_t key[2];

    uint32_t name = profile->functions[flat_function(place)].name;
    if (name == 0 || !flat_counts(profile, options, sample))
        return 0;
    flat_key(profile, sample, options, key);
    key[1] = ((uint64_t)place->object + 1) << 32 | name;
    struct sum *sum = sums_need(sums, key);
    if (sum == NULL)
        return -ENOMEM;
    if (sum->location == PROFILE_NONE)
        sum->location = location;
    sum->ns += report_ns(profile, sample);
    return 0;
}

static int keep_largest(const struct sums *sums, struct sums *hottest)
{
    for (uint32_t i = 0; i < sums->count; i++) {
        const struct sum *sum = &sums->all[i];
        struct sum *best = sums_need(hottest, (const uint64_t[2]){sum->key[0], 0});
        if (best == NULL)
            return -ENOMEM;
        /* of equals the one that was met first, so that it does not flicker */
        if (best->location == PROFILE_NONE || sum->ns > best->ns) {
            best->location = sum->location;
            best->ns = sum->ns;
        }
    }
    return 0;
}

int hottest_find(const struct profile *profile, const struct report_options *options,
                 struct sums *hottest)
{
    struct sums sums = {0};
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        error = add(profile, options, &sums, &profile->samples[i]);
    if (error == 0)
        error = keep_largest(&sums, hottest);
    sums_clear(&sums);
    return error;
}
