/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests of diffs. The formulas must give the numbers of textbooks. Random profiles are made from known distributions,
 * with fixed seeds. If a distribution has not changed, at most 5 % of the diffs may show a significant change. A real
 * change must be found.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report-diff-fixture.h"
#include "report/statistics.h"

/* --- the formulas ------------------------------------------------------------------------ */

Test(diff, intervals_are_those_of_the_textbooks)
{
    /* Newcombe 1998 (Statistics in Medicine 17: 873), method 10: 56/70 - 48/80, and 9/10 - 3/10 */
    struct estimate a = statistics_share(48. / 80, 80), b = statistics_share(56. / 70, 70);
    struct estimate difference = statistics_difference(&a, &b);

    cr_assert_float_eq(difference.low, 0.0524, 5e-5);
    cr_assert_float_eq(difference.high, 0.3339, 5e-5);
    a = statistics_share(.3, 10);
    b = statistics_share(.9, 10);
    difference = statistics_difference(&a, &b);
    cr_assert_float_eq(difference.low, 0.1705, 5e-5);
    cr_assert_float_eq(difference.high, 0.8090, 5e-5);
    a = statistics_sum(10, 1); /* the roots of (10 - x)^2 = 1.96^2 x */
    cr_assert_float_eq(a.low, 5.431986, 1e-6);
    cr_assert_float_eq(a.high, 18.409473, 1e-6);
    cr_assert_float_eq(statistics_p(1.959964, 1, 0), 0.05, 1e-6);
    cr_assert_eq(statistics_p(0.4, 1, 0.5), 1, "half a sample is no difference");
}

