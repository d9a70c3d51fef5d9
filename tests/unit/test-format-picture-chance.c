/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests of chance in the colours of flame graphs. Random profiles of a made-up program are drawn with fixed seeds. If
 * the program has not changed, at most 5 % of the pictures may have a coloured frame. A real change must be coloured.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "format-picture-fixture.h"

/* --- a program ----------------------------------------------------------------------------- */

#define CALLERS 5
#define CALLEES 10
#define HELPERS 4
#define WALKS 12 /* levels of a recursion */
#define STACKS (CALLERS * CALLEES * (HELPERS + 1) + WALKS)

/* The stacks of a program, and the probability of each. main calls the callers; each caller calls all callees, and
 * these call all helpers. Every third callee has an inlined function. main also calls walk, which calls itself. */
struct program {
    double share[STACKS];
};

static double draw(uint64_t *seed)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = *seed;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ x >> 31) >> 11) / 9007199254740992.0;
}

/* Index of the stack main, caller, callee, helper. The helper HELPERS is none. */
static int stack_index(int caller, int callee, int helper)
{
    return (caller * CALLEES + callee) * (HELPERS + 1) + helper;
}

/* Makes the program. The function "callee2" is slower by `change`, relative to its time, and "callee1" is faster by the
 * same time. Both take equal times otherwise. So all other shares stay. */
static void make_program(struct program *program, double change)
{
    double sum = 0;

    for (int caller = 0; caller < CALLERS; caller++)
        for (int callee = 0; callee < CALLEES; callee++)
            for (int helper = 0; helper <= HELPERS; helper++) {
                double share = 1.0 / ((caller + 1) * (callee <= 2 ? 2 : callee) * (helper + 1));
                share *= callee == 2 ? 1 + change : callee == 1 ? 1 - change : 1;
                program->share[stack_index(caller, callee, helper)] = share;
            }
    for (int i = 0; i < WALKS; i++)
        program->share[STACKS - WALKS + i] = 0.2;
    for (int i = 0; i < STACKS; i++)
        sum += program->share[i];
    for (int i = 0; i < STACKS; i++)
        program->share[i] /= sum;
}

static uint32_t place_of(struct profile *profile, const char *kind, int number)
{
    char name[32];

    if (strcmp(kind, "callee") == 0 && number % 3 == 0)
        snprintf(name, sizeof name, "inlined%d callee%d", number, number);
    else
        snprintf(name, sizeof name, "%s%d", kind, number);
    return place(profile, "/bin/p", name);
}

/* Adds a node to the profile for each stack of the program. */
static void add_stacks(struct profile *profile, uint32_t nodes[STACKS])
{
    uint32_t root = STACK(profile, place(profile, "/bin/p", "main")), caller, callee;

    for (int i = 0; i < CALLERS; i++) {
        cr_assert_eq(profile_node(profile, root, place_of(profile, "caller", i), &caller), 0);
        for (int j = 0; j < CALLEES; j++) {
            cr_assert_eq(profile_node(profile, caller, place_of(profile, "callee", j), &callee), 0);
            for (int k = 0; k < HELPERS; k++)
                cr_assert_eq(
                    profile_node(profile, callee, place_of(profile, "helper", k), &nodes[stack_index(i, j, k)]), 0);
            nodes[stack_index(i, j, HELPERS)] = callee;
        }
    }
    for (int i = 0; i < WALKS; i++) {
        cr_assert_eq(profile_node(profile, root, place(profile, "/bin/p", "walk"), &root), 0);
        nodes[STACKS - WALKS + i] = root;
    }
}

/* A sample that was drawn. */
struct drawn {
    int stack;
    bool thread; /* which of two threads */
    double weight;
};

/* Draws a sample. If `uneven` is false, each sample has a weight of 1. Otherwise the weights are 0.5 to 1.5, and those
 * of some samples of every third stack are ten times as large. */
static struct drawn draw_sample(const struct program *program, bool uneven, uint64_t *seed)
{
    struct drawn drawn = {.thread = draw(seed) < 0.5, .weight = uneven ? 0.5 + draw(seed) : 1};
    double at = draw(seed);

