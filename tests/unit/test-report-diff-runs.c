/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests of diffs of several runs. Runs are made at random, with fixed seeds: the times of functions differ from run to
 * run by more than their samples show.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "report-diff-fixture.h"
#include "report/statistics.h"

#define RUNS 5
#define FUNCTIONS 12

/* Quantiles of Student's t: Fisher and Yates, Statistical Tables (1938), table III. */
Test(diff_runs, t_is_that_of_the_tables)
{
    static const struct {
        uint32_t freedom;
        double p, t;
    } table[] = {{1, .05, 12.706}, {2, .05, 4.303}, {3, .05, 3.182},  {8, .05, 2.306}, {10, .05, 2.228},
                 {30, .05, 2.042}, {8, .01, 3.355}, {8, .001, 5.041}, {1, .5, 1.000},  {120, .05, 1.980}};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        cr_expect_float_eq(statistics_t_p(table[i].t, table[i].freedom), table[i].p, table[i].p * 2e-3, "%zu", i);
        cr_expect_float_eq(statistics_t_p(-table[i].t, table[i].freedom), table[i].p, table[i].p * 2e-3, "%zu", i);
        cr_expect_float_eq(statistics_t_quantile(table[i].p, table[i].freedom), table[i].t, 6e-4, "%zu", i);
    }
    cr_expect_eq(statistics_t_p(0, 8), 1);
}

/* --- random runs ------------------------------------------------------------------------------ */

static unsigned short seed[3];

static double random_normal(void)
{
    double a = erand48(seed), b = erand48(seed);

    return sqrt(-2 * log(1 - a)) * cos(2 * M_PI * b);
}

/* The runs of a side. The time of each function differs from run to run by `scatter` (a standard deviation, as a share
 * of the time). That of function 0 is multiplied by `slower`. */
struct side {
    struct profile *whole, *runs[RUNS];
};

static void make_side(struct side *side, double scatter, double slower)
{
    side->whole = make_profile();
    for (int run = 0; run < RUNS; run++) {
        side->runs[run] = make_profile();
        for (int i = 0; i < FUNCTIONS; i++) {
            char name[] = {'f', (char)('a' + i), '\0'};
            double mean = 2000.0 / (i + 1) * (i == 0 ? slower : 1) * (1 + scatter * random_normal());
            double samples = round(mean + sqrt(mean) * random_normal());
            uint64_t number = samples > 1 ? (uint64_t)samples : 1;
            count_in(side->runs[run], "/bin/a", name, number, number * 1000000);
            count_in(side->whole, "/bin/a", name, number, number * 1000000);
        }
    }
}

static void free_side(struct side *side)
{
    profile_free(side->whole);
    for (int run = 0; run < RUNS; run++)
        profile_free(side->runs[run]);
}

/* Compares two sides, and frees them. *function: whether function 0 changed. Returns how many changed. */
static uint32_t compare_sides(struct side *old, struct side *new, bool as_runs, enum pprofil_diff_by by, bool *function)
{
    const struct diff_run_list list = {.profiles = {old->runs, new->runs}, .count = {RUNS, RUNS}};
    struct diff_options options = {.by = by, .runs = as_runs ? &list : NULL};
    struct profile *profiles[] = {old->whole, new->whole};
    struct pprofil_diff *diff;

    cr_assert_eq(diff_new(profiles, NULL, &options, &diff), 0);
    uint32_t changed = diff->totals.significant;
    *function = find(diff, "fa")->self.significant;
    pprofil_diff_free(diff);
    free_side(old);
    free_side(new);
    return changed;
}

static int alarms(int pairs, double scatter, double slower, bool as_runs, enum pprofil_diff_by by, int *found)
{
    int alarms = 0;

    *found = 0;
    for (int i = 0; i < pairs; i++) {
        struct side old, new;
        bool function;
        make_side(&old, scatter, 1);
        make_side(&new, scatter, slower);
        alarms += compare_sides(&old, &new, as_runs, by, &function) > 0;
        *found += function;
    }
    return alarms;
}

/* The false discovery rate is 5 %, so of 200 pairs without a change about 10 give an alarm, and 20 hardly ever: this is
 * more than three standard deviations above. */
Test(diff_runs, equal_programs_give_few_alarms)
{
    int found;

    cr_expect_leq(alarms(200, 0.05, 1, true, PPROFIL_DIFF_SHARE, &found), 20);
    cr_expect_leq(alarms(200, 0.05, 1, true, PPROFIL_DIFF_TIME, &found), 20);
    cr_expect_geq(alarms(50, 0.05, 1, false, PPROFIL_DIFF_TIME, &found), 25,
                  "as one run, the scatter looks like a change");
}

Test(diff_runs, a_slower_function_is_found)
{
    int found;

    alarms(50, 0.01, 1.1, true, PPROFIL_DIFF_TIME, &found);
    cr_expect_geq(found, 45, "%d", found);
    alarms(50, 0.01, 1.1, true, PPROFIL_DIFF_SHARE, &found);
    cr_expect_geq(found, 40, "%d", found);
}

/* Runs that differ by no more than their samples let expect are as good as one long run. Runs without scatter, too. */
Test(diff_runs, runs_that_hardly_differ_are_one_run)
{
    struct side old = {0}, new = {0};
    struct pprofil_diff *diff;

    old.whole = make_profile();
    new.whole = make_profile();
    for (int run = 0; run < RUNS; run++) {
        old.runs[run] = make_profile();
        new.runs[run] = make_profile();
        /* z = 2.5, p = 0.012: less than that of t with 8 degrees of freedom, 0.037 */
        for (int i = 0; i < 2; i++) {
            count_in(i == 0 ? old.whole : old.runs[run], "/bin/a", "fa", 1000, UINT64_C(1000000000));
            count_in(i == 0 ? new.whole : new.runs[run], "/bin/a", "fa", 1050, UINT64_C(1050000000));
        }
    }
    const struct diff_run_list list = {.profiles = {old.runs, new.runs}, .count = {RUNS, RUNS}};
    struct diff_options options = {.by = PPROFIL_DIFF_TIME, .runs = &list};
    struct profile *profiles[] = {old.whole, new.whole};
    cr_assert_eq(diff_new(profiles, NULL, &options, &diff), 0);
    cr_expect_float_eq(find(diff, "fa")->self.p, 0.0125, 0.002, "%g", find(diff, "fa")->self.p);
    pprofil_diff_free(diff);
    free_side(&old);
    free_side(&new);
}

/* The value is the mean of the runs, not their sum. */
Test(diff_runs, values_are_means)
{
    struct side old, new;

    make_side(&old, 0, 1);
    make_side(&new, 0, 1);
    const struct diff_run_list list = {.profiles = {old.runs, new.runs}, .count = {RUNS, RUNS}};
    struct diff_options options = {.by = PPROFIL_DIFF_TIME, .runs = &list};
    struct profile *profiles[] = {old.whole, new.whole};
    struct pprofil_diff *diff;
    cr_assert_eq(diff_new(profiles, NULL, &options, &diff), 0);
    cr_expect_float_eq(find(diff, "fa")->self.value[0], 2, 0.1, "2000 samples of 1 ms");
    cr_expect_float_eq(diff->totals.whole.value[1], 2 * 3.1032, 0.2, "the sum over all functions");
    pprofil_diff_free(diff);
    free_side(&old);
    free_side(&new);
}