Test(diff, false_discoveries_as_benjamini_and_hochberg_have_them)
{
    /* the 15 values of Benjamini and Hochberg (1995, section 3.1); four are discoveries at 0.05 */
    double values[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                       0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    int discoveries = 0;

    cr_assert_eq(statistics_adjust(values, 15), 0);
    for (int i = 0; i < 15; i++)
        discoveries += values[i] <= 0.05;
    cr_assert_eq(discoveries, 4);
    cr_assert_float_eq(values[0], 0.0015, 1e-9);
    cr_assert_float_eq(values[3], 0.035625, 1e-9);
    cr_assert_float_eq(values[14], 1, 1e-9);
}

/* If all samples have the same weight, this is the two-proportion test with Yates' correction. By hand:
 * z = (0.2 - 0.01) / sqrt(0.4 * 0.6 * (1/100 + 1/100)) = 2.7424 */
Test(diff, equal_weights_make_the_textbook_test)
{
    struct profile *old = make_profile(), *new = make_profile();

    count_in(old, "/bin/a", "f", 30, 30000);
    count_in(old, "/bin/a", "g", 70, 70000);
    count_in(new, "/bin/a", "f", 50, 50000);
    count_in(new, "/bin/a", "g", 50, 50000);
    struct pprofil_diff *diff = compare_by(old, new, PPROFIL_DIFF_SHARE);
    const struct pprofil_diff_row *f = find(diff, "f");
    cr_assert_float_eq(f->self.p, 0.0060989, 1e-6);
    cr_assert_float_eq(f->self.q, 0.0060989, 1e-6, "the same as g's");
    cr_assert(f->self.significant);
    cr_assert_float_eq(f->self.change, 0.2, 1e-12);
    cr_assert(f->self.low > 0 && f->self.low < 0.2 && f->self.high > 0.2);
    cr_assert_eq(diff->totals.significant, 2);
    end(diff, old, new);
}

/* The new profile was sampled at a tenth of the old rate, so each of its samples has ten times the weight. */
Test(diff, rates_need_not_be_equal)
{
    struct profile *old = make_profile(), *new = make_profile();

    count_in(old, "/bin/a", "f", 30, 30000);
    count_in(old, "/bin/a", "g", 70, 70000);
    count_in(new, "/bin/a", "f", 50, 500000);
    count_in(new, "/bin/a", "g", 50, 500000);
    struct pprofil_diff *diff = compare_by(old, new, PPROFIL_DIFF_SHARE);
    cr_assert_float_eq(find(diff, "f")->self.p, 0.0060989, 1e-6);
    end(diff, old, new);
}

/* One sample with the weight of fifty samples is still one event. */
Test(diff, a_late_sample_is_one)
{
    struct profile *old = make_profile(), *new = make_profile();

    count_in(old, "/bin/a", "g", 950, 950000);
    count_in(new, "/bin/a", "g", 950, 950000);
    count_in(new, "/bin/a", "late", 1, 50000);
    struct pprofil_diff *diff = compare_by(old, new, PPROFIL_DIFF_SHARE);
    cr_assert_gt(find(diff, "late")->self.p, 0.2);
    end(diff, old, new);
    old = make_profile();
    new = make_profile();
    count_in(old, "/bin/a", "g", 950, 950000);
    count_in(new, "/bin/a", "g", 950, 950000);
    count_in(new, "/bin/a", "often", 50, 50000);
    diff = compare_by(old, new, PPROFIL_DIFF_SHARE);
    cr_assert_lt(find(diff, "often")->self.p, 1e-6);
    end(diff, old, new);
}

/* --- rows ------------------------------------------------------------------------------- */

Test(diff, what_appeared_and_what_is_gone)
{
    struct profile *old = make_profile(), *new = make_profile();

    count_in(old, "/bin/a", "stays", 500, 500);
    count_in(old, "/bin/a", "goes", 500, 500);
    count_in(new, "/bin/a", "stays", 500, 500);
    count_in(new, "/bin/a", "comes", 500, 500);
    struct pprofil_diff *diff = compare_by(old, new, PPROFIL_DIFF_SHARE);
    cr_assert_eq(diff->totals.rows, 3);
    cr_assert_eq(diff->totals.significant, 2);
    const struct pprofil_diff_row *goes = find(diff, "goes"), *comes = find(diff, "comes");
    cr_assert_str_eq(goes->object[DIFF_OLD], "a");
    cr_assert_str_eq(goes->object[DIFF_NEW], "");
    cr_assert_float_eq(goes->self.change, -0.5, 1e-12);
    cr_assert_str_eq(comes->object[DIFF_OLD], "");
    cr_assert(comes->self.significant);
    cr_assert_eq(find(diff, "stays")->self.p, 1);
    cr_assert(isfinite(goes->self.low) && goes->self.low < -0.4 && goes->self.high < 0);
    end(diff, old, new);
}

Test(diff, a_program_that_was_renamed)
{
    struct profile *old = make_profile(), *new = make_profile();

    count_in(old, "/build/prog-old", "f", 500, 500);
    count_in(new, "/build/prog-new", "f", 500, 500);
    count_in(old, "/lib/a.so", "init", 50, 50); /* could match b.so or c.so, so it matches neither */
    count_in(new, "/lib/b.so", "init", 50, 50);
    count_in(new, "/lib/c.so", "init", 50, 50);
    struct pprofil_diff *diff = compare_by(old, new, PPROFIL_DIFF_SHARE);
    cr_assert_eq(diff->totals.rows, 4);
    const struct pprofil_diff_row *f = find(diff, "f");
    cr_assert_str_eq(f->object[DIFF_OLD], "prog-old");
    cr_assert_str_eq(f->object[DIFF_NEW], "prog-new");
    cr_assert_eq(f->self.samples[DIFF_OLD], 500);
    cr_assert_eq(f->self.samples[DIFF_NEW], 500);
    end(diff, old, new);
}

/* The new profile has a function "start" of the loader, too. The function "f" shows that the program was renamed. */
Test(diff, other_functions_of_a_renamed_program)
{
    struct profile *old = make_profile(), *new = make_profile();

    count_in(old, "/build/prog-old", "start", 500, 500);
    count_in(new, "/build/prog-new", "start", 499, 499);
    count_in(new, "/lib/ld.so", "start", 1, 1);
    count_in(old, "/build/prog-old", "f", 500, 500);
    count_in(new, "/build/prog-new", "f", 500, 500);
    struct pprofil_diff *diff = compare_by(old, new, PPROFIL_DIFF_SHARE);
    cr_assert_eq(diff->totals.rows, 3);
    cr_assert_eq(diff->totals.significant, 0);
    end(diff, old, new);
}

/* The functions of one object are in two now, so the object does not have a new name. */
Test(diff, an_object_that_was_divided_was_not_renamed)
{
    struct profile *old = make_profile(), *new = make_profile();

    count_in(old, "/lib/all.so", "f", 100, 100);
    count_in(new, "/lib/a.so", "f", 100, 100);
    count_in(old, "/lib/all.so", "g", 100, 100);
    count_in(new, "/lib/b.so", "g", 100, 100);
    count_in(old, "/lib/all.so", "init", 50, 50);
    count_in(new, "/lib/a.so", "init", 25, 25);
    count_in(new, "/lib/b.so", "init", 25, 25);
    struct pprofil_diff *diff = compare_by(old, new, PPROFIL_DIFF_SHARE);
    cr_assert_eq(diff->totals.rows, 5);
    end(diff, old, new);
}

Test(diff, totals_count_a_sample_once)
{
    struct profile *old = make_profile(), *new = make_profile();

    for (int side = 0; side < 2; side++) {
        struct profile *profile = side == 0 ? old : new;
        uint32_t main_node = below(profile, 0, place(profile, "/bin/a", "main"));
        uint32_t again = below(profile, main_node, place(profile, "/bin/a", "main"));
        uint32_t leaf = below(profile, again, place(profile, "/bin/a", "leaf"));
        count(profile, leaf, 100, 100000);
        count(profile, main_node, side == 0 ? 100 : 300, side == 0 ? 100000 : 300000);
    }
    struct pprofil_diff *diff = compare_by(old, new, PPROFIL_DIFF_SHARE);
    cr_assert(diff->totals.stacks);
    const struct pprofil_diff_row *row = find(diff, "main");
    cr_assert_eq(row->total.samples[DIFF_OLD], 200, "recursion is no more than one");
    cr_assert_eq(row->total.samples[DIFF_NEW], 400);
    cr_assert_float_eq(row->total.share[DIFF_NEW], 1, 1e-12);
    cr_assert_not(row->total.significant);
    cr_assert_eq(row->self.samples[DIFF_NEW], 300);
    cr_assert(row->self.significant);
    end(diff, old, new);
}

Test(diff, seconds_tell_what_shares_do_not)
{
    struct profile *old = make_profile(), *new = make_profile();

    count_in(old, "/bin/a", "f", 1000, 1000000000);
    count_in(new, "/bin/a", "f", 2000, 2000000000);
    struct pprofil_diff *diff = compare_by(old, new, PPROFIL_DIFF_SHARE);
    cr_assert_eq(diff->totals.significant, 0);
    cr_assert_float_eq(diff->totals.whole.value[DIFF_NEW], 2, 1e-9);
    cr_assert_not(diff->totals.whole.significant, "the whole is no share");
    pprofil_diff_free(diff);
    diff = compare_by(old, new, PPROFIL_DIFF_TIME);
    cr_assert_eq(diff->totals.significant, 1);
    cr_assert(diff->totals.whole.significant);
    cr_assert_float_eq(diff->rows[0].self.change, 1, 1e-9);
    /* half the width of the interval is nearly 1.96 sqrt(1000 + 2000) ms */
    cr_assert_float_eq(diff->rows[0].self.high - diff->rows[0].self.low, 0.2147, 1e-3);
    pprofil_diff_free(diff);
    old->totals.elapsed_ns = 1000000000;
    struct diff_options options = {.by = PPROFIL_DIFF_TIME_A_SECOND};
    cr_assert_eq(diff_new((struct profile *[]){old, new}, NULL, &options, &diff), PPROFIL_ERROR_NO_DURATION);
    new->totals.elapsed_ns = 2000000000;
    diff = compare_by(old, new, PPROFIL_DIFF_TIME_A_SECOND);
    cr_assert_eq(diff->totals.significant, 0, "twice as long, as much in each second");
    cr_assert_float_eq(diff->rows[0].self.value[DIFF_NEW], 1, 1e-9);
    end(diff, old, new);
}

Test(diff, a_least_change_and_a_limit)
{
    struct profile *old = make_profile(), *new = make_profile(), *profiles[] = {old, new};
    struct diff_options options = {.least = 0.05, .limit = 1};
    struct pprofil_diff *diff;

    count_in(old, "/bin/a", "f", 100000, 100000);
    count_in(old, "/bin/a", "g", 100000, 100000);
    count_in(new, "/bin/a", "f", 108000, 108000);
    count_in(new, "/bin/a", "g", 92000, 92000);
    cr_assert_eq(diff_new(profiles, NULL, &options, &diff), 0);
    cr_assert_eq(diff->totals.significant, 0, "four points are less than five");
    cr_assert_eq(diff->count, 1);
    cr_assert_eq(diff->totals.rows, 2);
    pprofil_diff_free(diff);
    options.least = 0.03;
    cr_assert_eq(diff_new(profiles, NULL, &options, &diff), 0);
    cr_assert_eq(diff->totals.significant, 2);
    end(diff, old, new);
}

Test(diff, nothing_is_compared_with_nothing)
{
    struct profile *empty = make_profile(), *full = make_profile(), *other = make_profile();

    struct pprofil_diff *diff = compare_by(empty, empty, PPROFIL_DIFF_SHARE);
    cr_assert_eq(diff->totals.rows, 0);
    pprofil_diff_free(diff);
    count_in(full, "/bin/a", "f", 100, 100000);
    for (unsigned by = PPROFIL_DIFF_SHARE; by <= PPROFIL_DIFF_TIME; by++) {
        diff = compare_by(empty, full, (enum pprofil_diff_by)by);
        cr_assert_eq(diff->totals.rows, 1);
        cr_assert_eq(diff->totals.significant, 0);
        cr_assert_eq(diff->rows[0].self.p, 1);
        pprofil_diff_free(diff);
    }
    count_in(other, "/bin/a", "f", 1, 5);
    other->totals.wall = true;
    struct diff_options options = {0};
    cr_assert_eq(diff_new((struct profile *[]){full, other}, NULL, &options, &diff), PPROFIL_ERROR_MIXED_TIMES);
    profile_free(empty);
    profile_free(full);
    profile_free(other);
}

/* --- known distributions ------------------------------------------------------------------ */

#define FUNCTIONS 60
#define PLACES 8 /* code addresses of each function */

static double draw(uint64_t *seed)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = *seed;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ x >> 31) >> 11) / 9007199254740992.0;
}

