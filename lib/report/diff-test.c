/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tests of a diff.
 *
 * Samples weigh what they stand for: a late one more than another, and one of 100 Hz ten times one
 * of 1000 Hz. Weights are measured in means of their own profile, so that two rates can be
 * compared; q is the mean weight of a function's samples, each as often as it weighs. Where all
 * weigh the same it is 1, and all below are the formulas of the textbooks; a function that was
 * met once, by a sample that weighs fifty, has seen one event and not fifty.
 *
 * A profile keeps sums of weights by place and not their squares; but sums of few samples vary as
 * single ones do, only less, and tell how much: n (m - M)^2 is the variance of single weights on
 * average, of a place of n samples with mean m, in a function of mean M. Where means differ for a
 * reason, as two threads' may, that is too much, so it is bounded.
 *
 * Shares are compared by the two-proportion test with the pooled share p: the variance in each
 * profile of n samples is p (1 - p) / n times q (1 - p) + q' p, q' being that of all others.
 * Times are compared as if samples came by chance, at a pooled rate (Poisson): that is more than
 * the sampling varies, but what a run takes varies too.
 */
#include "config.h"

#include <math.h>

#include "report/diff-internal.h"
#include "report/significance.h"

#define PRIOR 4.0 /* places that what is known of all functions counts for */
#define SQUARES_RATIO_MAX 3.0 /* the sum of squares is at most so many times what it is at least */

/* As if all weighed the same. */
static double least_squares(const struct diff_sums *sums)
{
    return sums->samples == 0 ? 0
                              : (double)sums->ns * (double)sums->ns / (double)sums->samples;
}

void diff_spread_add(struct diff_spread *spread, const struct diff_sums *sums)
{
    if (sums->cells < 2 || sums->ns == 0 || sums->samples == 0)
        return;
    double mean = (double)sums->ns / (double)sums->samples;
    spread->variance += fmax(0, sums->squares - least_squares(sums)) / (mean * mean);
    spread->freedom += (double)(sums->cells - 1);
}

void diff_settle(struct diff_sums *sums, const struct diff_spread *spread)
{
    double prior = spread->freedom > 0 ? spread->variance / spread->freedom : 0;
    struct diff_spread own = {.variance = PRIOR * prior, .freedom = PRIOR};

    diff_spread_add(&own, sums);
    double likely = least_squares(sums) * (1 + own.variance / own.freedom);
    sums->squares = fmax(sums->squares, fmin(likely, SQUARES_RATIO_MAX * sums->squares));
}

/* The mean weight of a profile's samples, ns. */
static double mean_weight(const struct diff_sums *all)
{
    return all->samples == 0 ? 0 : (double)all->ns / (double)all->samples;
}

/* q of a function, or of all but one, over both profiles. */
static double relative_weight(const struct diff_test *test, const struct diff_pair *pair,
                              bool others)
{
    double squares = 0, weights = 0;

    for (int side = 0; side < DIFF_SIDES; side++) {
        const struct diff_sums *all = &test->all.of[side], *own = &pair->of[side];
        double mean = mean_weight(all);
        if (mean <= 0)
            continue;
        struct diff_sums rest = {.samples = all->samples - own->samples, .ns = all->ns - own->ns};
        rest.squares = fmax(all->squares - own->squares, least_squares(&rest));
        squares += (others ? &rest : own)->squares / (mean * mean);
        weights += (double)(others ? &rest : own)->ns / mean;
    }
    return weights > 0 && squares > 0 ? squares / weights : 1;
}

static void set_estimates(struct diff_change *change, const struct estimate of[DIFF_SIDES])
{
    struct estimate difference = significance_difference(&of[DIFF_OLD], &of[DIFF_NEW]);

    change->change = difference.value;
    change->low = difference.low;
    change->high = difference.high;
}

static void compare_shares(const struct diff_test *test, const struct diff_pair *pair,
                           struct diff_change *change)
{
    double own = relative_weight(test, pair, false), others = relative_weight(test, pair, true);
    double n[DIFF_SIDES], samples = 0, pooled = 0, inverse = 0;
    struct estimate estimates[DIFF_SIDES];

    for (int side = 0; side < DIFF_SIDES; side++) {
        n[side] = (double)test->all.of[side].samples;
        change->value[side] = change->share[side];
        samples += n[side];
        pooled += n[side] * change->share[side];
        inverse += 1 / n[side];
    }
    pooled /= samples;
    double effect = own * (1 - pooled) + others * pooled;
    for (int side = 0; side < DIFF_SIDES; side++)
        estimates[side] = significance_share(change->share[side], n[side] / effect);
    set_estimates(change, estimates);
    change->p = significance_p(change->change, pooled * (1 - pooled) * effect * inverse,
                               own * inverse / 2);
}

static void compare_times(const struct diff_test *test, const struct diff_pair *pair,
                          struct diff_change *change)
{
    double own = relative_weight(test, pair, false), unit[DIFF_SIDES], counts = 0, inverse = 0;
    struct estimate estimates[DIFF_SIDES];

    for (int side = 0; side < DIFF_SIDES; side++) {
        unit[side] = own * mean_weight(&test->all.of[side]) / test->seconds[side];
        change->value[side] = (double)pair->of[side].ns / test->seconds[side];
        counts += change->value[side] / unit[side];
        inverse += 1 / unit[side];
        estimates[side] = significance_sum(change->value[side], unit[side]);
    }
    set_estimates(change, estimates);
    double pooled = counts / inverse, units = unit[DIFF_OLD] + unit[DIFF_NEW];
    change->p = significance_p(change->change, pooled * units, units / 2);
}

void diff_compare(const struct diff_test *test, const struct diff_pair *pair,
                  struct diff_change *change)
{
    bool empty = false;

    for (int side = 0; side < DIFF_SIDES; side++) {
        const struct diff_sums *own = &pair->of[side], *all = &test->all.of[side];
        change->samples[side] = own->samples;
        change->ns[side] = own->ns;
        change->share[side] = all->ns == 0 ? 0 : (double)own->ns / (double)all->ns;
        empty = empty || all->samples == 0 || all->ns == 0;
    }
    change->p = 1;
    change->low = -INFINITY;
    change->high = INFINITY;
    if (empty || (pair->of[DIFF_OLD].ns == 0 && pair->of[DIFF_NEW].ns == 0))
        return;
    if (test->by_share)
        compare_shares(test, pair, change);
    else
        compare_times(test, pair, change);
}
