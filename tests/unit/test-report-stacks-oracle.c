/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "report-stacks-fixture.h"

/* --- against a plain way of counting ------------------------------------------------------- */

#define FUNCTIONS 6u

#define DEEPEST 9u

struct made {
    uint8_t frames[400][DEEPEST];
    uint32_t depths[400], counts[400];
};

static struct profile *make_random(unsigned seed, struct made *made)
{
    struct profile *profile = profile_new();

    srand(seed);
    for (int i = 0; i < 400; i++) {
        char folded[64] = "";
        made->depths[i] = 1 + (unsigned)rand() % DEEPEST;
        made->counts[i] = 1 + (unsigned)rand() % 5;
        for (uint32_t k = 0; k < made->depths[i]; k++) {
            made->frames[i][k] = (uint8_t)((unsigned)rand() % FUNCTIONS);
            sprintf(folded + strlen(folded), "%sf%u", k == 0 ? "" : ";", made->frames[i][k]);
        }
        stacks_add(profile, 0, folded, made->counts[i]);
    }
    return profile;
}

static uint64_t plain_total(const struct made *made, uint8_t function, bool leaf)
{
    uint64_t sum = 0;

    for (int i = 0; i < 400; i++) {
        bool has = false;
        for (uint32_t k = leaf ? made->depths[i] - 1 : 0; k < made->depths[i]; k++)
            has |= made->frames[i][k] == function;
        sum += has ? made->counts[i] : 0;
    }
    return sum;
}

/* Returns the number of samples in which the outermost call of a function was made by this caller. */
static uint64_t plain_caller(const struct made *made, uint8_t function, uint8_t caller)
{
    uint64_t sum = 0;

    for (int i = 0; i < 400; i++)
        for (uint32_t k = 0; k < made->depths[i]; k++)
            if (made->frames[i][k] == function) {
                sum += k > 0 && made->frames[i][k - 1] == caller ? made->counts[i] : 0;
                break;
            }
    return sum;
}

static uint64_t row_below(const struct pprofil_tree *all, const char *name)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->rows[i].depth == 1 && strcmp(all->rows[i].row.name, name) == 0)
            return all->rows[i].row.total_samples;
    return 0;
}

Test(stacks, sums_are_those_of_a_plain_count)
{
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct made made;
        struct profile *profile = make_random(seed, &made);
        struct pprofil_report *report = flat(profile, (struct report_options){0});
        for (uint8_t f = 0; f < FUNCTIONS; f++) {
            char name[8], other[8];
            sprintf(name, "f%u", f);
            cr_assert_eq(find(report, name)->total_samples, plain_total(&made, f, false));
            cr_assert_eq(find(report, name)->samples, plain_total(&made, f, true));
            struct pprofil_tree *callers = tree(
                profile, (struct report_tree_options){.kind = PPROFIL_TREE_CALLERS, .function = name});
            cr_assert_eq(callers->rows[0].row.total_samples, plain_total(&made, f, false));
            cr_assert_eq(callers->rows[0].row.samples, plain_total(&made, f, true));
            for (uint8_t c = 0; c < FUNCTIONS; c++) {
                sprintf(other, "f%u", c);
                cr_assert_eq(row_below(callers, other), plain_caller(&made, f, c));
            }
            pprofil_tree_free(callers);
        }
        pprofil_report_free(report);
        profile_free(profile);
    }
}

/* With any limit and depth, each row comes after its parent and is not larger than its parent. The rows and
 * the rest add up to the whole. */
Test(stacks, rows_and_the_rest_are_the_whole)
{
    struct made made;
    struct profile *profile = make_random(3, &made);

    for (unsigned kind = PPROFIL_TREE_CALLS; kind <= PPROFIL_TREE_CALLEES; kind++)
        for (uint32_t limit = 0; limit < 60; limit += 7)
            for (uint32_t depth = 0; depth < 4; depth++) {
                struct pprofil_tree *all =
                    tree(profile, (struct report_tree_options){.kind = (enum pprofil_tree_kind)kind,
                                                               .function = "f2",
                                                               .depth = depth,
                                                               .least = limit % 2 ? 0.01 : 0,
                                                               .of.limit = limit});
                uint64_t ns = all->totals.rest_ns;
                uint32_t rows = 0;
                bool bottom_up = kind == PPROFIL_TREE_INVERTED || kind == PPROFIL_TREE_CALLERS;
                for (uint32_t i = 0; i < all->count; i++) {
                    const struct pprofil_tree_row *row = &all->rows[i];
                    cr_assert(row->depth == 0 ? row->parent == PPROFIL_TREE_TOP : row->parent < i);
                    if (row->depth > 0) {
                        cr_assert_eq(all->rows[row->parent].depth + 1, row->depth);
                        cr_assert_leq(row->row.total_ns, all->rows[row->parent].row.total_ns);
                    }
                    cr_assert(depth == 0 || row->depth < depth);
                    if (row->cut > 0)
                        continue;
                    rows++;
                    ns += !bottom_up ? row->row.ns : row->depth == 0 ? row->row.total_ns : 0;
                }
                cr_assert_eq(ns, all->totals.root_ns);
                cr_assert(limit == 0 || rows <= limit);
                pprofil_tree_free(all);
            }
    profile_free(profile);
}

