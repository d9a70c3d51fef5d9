/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests functions and frames of two profiles: see diff-tests.h. */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>

#include "report/diff-tests.h"

/* --- functions ------------------------------------------------------------------------- */

static void diff_tests_make_rows(struct diff_tests *tests)
{
    const struct diff_functions *functions = tests->functions;

    for (uint32_t i = 0; i < functions->keys.count; i++) {
        const struct diff_function *found = &functions->all[i];
        struct pprofil_diff_row *row = &tests->rows[i];
        if (!diff_function_is_in(found, DIFF_OLD) && !diff_function_is_in(found, DIFF_NEW))
            continue;
        tests->row_count++;
        *row = (struct pprofil_diff_row){
            .name = found->name, .line = found->line, .self.q = 1, .total = {.p = 1, .q = 1}};
        for (int side = 0; side < DIFF_SIDES; side++)
            if (diff_function_is_in(found, side)) {
                row->object[side] = found->object[side];
                row->id[side] = found->id[side];
            } else {
                row->object[side] = "";
            }
        diff_compare(&tests->test, &found->self, &row->self);
        if (functions->stacks)
            diff_compare(&tests->test, &found->total, &row->total);
        if (tests->runs != NULL)
            diff_runs_compare(tests->runs, i, DIFF_RUNS_SELF, &row->self);
        if (tests->runs != NULL && functions->stacks)
            diff_runs_compare(tests->runs, i, DIFF_RUNS_TOTAL, &row->total);
    }
}

/* Returns true if a function has time in at least one profile. If it has none, there is nothing to test. */
static bool diff_tests_has_time(const struct diff_pair *pair)
{
    return pair->of[DIFF_OLD].ns > 0 || pair->of[DIFF_NEW].ns > 0;
}

/* If nothing has changed, each side is expected to have a certain part of a function's samples. Returns the smaller of
 * the two parts. If times are compared, a side that was sampled at a higher rate has the larger part. */
static double diff_tests_rarer_side(const struct diff_test *test)
{
    double by_samples[DIFF_SIDES], by_time[DIFF_SIDES];

    for (int side = 0; side < DIFF_SIDES; side++) {
        const struct diff_sums *all = &test->all.of[side];
        by_samples[side] = (double)all->samples;
        by_time[side] = test->by_share ? by_samples[side] : by_samples[side] / (double)all->ns * test->seconds[side];
    }
    return fmin(fmin(by_samples[DIFF_OLD], by_samples[DIFF_NEW]) / (by_samples[DIFF_OLD] + by_samples[DIFF_NEW]),
                fmin(by_time[DIFF_OLD], by_time[DIFF_NEW]) / (by_time[DIFF_OLD] + by_time[DIFF_NEW]));
}

/* Returns true if a change of a function can be significant. It cannot if the function has so few samples that all of
 * them may be on one side by chance. A profile has many such functions. Without them, less of the level has to be kept
 * for tests that find nothing: R. E. Tarone, A modified Bonferroni method for discrete data (1990). */
static bool diff_tests_may_find(const struct diff_pair *pair, double rarer_side)
{
    double samples = (double)(pair->of[DIFF_OLD].samples + pair->of[DIFF_NEW].samples);

    return diff_tests_has_time(pair) && !(pow(rarer_side, samples) > DIFF_LEVEL);
}

static bool diff_tests_wants(const struct diff_tests *tests, uint32_t function)
{
    const char *pattern = tests->test.tested, *name = tests->rows[function].name;

    return pattern == NULL || (name != NULL && fnmatch(pattern, name, 0) == 0);
}

/* Fills `changes` with the changes to test, at most two for each function and one for the whole. If shares are
 * compared, the whole is not tested, because its share is always 1. Returns their number. */
static size_t diff_tests_list(struct diff_tests *tests, struct pprofil_change **changes)
{
    const struct diff_functions *functions = tests->functions;
    double rarer_side = diff_tests_rarer_side(&tests->test);
    size_t count = 0;

    if (!tests->test.by_share && tests->test.tested == NULL)
        changes[count++] = &tests->whole;
    for (uint32_t i = 0; i < functions->keys.count; i++) {
        size_t before = count;
        if (!diff_tests_wants(tests, i))
            continue;
        if (diff_tests_may_find(&functions->all[i].self, rarer_side))
            changes[count++] = &tests->rows[i].self;
        if (functions->stacks && diff_tests_may_find(&functions->all[i].total, rarer_side))
            changes[count++] = &tests->rows[i].total;
        tests->second_tests += count == before + 2;
    }
    return count;
}

/* Computes the q-values of all changes (statistics_adjust). A q-value depends on all tests that are made, so all tests
 * are adjusted together. */
