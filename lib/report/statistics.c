/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The formulas of statistics.h.
 *
 * The weight of a sample is the time that the sample represents. A sample that comes late weighs more than other
 * samples, and a sample at 100 Hz weighs ten times as much as a sample at 1000 Hz. Each weight is divided by the mean
 * weight of all samples of its profile, so that profiles with different sampling rates can be compared.
 *
 * In the formulas below, q is (sum of the squares of the weights) / (sum of the weights) of a function's samples. For
 * example, a function with a single sample of weight 50 has a q of 50: it has the time of fifty samples, but was seen
 * only once. If all samples weigh the same, q is 1, and the formulas are those of the textbooks. (The q of
 * statistics_adjust is another quantity.)
 *
 * A cell is an entry of profile->samples, which stands for several samples. The profile has the sum of the weights of
 * these samples, but not the sum of their squares. So the sum of squares is estimated from the differences between the
 * cells of a function. If m is the mean weight in a cell of n samples, and M is the mean weight in the function,
 * n (m - M)^2 is on average the variance of the weights. This estimate is too large if cells differ for another reason,
 * for example because they belong to different threads. So the estimate has an upper bound.
 *
 * Shares are compared with the two-proportion test. In a profile of n samples, the variance of a share is the product
 * of p (1 - p) / n and q (1 - p) + r p. Here p is the share in both profiles together, and r is the q of all other
 * functions. Times are compared as if samples came at random times (a Poisson process), at the same rate in both
 * profiles. This assumes that the number of samples varies more than it does, but ignores that the time for which the
 * program runs varies too.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "report/statistics.h"

/* in the estimate for a function, the spread of all functions counts as much as this many cells of the function */
#define PRIOR 4.0
/* the estimate of a sum of squares is at most this many times the sum that was computed from the cells */
#define SQUARES_RATIO_MAX 3.0
#define Z80 0.841621233572914 /* 80th percentile of the standard normal distribution */

double statistics_half_width(double share, double samples)
{
    double z2 = STATISTICS_Z95 * STATISTICS_Z95;

    if (samples <= 0)
        return 0;
    return STATISTICS_Z95 / (1 + z2 / samples) * sqrt(share * (1 - share) / samples + z2 / (4 * samples * samples));
}

struct estimate statistics_share(double share, double samples)
{
    struct estimate result = {.value = share, .low = 0, .high = 1};
    double z2 = STATISTICS_Z95 * STATISTICS_Z95;

    if (samples <= 0)
        return result;
    double middle = (share + z2 / (2 * samples)) / (1 + z2 / samples);
    double half = statistics_half_width(share, samples);
    /* without fmin and fmax, rounding errors could put the share outside of its own interval */
    result.low = fmin(share, middle - half);
    result.high = fmax(share, middle + half);
    return result;
}

struct estimate statistics_sum(double sum, double unit)
{
    struct estimate result = {.value = sum, .low = sum, .high = sum};
    double z2 = STATISTICS_Z95 * STATISTICS_Z95;

    if (unit <= 0)
        return result;
    double count = sum / unit, half = STATISTICS_Z95 * sqrt(count + z2 / 4);
    result.low = fmin(sum, unit * (count + z2 / 2 - half));
    result.high = fmax(sum, unit * (count + z2 / 2 + half));
    return result;
}

struct estimate statistics_difference(const struct estimate *a, const struct estimate *b)
{
    double difference = b->value - a->value;

    return (struct estimate){
        .value = difference,
        .low = difference - hypot(b->value - b->low, a->high - a->value),
        .high = difference + hypot(b->high - b->value, a->value - a->low),
    };
}

double statistics_p(double difference, double variance, double correction)
{
    double distance = fabs(difference) - correction;

    if (distance <= 0 || variance <= 0)
        return 1;
    return erfc(distance / sqrt(2 * variance));
}

/* Formulas 26.7.3 and 26.7.4 of Abramowitz and Stegun, Handbook of Mathematical Functions (1964). */
double statistics_t_p(double t, uint32_t freedom)
{
    double angle = atan(fabs(t) / sqrt(freedom)), sine = sin(angle), cosine = cos(angle);
    bool odd = freedom % 2 == 1;
    double term = odd ? cosine : 1, sum = freedom == 1 ? 0 : term;

    for (uint32_t i = odd ? 3 : 2; i + 2 <= freedom; i += 2) {
        term *= cosine * cosine * (i - 1) / i;
        sum += term;
    }
    double within = odd ? M_2_PI * (angle + sine * sum) : sine * sum;
    return within < 1 ? 1 - within : 0;
}