    while (drawn.stack < STACKS - 1 && at >= program->share[drawn.stack])
        at -= program->share[drawn.stack++];
    if (uneven && drawn.stack % 3 == 2 && draw(seed) < 0.1)
        drawn.weight *= 10;
    return drawn;
}

struct pair {
    struct profile *profiles[DIFF_SIDES];
    uint32_t nodes[DIFF_SIDES][STACKS], threads[DIFF_SIDES][2];
};

static void pair_begin(struct pair *pair)
{
    for (int side = 0; side < DIFF_SIDES; side++) {
        struct profile *profile = pair->profiles[side] = profile_new();
        pair->threads[side][0] = process_of(profile, 7, "p");
        pair->threads[side][1] = process_of(profile, 8, "p");
        add_stacks(profile, pair->nodes[side]);
    }
}

static void pair_count(struct pair *pair, int side, const struct drawn *drawn)
{
    struct profile_sample sample = {.thread = pair->threads[side][drawn->thread],
                                    .node = pair->nodes[side][drawn->stack],
                                    .count = 1,
                                    .cpu_ns = (uint64_t)(1e6 * drawn->weight)};
    cr_assert_eq(profile_count(pair->profiles[side], &sample), 0);
}

static void pair_end(struct pair *pair)
{
    profile_free(pair->profiles[DIFF_OLD]);
    profile_free(pair->profiles[DIFF_NEW]);
}

/* --- nothing has changed --------------------------------------------------------------------- */

/* What many pairs of profiles showed. */
struct outcome {
    unsigned diffs;    /* in how many pairs diff says that something has changed */
    unsigned pictures; /* in how many pairs a frame is coloured */
};

static void compare_pair(struct pair *pair, struct outcome *outcome)
{
    struct picture_tree tree;
    struct pprofil_diff *diff = diff_of(pair->profiles[DIFF_OLD], pair->profiles[DIFF_NEW]);

    tree_of(pair->profiles[DIFF_OLD], pair->profiles[DIFF_NEW], &tree);
    expect_same_verdicts(diff, &tree);
    outcome->diffs += diff->totals.significant > 0;
    outcome->pictures += count_coloured(&tree) > 0;
    picture_tree_clear(&tree);
    pprofil_diff_free(diff);
}

/* Draws the samples of one run. Then divides them at random between two profiles, `pairs` times. */
static struct outcome divide(unsigned pairs, int samples, bool uneven)
{
    struct drawn *drawn = calloc((size_t)samples, sizeof *drawn);
    struct outcome outcome = {0};
    struct program program;
    struct pair pair;
    uint64_t seed = 1;

    make_program(&program, 0);
    for (int i = 0; i < samples; i++)
        drawn[i] = draw_sample(&program, uneven, &seed);
    for (unsigned n = 0; n < pairs; n++) {
        pair_begin(&pair);
        for (int i = 0; i < samples; i++)
            pair_count(&pair, draw(&seed) < 0.5 ? DIFF_OLD : DIFF_NEW, &drawn[i]);
        compare_pair(&pair, &outcome);
        pair_end(&pair);
    }
    free(drawn);
    return outcome;
}

/* In diffs, at most 5 % of pairs may show a change, as statistics_adjust says. In pictures, frames may add 0.5 %
 * (DIFF_LEVEL_OF_FRAMES). */
Test(changes, halves_of_one_run_do_not_differ, .timeout = 600)
{
    static const int sizes[] = {200, 2000, 10000};

    for (int i = 0; i < 3; i++)
        for (int uneven = 0; uneven < 2; uneven++) {
            struct outcome outcome = divide(1000, sizes[i], uneven);
            cr_log_info("%d samples%s: diff %u of 1000, picture %u", sizes[i], uneven ? ", uneven" : "", outcome.diffs,
                        outcome.pictures);
            cr_assert_leq(outcome.diffs, 50, "%d samples: %u of 1000", sizes[i], outcome.diffs);
            cr_assert_leq(outcome.pictures, 55, "%d samples: %u of 1000", sizes[i], outcome.pictures);
        }
}

