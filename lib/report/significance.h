/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * significance: is a difference between two sampled quantities more than chance?
 *
 * Samples need not have the same weight. n samples of different weights tell as much as some
 * smaller number of samples of one weight: (sum of weights)^2 / (sum of squares of weights), their
 * effective number, which is what all formulas here take. All intervals are 95 % intervals.
 */
#ifndef PPROFIL_SIGNIFICANCE_H
#define PPROFIL_SIGNIFICANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprofil.h"

struct estimate {
    double value, low, high;
};

/* Estimates a share from a number of effective samples, by Wilson's score interval. Without samples
 * the interval is [0, 1]. */
struct estimate significance_share(double share, double samples);

/* Estimates a sum from samples that come at random times (Poisson) and are worth unit each, by the
 * score interval. */
struct estimate significance_sum(double sum, double unit);

/* Returns b - a of independent estimates, by the square-and-add interval of Newcombe (Statistics in
 * Medicine 17, 1998, method 10). It does not shrink to nothing where one of them is 0. */
struct estimate significance_difference(const struct estimate *a, const struct estimate *b);

/* Returns the probability, 0..1, that chance alone makes a difference at least as large in either
 * direction. variance: of the difference where nothing differs. correction: what half a sample is
 * worth (Yates). */
double significance_p(double difference, double variance, double correction);

/* Turns the p of count tests into q, the lowest false discovery rate at which a test counts as a
 * discovery (Benjamini and Hochberg, 1995). If all tests with q <= 0.05 are called significant, on
 * average at most 5 % of these differ by chance; and where nothing differs, the probability that
 * any test is called significant is at most 5 %. 0 or -ENOMEM. */
int significance_adjust(double *values, size_t count);

/* --- of a diff --------------------------------------------------------------------------- */

enum { DIFF_OLD, DIFF_NEW, DIFF_SIDES };

/* What was counted for one function, or for all, in one profile. A cell is an entry of
 * profile->samples: samples of one thread at one place, of which only the sum of weights is
 * known. */
struct diff_sums {
    uint64_t samples, ns;
    uint64_t cells;
    double squares; /* sum of the squares of the samples' weights, ns^2. While counting, all samples
                     * of a cell are taken to have the same weight. */
};

struct diff_pair {
    struct diff_sums of[DIFF_SIDES];
};

/* What rows are tested against. */
struct diff_test {
    struct diff_pair all;
    double seconds[DIFF_SIDES]; /* what ns are divided by: 1e9 for values in seconds, the elapsed ns
                                 * of the profile for values in seconds a second */
    bool by_share;
};

/* The variance of weights within functions, divided by the square of their mean. It is used for
 * functions with few cells. Begins as {0}. */
struct diff_spread {
    double variance, freedom; /* sum of squared deviations; degrees of freedom */
};
void diff_spread_add(struct diff_spread *spread, const struct diff_sums *sums);

/* Replaces the sum of squares that was counted by an estimate. */
void diff_settle(struct diff_sums *sums, const struct diff_spread *spread);

/* Fills in everything but q and significant. */
void diff_compare(const struct diff_test *test, const struct diff_pair *pair,
                  struct pprofil_change *change);

#endif