static int diff_tests_judge(struct diff_tests *tests, double least)
{
    size_t most = 2 * (size_t)tests->functions->keys.count + 1, discoveries = 0;
    struct pprofil_change **changes = calloc(most, sizeof *changes);
    double *values = calloc(most, sizeof *values);
    int error = changes == NULL || values == NULL ? -ENOMEM : 0;
    size_t count = error == 0 ? diff_tests_list(tests, changes) : 0;

    for (size_t i = 0; i < count; i++)
        values[i] = changes[i]->p;
    if (error == 0)
        error = statistics_adjust(values, count);
    for (size_t i = 0; error == 0 && i < count; i++) {
        changes[i]->q = values[i];
        changes[i]->significant = values[i] <= DIFF_LEVEL && fabs(changes[i]->change) >= least;
        discoveries += values[i] <= DIFF_LEVEL;
    }
    if (count > 0) {
        tests->limit = (discoveries > 0 ? DIFF_LEVEL * (double)discoveries : DIFF_LEVEL_OF_FRAMES) / (double)count;
        tests->function_limit = DIFF_LEVEL * (discoveries > 0 ? (double)discoveries : 1) / (double)count;
    }
    free(changes);
    free(values);
    return error;
}

bool diff_row_is_significant(const struct pprofil_diff_row *row)
{
    return row->self.significant || row->total.significant;
}

const struct pprofil_change *diff_row_total(const struct diff_tests *tests, const struct pprofil_diff_row *row)
{
    return tests->functions->stacks ? &row->total : &row->self;
}

int diff_tests_make(const struct diff_functions *functions, const struct diff_test *test, const struct diff_runs *runs,
                    double least, struct diff_tests *tests)
{
    *tests = (struct diff_tests){.functions = functions, .test = *test, .runs = runs};
    tests->test.all = functions->whole;
    tests->test.timed = functions->timed;
    tests->rows = calloc(functions->keys.count + 1u, sizeof *tests->rows);
    if (tests->rows == NULL)
        return -ENOMEM;
    diff_tests_make_rows(tests);
    struct diff_test of_times = tests->test;
    of_times.by_share = false;
    diff_compare(&of_times, &functions->whole, &tests->whole);
    if (runs != NULL)
        diff_runs_compare(runs, functions->keys.count, DIFF_RUNS_SELF, &tests->whole);
    tests->whole.q = 1;
    int error = diff_tests_judge(tests, test->by_share ? least : least * tests->whole.value[DIFF_OLD]);
    for (uint32_t i = 0; i < functions->keys.count; i++)
        tests->significant += diff_row_is_significant(&tests->rows[i]);
    return error;
}

void diff_tests_clear(struct diff_tests *tests)
{
    free(tests->rows);
    *tests = (struct diff_tests){0};
}

/* --- frames ------------------------------------------------------------------------------ */

static double diff_frame_samples(const struct diff_frame *frame)
{
    return (double)(frame->total.of[DIFF_OLD].samples + frame->total.of[DIFF_NEW].samples);
}

/* `part` is the part of the limit for this frame, 0..1. */
static void diff_test_frame(const struct diff_tests *tests, double part, struct diff_frame *frame)
{
    struct pprofil_change change;

    frame->verdict = DIFF_CHANCE;
    if (diff_frame_samples(frame) == 0 || !diff_tests_has_time(&frame->total))
        return;
    for (int side = 0; side < DIFF_SIDES; side++)
        diff_settle(&frame->total.of[side], &tests->functions->spread[side]);
    diff_compare(&tests->test, &frame->total, &change);
    if (change.p <= tests->limit * part) {
        frame->verdict = DIFF_SIGNIFICANT;
    } else if (frame->function != DIFF_NO_FUNCTION) {
        const struct pprofil_change *whole = diff_row_total(tests, &tests->rows[frame->function]);
        if (whole->significant && whole->change * change.change > 0)
            frame->verdict = DIFF_PART;
    }
}

/* All frames of no function form one group. The limit of this group is that of one test for each function that has two:
 * a function's frames need only the limit of one of these tests. */
int diff_test_frames(const struct diff_tests *tests, struct diff_frame *frames, uint32_t count)
{
    uint32_t others = tests->functions->keys.count;
    double *samples = calloc(others + 1u, sizeof *samples); /* by function; the last element: all other frames */

    if (samples == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        samples[frames[i].function < others ? frames[i].function : others] += diff_frame_samples(&frames[i]);
    for (uint32_t i = 0; i < count; i++) {
        bool other = frames[i].function >= others;
        double part = diff_frame_samples(&frames[i]) / samples[other ? others : frames[i].function];
        diff_test_frame(tests, other ? fmin(1, part * tests->second_tests) : part, &frames[i]);
    }
    free(samples);
    return 0;
}
