/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is counted for a diff, and what is made of it. */
#ifndef PPROFIL_DIFF_INTERNAL_H
#define PPROFIL_DIFF_INTERNAL_H

#include "report/diff.h"

/* Samples of one function, or of all. */
struct diff_sums {
    uint64_t samples, ns;
    uint64_t cells; /* of how many sums of samples at one place that is the sum */
    double squares; /* of the samples' weights, ns^2: while counting, as if in a cell all were equal */
};

struct diff_pair {
    struct diff_sums of[DIFF_SIDES];
};

/* What rows are tested against. */
struct diff_test {
    struct diff_pair all;
    double seconds[DIFF_SIDES]; /* in one unit of value: 1e9 ns, or those times the time taken */
    bool by_share;
};

/* The variance of weights within functions, by the square of their mean: what is to be expected of
 * a function that was met at few places. Summed over functions, one by one, from {0}. */
struct diff_spread {
    double variance, freedom;
};
void diff_spread_add(struct diff_spread *spread, const struct diff_sums *sums);

/* Estimates the sum of squares of what was counted. */
void diff_settle(struct diff_sums *sums, const struct diff_spread *spread);

/* Fills in all but q and whether it is significant. */
void diff_compare(const struct diff_test *test, const struct diff_pair *pair,
                  struct diff_change *change);

#endif
