/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "supervisor/weight.h"

/* A sample pays off one part in n of its thread's debt. n: the samples in DEBT_NS of CPU time, at least
 * DEBT_SHARES_MIN, at most DEBT_SHARES_MAX. */
#define DEBT_NS 32000000
#define DEBT_SHARES_MIN 8
#define DEBT_SHARES_MAX 32
/* A thread is young until it has this many samples. It may not have used yet what they stand for. */
#define YOUNG_SAMPLES_MAX 16

/* In how many samples a debt is paid off. */
static int64_t weight_debt_shares(int64_t stretch)
{
    int64_t shares = stretch > 0 ? DEBT_NS / stretch : DEBT_SHARES_MAX;

    if (shares < DEBT_SHARES_MIN)
        return DEBT_SHARES_MIN;
    return shares < DEBT_SHARES_MAX ? shares : DEBT_SHARES_MAX;
}

/* Where threads are young, or more than there are CPUs, chance rules the sum of each: it is drawn to what its
 * process has used, and may not go far beyond. */
static int64_t weight_within_process(const struct weight *weight, int64_t share)
{
    /* share 0: its samples stand for more than it has used already */
    bool unsettled = weight->samples < YOUNG_SAMPLES_MAX || share == 0;

    if (unsettled && weight->process_left > share)
        share += (weight->process_left - share) / (int64_t)weight->process_shares;
    if (share > weight->process_left + weight->process_lag)
        share = weight->process_left + weight->process_lag;
    return share > 0 ? share : 0;
}

uint64_t weight_of_sample(const struct weight *weight)
{
    int64_t share = weight->stretch;

    if (weight->samples < YOUNG_SAMPLES_MAX)
        share += weight->late;
    else
        share += (weight->debt - share) / weight_debt_shares(share);
    if (share > weight->debt + weight->ahead)
        share = weight->debt + weight->ahead;
    if (share < 0)
        share = 0;
    if (weight->process_known)
        share = weight_within_process(weight, share);
    return (uint64_t)share;
}

uint64_t weight_for_others(const struct weight *weight)
{
    int64_t left = weight->others_left, room = weight->others_room;
    int64_t taken = left < room ? left : room;

    return weight->process_known && taken > 0 ? (uint64_t)taken : 0;
}
