/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * diff-runs: compares two sides that have several runs each.
 *
 * The samples of one run show how exact the times of this run are. They do not show how much the runs of one program
 * differ, because of caches, other programs and the speed of the CPU. Several runs show that. So functions are tested
 * by Student's t-test: each run gives one value. The variance is that of the runs around the mean of their side. But it
 * is at least the variance that sampling alone causes in all runs together. Where this decides, the variance is known
 * better than the runs alone could tell, so the test has more degrees of freedom.
 */
#ifndef PPROFIL_DIFF_RUNS_H
#define PPROFIL_DIFF_RUNS_H

#include "report/diff-functions.h"

/* The profiles of the runs of each side. */
struct diff_run_list {
    struct profile *const *profiles[DIFF_SIDES];
    uint32_t count[DIFF_SIDES]; /* at least 1 each, and at least 3 together */
};

/* The values of all functions in all runs. An empty struct is all 0. */
struct diff_runs {
    const struct diff_run_list *list; /* borrowed */
    /* owned; by run: for each function its own value and its total, and at the end that of the whole */
    double *values[DIFF_SIDES];
    uint32_t functions;
};

/* Counts the samples of all runs. functions: those of the profiles that were merged from all runs of a side; complete.
 * Returns 0, -ENOMEM or -EOVERFLOW. The caller clears *runs in any case. */
int diff_runs_count(const struct diff_run_list *list, const struct diff_functions *functions,
                    enum pprofil_diff_by by, struct diff_runs *runs);
void diff_runs_clear(struct diff_runs *runs);

enum diff_runs_value { DIFF_RUNS_SELF, DIFF_RUNS_TOTAL };

/* Tests a function; or, if `function` is runs->functions and `which` is DIFF_RUNS_SELF, the whole. *change: the result
 * of diff_compare for the profiles that were merged from all runs of a side. The fields value, change, low, high and p
 * are replaced. */
void diff_runs_compare(const struct diff_runs *runs, uint32_t function, enum diff_runs_value which,
                       struct pprofil_change *change);

#endif