/* Returns the share of a function. The first four functions have 20, 30, 15 and 10 %, and the others 25 % together.
 * `change` is the relative change of the first share. The other shares are scaled, so that the sum stays 1. */
static double share_of(int function, double change)
{
    static const double first[] = {0.2, 0.3, 0.15, 0.1};

    if (function == 0)
        return first[0] * (1 + change);
    double rest = (1 - first[0] * (1 + change)) / (1 - first[0]);
    return rest * (function < 4 ? first[function] : 0.25 / (FUNCTIONS - 4));
}

/* If `uneven` is false, each sample has a weight of 1 ms. Otherwise the weights are 0.5 to 1.5 ms, and those of some
 * samples of every third function are ten times as large. */
static struct profile *draw_profile(uint64_t *seed, int samples, double change, bool uneven)
{
    struct profile *profile = make_profile();
    uint32_t nodes[FUNCTIONS][PLACES];
    char name[16];

    for (int i = 0; i < FUNCTIONS; i++) {
        snprintf(name, sizeof name, "f%d", i);
        for (uint32_t at = 0; at < PLACES; at++)
            nodes[i][at] = below(profile, 0, place_at(profile, "/bin/a", name, at));
    }
    for (int n = 0; n < samples; n++) {
        double at = draw(seed), weight = uneven ? 0.5 + draw(seed) : 1;
        int function = 0;
        while (function < FUNCTIONS - 1 && at >= share_of(function, change))
            at -= share_of(function++, change);
        if (uneven && function % 3 == 2 && draw(seed) < 0.1)
            weight *= 10;
        count(profile, nodes[function][(int)(draw(seed) * PLACES)], 1, (uint64_t)(1e6 * weight));
    }
    return profile;
}