/* --- size -------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Makes one stack with this number of levels, and a sample at each level. */
static struct profile *make_deep(uint32_t levels, bool recursion)
{
    struct profile *profile = profile_new();
    uint32_t node = PROFILE_NONE;

    stacks_add(profile, 0, "main", 1);
    for (uint32_t i = 0; i < levels; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", recursion ? 0 : i);
        cr_assert_eq(profile_node(profile, node, stacks_location(profile, name), &node), 0);
        struct profile_sample sample = {.node = node, .count = 1, .cpu_ns = 10};
        cr_assert_eq(profile_count(profile, &sample), 0);
    }
    return profile;
}

Test(stacks, deep_stacks, .timeout = 600)
{
    const uint32_t levels[] = {4096, 200000};

    for (int i = 0; i < 4; i++) {
        struct profile *profile = make_deep(levels[i / 2], i % 2 == 0);
        for (unsigned kind = PPROFIL_TREE_CALLS; kind <= PPROFIL_TREE_CALLEES; kind++) {
            struct report_tree_options options = {.kind = (enum pprofil_tree_kind)kind,
                                                  .function = "f0",
                                                  .of.limit = 100,
                                                  .least = 0.005};
            struct pprofil_tree *all = tree(profile, options);
            cr_assert_gt(all->count, 0);
            pprofil_tree_free(all);
            options.least = 0;
            options.of.limit = 0;
            options.of.fold = true;
            options.depth = 50;
            all = tree(profile, options);
            cr_assert_gt(all->count, 0);
            pprofil_tree_free(all);
        }
        struct pprofil_report *report = flat(profile, (struct report_options){.limit = 10});
        cr_assert_gt(report->count, 0);
        pprofil_report_free(report);
        profile_free(profile);
    }
}

/* A hundred thousand stacks, with samples of each stack in ten threads. Large programs have such profiles. */
Test(stacks, many_stacks, .timeout = 600)
{
    struct profile *profile = profile_new();
    uint32_t locations[2000];

    stacks_add(profile, 0, "main", 1);
    for (uint32_t i = 1; i < 10; i++)
        stacks_thread(profile, 7, "prog", 7 + i, "worker");
    for (uint32_t i = 0; i < 2000; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        locations[i] = stacks_location(profile, name);
    }
    srand(1);
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t node = profile->samples[0].node;
        for (uint32_t k = 0; k < 25; k++) { /* the outer frames of stacks are mostly the same */
            uint32_t ways = k < 4 ? 2 : k < 12 ? 3 : 20;
            uint32_t at = (k * 80 + (uint32_t)rand() % ways) % 2000;
            cr_assert_eq(profile_node(profile, node, locations[at], &node), 0);
        }
        for (uint32_t thread = 0; thread < 10; thread++) {
            struct profile_sample sample = {
                .thread = thread, .node = node, .count = 1, .cpu_ns = 1000000};
            cr_assert_eq(profile_count(profile, &sample), 0);
        }
    }
    for (unsigned kind = PPROFIL_TREE_CALLS; kind <= PPROFIL_TREE_CALLEES; kind++) {
        double begin = seconds();
        struct pprofil_tree *all =
            tree(profile, (struct report_tree_options){.kind = (enum pprofil_tree_kind)kind,
                                                       .function = "f1601",
                                                       .of.limit = 100,
                                                       .least = 0.005});
        printf("# kind %u: %u rows of %u, %.3f s\n", kind, all->count, all->totals.all, seconds() - begin);
        pprofil_tree_free(all);
    }
    double begin = seconds();
    struct pprofil_report *report = flat(profile, (struct report_options){.limit = 30});
    printf("# flat: %u rows, %.3f s\n", report->total, seconds() - begin);
    cr_assert_eq(report->rows[0].total_samples <= 1000001, 1);
    pprofil_report_free(report);
    profile_free(profile);
}
