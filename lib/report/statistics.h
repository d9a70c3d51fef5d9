/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * statistics: how exact the share of a row is, and whether chance alone explains the difference between two sampled
 * quantities.
 *
 * The weight of a sample is the time that the sample represents, and weights may differ. Samples of different weights
 * give as much information as a smaller number of samples of equal weight. This effective number of samples is (sum of
 * weights)^2 / (sum of squares of weights), and all formulas below use it. All intervals have a confidence of 95 %.
 */
#ifndef PPROFIL_STATISTICS_H
#define PPROFIL_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprofil.h"

#define STATISTICS_Z95 1.959963984540054 /* 97.5th percentile of the standard normal distribution */

struct estimate {
    double value, low, high;
};

/* Returns half the width of the 95 % confidence interval of a share, by Wilson's score interval. The width of this
 * interval is not 0, even if the share is 0 or 1. Returns 0 if there are no samples. */
double statistics_half_width(double share, double samples);

/* Estimates a share from an effective number of samples, with Wilson's score interval. If there are no samples, the
 * interval is [0, 1]. */
struct estimate statistics_share(double share, double samples);

/* Estimates a sum to which each sample adds `unit`, with a score interval. Assumes that the samples come at random
 * times (a Poisson process). */
struct estimate statistics_sum(double sum, double unit);

/* Returns the difference b - a of two independent estimates. The interval is that of Newcombe's method 10 (Statistics
 * in Medicine 17, 1998). Its width is not 0, even if one estimate is 0. */
struct estimate statistics_difference(const struct estimate *a, const struct estimate *b);

/* Returns the probability, 0..1, that chance alone makes a difference at least this large in either direction.
 * `variance` is the variance of the difference if only chance is at work (the null hypothesis). `correction` is half of
 * what one sample adds (Yates's continuity correction). */
double statistics_p(double difference, double variance, double correction);

/* Returns the probability, 0..1, of a value of Student's t that is at least as far from 0 as `t`. freedom: degrees of
 * freedom, at least 1. */
double statistics_t_p(double t, uint32_t freedom);
/* Returns the t, at least 0, for which statistics_t_p returns p. p: more than 0, at most 1. */
double statistics_t_quantile(double p, uint32_t freedom);

/* Returns how large a change must be so that a test finds it in about 4 of 5 cases. value: a share (is_share) or a time
 * in the old profile. half_width: half of the width of the 95 % confidence interval of a change of about 0. limit: the
 * test finds a change if its p is at most this; more than 0, at most 1. */
double statistics_detectable(double value, bool is_share, double half_width, double limit);
/* `values` has the p-values of `count` tests. Replaces each p-value by the q-value of its test: the lowest false
 * discovery rate at which the test counts as a discovery (Benjamini and Hochberg, 1995). If all tests with q <= 0.05
 * are called significant, on average at most 5 % of these tests differ by chance. If in truth nothing differs, the
 * probability that any test is called significant is at most 5 %. Returns 0 or -ENOMEM. */
int statistics_adjust(double *values, size_t count);

/* --- of a diff --------------------------------------------------------------------------- */

enum { DIFF_OLD, DIFF_NEW, DIFF_SIDES };

/* The counts of one function, of a frame of a flame graph, or of all functions, in one profile. A cell is an entry of
 * profile->samples: the samples of one thread with the same stack, system call and state. A profile has only the sum of
 * the weights of a cell, not the weight of each sample. */
struct diff_sums {
    uint64_t samples;
    uint64_t ns; /* sum of the weights: times, or numbers of samples if a profile has no times */
    uint64_t cells;
    /* sum of the squares of the samples' weights, ns^2, computed as if all samples of a cell had the same weight */
    double squares;
};

struct diff_pair {
    struct diff_sums of[DIFF_SIDES];
};

/* Adds a cell of `count` samples, whose weights have the sum `ns`. */
void diff_sums_count(struct diff_sums *sums, uint64_t count, uint64_t ns);
/* Adds the cells of other sums. No cell may be in both. */
void diff_sums_add(struct diff_sums *to, const struct diff_sums *more);

/* The sums of the two profiles, and what kind of value is compared. */
struct diff_test {
    struct diff_pair all;
    /* times in ns are divided by this number before they are compared: by 1e9 to compare seconds, or by the elapsed
     * time of the profile (ns) to compare seconds per second of sampling */
    double seconds[DIFF_SIDES];
    bool by_share;
    bool timed; /* weights are times, ns; false: only shares can be compared */
    const char *tested; /* borrowed; as in pprofil_diff_options */
};

/* How much the weights of a function's samples differ, measured over all functions together. The quotient
 * variance / freedom is the variance of the weights, divided by the square of their mean. diff_settle uses it mainly
 * for functions with few cells. An empty structure is all 0. */
struct diff_spread {
    /* variance: sum of the squared deviations from the mean, each divided by the square of the mean; freedom: degrees
     * of freedom */
    double variance, freedom;
};
void diff_spread_add(struct diff_spread *spread, const struct diff_sums *sums);

/* sums->squares was computed as if all weights in a cell were equal. Replaces this value by a better estimate. */
void diff_settle(struct diff_sums *sums, const struct diff_spread *spread);

/* Compares the counts of one function or frame in both profiles. Fills in *change, except for the fields q and
 * significant. */
void diff_compare(const struct diff_test *test, const struct diff_pair *pair, struct pprofil_change *change);

#endif
