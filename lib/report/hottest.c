/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums the time of each function in each thread or process: see flat-sums.h. */
#include "config.h"

#include <errno.h>

#include "report/flat-sums.h"
#include "report/row.h"

/* Compares a sum that has just grown with the largest sum of its thread or process. Sums only grow, so no other sum
 * can have become the largest. If both sums are equal, the former largest sum stays, so that the display does not
 * flicker. */
static int hottest_keep_largest(struct sums *best, const struct sum *sum)
{
    struct sum *largest = sums_need(best, (const uint64_t[2]){sum->key[0], 0});

    if (largest == NULL)
        return -ENOMEM;
    if (largest->location == PROFILE_NONE || sum->self.ns > largest->self.ns) {
        largest->location = sum->location;
        largest->self.ns = sum->self.ns;
    }
    return 0;
}

static int hottest_add(struct hottest *hottest, const struct profile *profile,
                       const struct report_options *options, uint32_t index)
{
    const struct profile_sample *sample = &profile->samples[index];
    uint32_t location = profile->nodes[sample->node].location;
    uint32_t function = row_function(&profile->locations[location]);
    uint32_t name = profile->functions[function].name;
    struct amount more;
    uint64_t key[2];

    if (name == 0 || !added_more(&hottest->added, profile, options, index, &more))
        return 0;
    row_task_key(profile, sample, options->by, key);
    key[1] = ((uint64_t)profile->locations[location].object + 1) << 32 | name;
    struct sum *sum = sums_need(&hottest->sums, key);
    if (sum == NULL)
        return -ENOMEM;
    if (sum->location == PROFILE_NONE)
        sum->location = location;
    sum->self.ns += more.ns;
    amount_add(&hottest->added.amounts[index], &more);
    return hottest_keep_largest(&hottest->best, sum);
}

int hottest_update(struct hottest *hottest, const struct profile *profile, const struct report_options *options)
{
    int error = added_grow(&hottest->added, profile);

    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        error = hottest_add(hottest, profile, options, i);
    if (error != 0)
        hottest_clear(hottest);
    return error;
}

void hottest_clear(struct hottest *hottest)
{
    sums_clear(&hottest->best);
    sums_clear(&hottest->sums);
    added_clear(&hottest->added);
}