double statistics_t_quantile(double p, uint32_t freedom)
{
    double low = 0, high = 1;

    while (statistics_t_p(high, freedom) > p)
        high *= 2;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (statistics_t_p(middle, freedom) > p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns the z whose two-sided p is `p`. */
static double statistics_z(double p)
{
    double low = 0, high = 40;

    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (erfc(middle * M_SQRT1_2) > p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns the variance of a quantity, times the number of samples. */
static double statistics_variance(double value, bool is_share)
{
    return is_share ? value * (1 - value) : value;
}

/* The variance grows with the change: that of a share up to 0.5, that of a time without end. So the result is computed
 * in a few rounds. The last summand is Yates' correction. */
double statistics_detectable(double value, bool is_share, double half_width, double limit)
{
    double deviation = half_width / STATISTICS_Z95, z = statistics_z(limit) + Z80, change = z * deviation;
    double variance = statistics_variance(value, is_share);

    if (variance <= 0)
        return change;
    for (int i = 0; i < 4; i++) {
        double middle = is_share && value > 0.5 ? fmax(value - change / 2, 0.5) : value + change / 2;
        if (is_share && value <= 0.5)
            middle = fmin(middle, 0.5);
        double growth = statistics_variance(middle, is_share) / variance;
        change = z * deviation * sqrt(growth) + deviation * deviation / (2 * variance);
    }
    return change;
}

struct ranked {
    double p;
    size_t index;
};

static int statistics_compare(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    return a->p < b->p ? -1 : a->p > b->p;
}

int statistics_adjust(double *values, size_t count)
{
    struct ranked *ranked = calloc(count + 1, sizeof *ranked);
    double least = 1;

    if (ranked == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){values[i], i};
    qsort(ranked, count, sizeof *ranked, statistics_compare);
    for (size_t i = count; i-- > 0;) {
        least = fmin(least, ranked[i].p * (double)count / (double)(i + 1));
        values[ranked[i].index] = least;
    }
    free(ranked);
    return 0;
}

/* --- of a diff --------------------------------------------------------------------------- */

void diff_sums_count(struct diff_sums *sums, uint64_t count, uint64_t ns)
{
    sums->samples += count;
    sums->ns += ns;
    sums->cells++;
    sums->squares += (double)ns * (double)ns / (double)(count > 0 ? count : 1);
}

void diff_sums_add(struct diff_sums *to, const struct diff_sums *more)
{
    to->samples += more->samples;
    to->ns += more->ns;
    to->cells += more->cells;
    to->squares += more->squares;
}

/* Returns the sum of squares for the case that all weights are equal. This is the smallest possible sum. */
static double least_squares(const struct diff_sums *sums)
{
    return sums->samples == 0 ? 0 : (double)sums->ns * (double)sums->ns / (double)sums->samples;
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

/* Returns the mean weight of a profile's samples, ns. */
static double mean_weight(const struct diff_sums *all)
{
    return all->samples == 0 ? 0 : (double)all->ns / (double)all->samples;
}

/* Returns the q of a function in both profiles together (the top of this file explains q). If `others` is true, returns
 * the q of all other functions. */
static double relative_weight(const struct diff_test *test, const struct diff_pair *pair, bool others)
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

static void set_estimates(struct pprofil_change *change, const struct estimate of[DIFF_SIDES])
{
    struct estimate difference = statistics_difference(&of[DIFF_OLD], &of[DIFF_NEW]);

    change->change = difference.value;
    change->low = difference.low;
    change->high = difference.high;
}

static void compare_shares(const struct diff_test *test, const struct diff_pair *pair, struct pprofil_change *change)
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
        estimates[side] = statistics_share(change->share[side], n[side] / effect);
    set_estimates(change, estimates);
    change->p = statistics_p(change->change, pooled * (1 - pooled) * effect * inverse, own * inverse / 2);
}

static void compare_times(const struct diff_test *test, const struct diff_pair *pair, struct pprofil_change *change)
{
    double own = relative_weight(test, pair, false), unit[DIFF_SIDES], counts = 0, inverse = 0;
    struct estimate estimates[DIFF_SIDES];

    for (int side = 0; side < DIFF_SIDES; side++) {
        unit[side] = own * mean_weight(&test->all.of[side]) / test->seconds[side];
        change->value[side] = (double)pair->of[side].ns / test->seconds[side];
        counts += change->value[side] / unit[side];
        inverse += 1 / unit[side];
        estimates[side] = statistics_sum(change->value[side], unit[side]);
    }
    set_estimates(change, estimates);
    double pooled = counts / inverse, units = unit[DIFF_OLD] + unit[DIFF_NEW];
    change->p = statistics_p(change->change, pooled * units, units / 2);
}

void diff_compare(const struct diff_test *test, const struct diff_pair *pair, struct pprofil_change *change)
{
    bool empty = !test->by_share && !test->timed;

    for (int side = 0; side < DIFF_SIDES; side++) {
        const struct diff_sums *own = &pair->of[side], *all = &test->all.of[side];
        change->samples[side] = own->samples;
        change->ns[side] = test->timed ? own->ns : 0;
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