struct outcome {
    int any, first;
};

/* Compares pairs of profiles. Returns in how many pairs at least one row is significant (`any`), and in how many pairs
 * the first function is significant (`first`). */
static struct outcome try(int pairs, int samples, double change, bool uneven, enum pprofil_diff_by by)
{
    struct outcome outcome = {0, 0};
    uint64_t seed = 1;

    for (int i = 0; i < pairs; i++) {
        struct profile *old = draw_profile(&seed, samples, 0, uneven);
        struct profile *new = draw_profile(&seed, samples, change, uneven);
        struct pprofil_diff *diff = compare_by(old, new, by);
        outcome.any += diff->totals.significant > 0 || diff->totals.whole.significant;
        outcome.first += find(diff, "f0")->self.significant;
        end(diff, old, new);
    }
    return outcome;
}

/* At most 50 of 1000 pairs of profiles with the same distribution may show a significant change. */
Test(diff, chance_is_not_significant, .timeout = 300)
{
    static const int sizes[] = {50, 300, 2000};

    for (int i = 0; i < 3; i++)
        for (int uneven = 0; uneven < 2; uneven++) {
            int any = try(1000, sizes[i], 0, uneven, PPROFIL_DIFF_SHARE).any;
            cr_log_info("%d samples%s: %d of 1000", sizes[i], uneven ? ", uneven" : "", any);
            cr_assert_leq(any, 50, "%d samples: %d of 1000", sizes[i], any);
        }
    cr_assert_leq(try(1000, 300, 0, true, PPROFIL_DIFF_TIME).any, 50);
}

