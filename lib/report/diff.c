/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares two profiles: the rows of a diff, in order. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff-tests.h"
#include "report/diff.h"

static int diff_compare_sizes(double a, double b)
{
    return a > b ? -1 : a < b;
}

static int diff_compare_rows(const void *left, const void *right)
{
    const struct pprofil_diff_row *a = left, *b = right;
    int result = diff_row_is_significant(b) - diff_row_is_significant(a);

    if (result == 0)
        result = diff_compare_sizes(fabs(a->self.change), fabs(b->self.change));
    if (result == 0)
        result = diff_compare_sizes(fabs(a->total.change), fabs(b->total.change));
    if (result == 0)
        result = diff_compare_sizes(a->self.share[DIFF_NEW], b->self.share[DIFF_NEW]);
    if (result == 0) /* nothing is compared if a profile is empty */
        result = diff_compare_sizes(a->self.share[DIFF_OLD], b->self.share[DIFF_OLD]);
    if (result == 0)
        result = strcmp(a->name, b->name);
    if (result == 0 && a->line != b->line)
        result = a->line < b->line ? -1 : 1;
    return result != 0 ? result : strcmp(a->object[DIFF_NEW], b->object[DIFF_NEW]);
}

/* How large must a change be to be found? The answer is given for the row with the most time. */
static void diff_tell_detectable(const struct diff_tests *tests, struct pprofil_diff *diff)
{
    const struct pprofil_diff_row *largest = NULL;

    for (uint32_t i = 0; i < diff->count; i++)
        if (largest == NULL || diff->rows[i].self.share[DIFF_OLD] > largest->self.share[DIFF_OLD])
            largest = &diff->rows[i];
    if (largest == NULL || tests->function_limit <= 0 || !isfinite(largest->self.high - largest->self.low))
        return;
    diff->totals.largest = largest->name;
    diff->totals.largest_value = largest->self.value[DIFF_OLD];
    diff->totals.detectable = statistics_detectable(largest->self.value[DIFF_OLD], tests->test.by_share,
                                                    (largest->self.high - largest->self.low) / 2,
                                                    tests->function_limit);
}

static int diff_make(const struct diff_tests *tests, uint32_t limit, struct pprofil_diff *diff)
{
    diff->totals.rows = tests->row_count;
    diff->totals.significant = tests->significant;
    diff->totals.stacks = tests->functions->stacks;
    diff->totals.whole = tests->whole;
    diff->rows = calloc(tests->row_count + 1u, sizeof *diff->rows);
    if (diff->rows == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < tests->functions->keys.count; i++)
        if (tests->rows[i].name != NULL)
            diff->rows[diff->count++] = tests->rows[i];
    qsort(diff->rows, diff->count, sizeof *diff->rows, diff_compare_rows);
    diff_tell_detectable(tests, diff);
    if (limit != 0 && limit < diff->count)
        diff->count = limit;
    return 0;
}

/* Returns true if all runs of a side say how long they were. */
static bool diff_has_durations(const struct profile *whole, const struct diff_run_list *runs, int side)
{
    for (uint32_t i = 0; runs != NULL && i < runs->count[side]; i++)
        if (runs->profiles[side][i]->totals.elapsed_ns == 0)
            return false;
    return whole->totals.elapsed_ns != 0;
}

/* Returns true if all runs of a side have times, or if none has and their sum has none either. */
static bool diff_agree_on_times(const struct profile *whole, const struct diff_run_list *runs, int side)
{
    for (uint32_t i = 0; runs != NULL && i < runs->count[side]; i++) {
        const struct profile *run = runs->profiles[side][i];
        if (run->totals.samples > 0 && diff_is_timed(run) != diff_is_timed(whole))
            return false;
    }
    return true;
}

static int diff_check(struct profile *const profiles[], const struct diff_options *options, struct diff_test *test)
{
    enum pprofil_diff_by by = options->by;
    const struct profile_totals *old = &profiles[DIFF_OLD]->totals;
    const struct profile_totals *new = &profiles[DIFF_NEW]->totals;

    if (old->samples > 0 && new->samples > 0 && old->wall != new->wall)
        return PPROFIL_ERROR_MIXED_TIMES;
    if (by != PPROFIL_DIFF_SHARE && !(diff_is_timed(profiles[DIFF_OLD]) && diff_is_timed(profiles[DIFF_NEW])))
        return PPROFIL_ERROR_NO_TIMES;
    test->by_share = by == PPROFIL_DIFF_SHARE;
    test->tested = options->tested;
    for (int side = 0; side < DIFF_SIDES; side++) {
        if (!diff_agree_on_times(profiles[side], options->runs, side))
            return PPROFIL_ERROR_NO_TIMES;
        test->seconds[side] = 1e9 * (options->runs != NULL ? options->runs->count[side] : 1); /* a mean of the runs */
        if (by != PPROFIL_DIFF_TIME_A_SECOND)
            continue;
        if (!diff_has_durations(profiles[side], options->runs, side))
            return PPROFIL_ERROR_NO_DURATION;
        test->seconds[side] = (double)profiles[side]->totals.elapsed_ns;
    }
    return 0;
}

/* Objects need the names of functions, too, which show whether an object was renamed. */
static int diff_look_up(struct symbolizer *const symbolizers[], enum pprofil_by by)
{
    uint32_t what = by == PPROFIL_BY_LINE ? PROFILE_LOOKED_LINE : PROFILE_LOOKED_NAME;
    int error = 0;

    if (by > PPROFIL_BY_LINE)
        return 0;
    for (int side = 0; symbolizers != NULL && error == 0 && side < DIFF_SIDES; side++)
        if (symbolizers[side] != NULL)
            error = symbolizer_look_up_all(symbolizers[side], what);
    return error;
}

int diff_new(struct profile *const profiles[DIFF_SIDES], struct symbolizer *const symbolizers[],
             const struct diff_options *options, struct pprofil_diff **result)
{
    struct diff_functions functions = {0};
    struct diff_tests tests = {0};
    struct diff_test test = {0};
    struct diff_runs runs = {0};
    const struct profile *const sides[DIFF_SIDES] = {profiles[DIFF_OLD], profiles[DIFF_NEW]};
    int error = diff_check(profiles, options, &test);

    if (error != 0)
        return error;
    struct pprofil_diff *diff = calloc(1, sizeof *diff);
    if (diff == NULL)
        return -ENOMEM;
    diff->totals.wall = profiles[DIFF_OLD]->totals.wall || profiles[DIFF_NEW]->totals.wall;
    error = diff_look_up(symbolizers, options->rows);
    if (error == 0)
        error = diff_groups_find(sides, options->rows, &functions);
    if (error == 0 && options->runs != NULL)
        error = diff_runs_count(options->runs, &functions, options->by, &runs);
    if (error == 0)
        error = diff_tests_make(&functions, &test, options->runs != NULL ? &runs : NULL, options->least, &tests);
    if (error == 0)
        error = diff_make(&tests, options->limit, diff);
    diff_tests_clear(&tests);
    diff_runs_clear(&runs);
    diff_functions_clear(&functions);
    if (error != 0) {
        pprofil_diff_free(diff);
        return error;
    }
    *result = diff;
    return 0;
}

void pprofil_diff_free(struct pprofil_diff *diff)
{
    if (diff == NULL)
        return;
    free(diff->rows);
    free(diff);
}