/* --- something has changed ------------------------------------------------------------------- */

/* Returns true if a frame is one of callee1 or callee2, or is below one. */
static bool is_changed(const struct picture_tree *tree, uint32_t frame)
{
    for (; frame != 0; frame = tree->frames[frame].parent)
        if (strcmp(name_of(tree, frame), "callee1") == 0 || strcmp(name_of(tree, frame), "callee2") == 0)
            return true;
    return false;
}

/* What many pairs of profiles of a changed program showed. */
struct findings {
    unsigned tests;    /* significant tests of diff, of all pairs together */
    unsigned wrong;    /* frames that have not changed, but whose verdict is DIFF_SIGNIFICANT; of all pairs together */
    unsigned coloured; /* in how many pairs callee2 is coloured */
    unsigned diffs;    /* in how many pairs diff says that callee2 has changed */
};

static void add_findings(const struct pprofil_diff *diff, const struct picture_tree *tree, struct findings *findings)
{
    unsigned frames;

    for (uint32_t i = 0; i < diff->totals.rows; i++) {
        findings->tests += diff->rows[i].self.significant + diff->rows[i].total.significant;
        findings->diffs += strcmp(diff->rows[i].name, "callee2") == 0 && diff->rows[i].total.significant;
    }
    for (uint32_t i = 1; i < tree->frame_count; i++)
        findings->wrong += tree->frames[i].verdict == DIFF_SIGNIFICANT && !is_changed(tree, i);
    findings->coloured += count_frames(tree, "callee2", true, &frames) > 0;
}

/* Draws pairs of profiles of the program before and after callee2 became slower by a fifth. */
static struct findings change_a_fifth(unsigned pairs, int samples)
{
    struct findings findings = {0};
    struct outcome outcome = {0};
    struct program programs[DIFF_SIDES];
    struct picture_tree tree;
    struct pair pair;
    uint64_t seed = 1;

    make_program(&programs[DIFF_OLD], 0);
    make_program(&programs[DIFF_NEW], 0.2);
    for (unsigned n = 0; n < pairs; n++) {
        pair_begin(&pair);
        for (int i = 0; i < samples * DIFF_SIDES; i++) {
            struct drawn drawn = draw_sample(&programs[i % DIFF_SIDES], false, &seed);
            pair_count(&pair, i % DIFF_SIDES, &drawn);
        }
        compare_pair(&pair, &outcome);
        struct pprofil_diff *diff = diff_of(pair.profiles[DIFF_OLD], pair.profiles[DIFF_NEW]);
        tree_of(pair.profiles[DIFF_OLD], pair.profiles[DIFF_NEW], &tree);
        add_findings(diff, &tree, &findings);
        picture_tree_clear(&tree);
        pprofil_diff_free(diff);
        pair_end(&pair);
    }
    return findings;
}

/* The share of callee2 is 15.2 %, and becomes 18.2 %. With 20000 samples in each profile, this is 8.1 times the
 * standard deviation of the difference; with 1000 samples it is 1.8 times. Among 36 tests, 3.2 times are significant.
 * The limit for frames is such that on average not more of them are significant by chance than 5 % of the number of
 * significant tests of functions. */
Test(changes, what_is_slower_is_coloured, .timeout = 600)
{
    struct findings findings = change_a_fifth(100, 20000);

    cr_log_info("of 100: diff %u, picture %u; %u tests are significant, and %u unchanged frames", findings.diffs,
                findings.coloured, findings.tests, findings.wrong);
    cr_assert_eq(findings.diffs, 100);
    cr_assert_eq(findings.coloured, 100);
    cr_assert_leq(findings.wrong, findings.tests / 20);
    findings = change_a_fifth(100, 1000);
    cr_log_info("with 1000 samples: diff %u, picture %u", findings.diffs, findings.coloured);
    cr_assert_leq(findings.coloured, 50, "1000 samples cannot tell");
}