/* A change that is said to be found in 4 of 5 cases is found so often: in 240 of 300 pairs, and 30 more or less is more
 * than 4 standard deviations. */
Test(diff, a_detectable_change_is_found_in_four_of_five_cases, .timeout = 300)
{
    static const int sizes[] = {1000, 10000};

    for (int i = 0; i < 2; i++) {
        uint64_t seed = 7;
        struct profile *old = draw_profile(&seed, sizes[i], 0, false), *new = draw_profile(&seed, sizes[i], 0, false);
        struct pprofil_diff *diff = compare_by(old, new, PPROFIL_DIFF_SHARE);
        const struct pprofil_change *first = &find(diff, "f0")->self;
        double least = statistics_detectable(0.2, true, (first->high - first->low) / 2, 0.05 / FUNCTIONS);
        cr_assert_str_eq(diff->totals.largest, "f1");
        cr_assert_float_eq(diff->totals.largest_value, find(diff, "f1")->self.share[0], 1e-12);
        cr_assert_gt(diff->totals.detectable, least, "f1 is larger than f0");
        cr_assert_lt(diff->totals.detectable, 1.3 * least);
        end(diff, old, new);
        int found = try(300, sizes[i], least / share_of(0, 0), false, PPROFIL_DIFF_SHARE).first;
        cr_log_info("%d samples, %.4f: %d of 300", sizes[i], least, found);
        cr_assert(found >= 210 && found <= 270, "%d samples: %d of 300", sizes[i], found);
    }
}

/* A share of 20 % becomes 22 %. With 40000 samples in each profile, this change is 6.9 standard deviations of the
 * difference; with 2000 samples, it is 1.5. Among 60 rows, 3.3 deviations are significant. */
Test(diff, a_change_of_a_tenth_is_found, .timeout = 300)
{
    struct outcome outcome = try(100, 40000, 0.1, false, PPROFIL_DIFF_SHARE);
    cr_assert_geq(outcome.first, 99);
    outcome = try(100, 2000, 0.1, false, PPROFIL_DIFF_SHARE);
    cr_assert_leq(outcome.first, 50, "2000 samples cannot tell");
}

/* Functions with a few samples cannot have changed significantly. So they do not make it harder to find others. */
Test(diff, functions_with_few_samples_are_not_tested)
{
    struct profile *profiles[] = {make_profile(), make_profile()};
    struct diff_options options = {0};
    struct pprofil_diff *diff;
    char name[16];

    for (unsigned i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "rare%u", i);
        count_in(profiles[i % 2], "/bin/a", name, 1 + i % 3, 1000000 * (1 + i % 3));
    }
    count_in(profiles[0], "/bin/a", "often", 10000, UINT64_C(10000000000));
    count_in(profiles[1], "/bin/a", "often", 10000, UINT64_C(10000000000));
    count_in(profiles[0], "/bin/a", "changed", 1000, 1000000000);
    count_in(profiles[1], "/bin/a", "changed", 1120, 1120000000);
    cr_assert_eq(diff_new(profiles, NULL, &options, &diff), 0);
    /* two tests; with 502, q would be above 0.5 */
    cr_expect_float_eq(find(diff, "changed")->self.q, find(diff, "changed")->self.p, find(diff, "changed")->self.p);
    cr_expect(find(diff, "changed")->self.significant);
    cr_expect_eq(find(diff, "rare2")->self.q, 1);
    cr_expect_eq(diff->totals.rows, 502);
    pprofil_diff_free(diff);
    profile_free(profiles[0]);
    profile_free(profiles[1]);
}
