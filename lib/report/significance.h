/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * significance: is a difference of two sampled quantities more than chance?
 *
 * Samples need not weigh the same. What n samples of different weights tell is what fewer of equal
 * weight would: their effective number (sum of weights)^2 / (sum of squares), by which all
 * formulas here go. Intervals are of 95 %.
 */
#ifndef PPROFIL_SIGNIFICANCE_H
#define PPROFIL_SIGNIFICANCE_H

#include <stddef.h>

struct estimate {
    double value, low, high;
};

/* A share of so many effective samples: Wilson's score interval. 0 samples: [0, 1]. */
struct estimate significance_share(double share, double samples);

/* A sum of samples that come by chance (Poisson) and are worth unit each: the score interval. */
struct estimate significance_sum(double sum, double unit);

/* b - a, of estimates that are independent: the square-and-add interval of Newcombe (Statistics in
 * Medicine 17, 1998, method 10), which does not shrink to nothing where one of them is 0. */
struct estimate significance_difference(const struct estimate *a, const struct estimate *b);

/* How likely a difference at least as large is by chance, where the variance of the difference is
 * this if there is none; correction: what half a sample is worth (Yates). Two-sided, 0..1. */
double significance_p(double difference, double variance, double correction);

/* The values p of count tests become q: the false discovery rate at which each is discovered
 * (Benjamini and Hochberg, 1995). If q <= 0.05 are called significant, of those at most 5 % are
 * not, on average; and where nothing differs, anything is in at most 5 % of cases. 0 or -ENOMEM. */
int significance_adjust(double *values, size_t count);

#endif
