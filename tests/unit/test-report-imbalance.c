/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of report/imbalance: how unevenly ranks spend their time. A sample of the fixture has 10 ns. */
#include "config.h"

#include "report-stacks-fixture.h"
#include "report/imbalance.h"

/* Adds samples of a rank: a process of its own. */
static void add_samples(struct profile *profile, const char *rank, const char *stack, uint32_t count)
{
    stacks_add(profile, add_rank(profile, rank), stack, count);
}

static const struct pprofil_imbalance_row *find_row(const struct pprofil_imbalance *imbalance, const char *name)
{
    for (uint32_t i = 0; i < imbalance->count; i++)
        if (strcmp(imbalance->rows[i].name, name) == 0)
            return &imbalance->rows[i];
    cr_assert_fail("no row '%s'", name);
    return NULL;
}

static void end(struct profile *profile, struct pprofil_imbalance *imbalance)
{
    if (imbalance != NULL)
        free(imbalance->rows);
    free(imbalance);
    profile_free(profile);
}

static struct pprofil_imbalance *compare_ranks(const struct profile *profile)
{
    struct pprofil_imbalance *imbalance;

    cr_assert_eq(report_imbalance(profile, NULL, &imbalance), 0);
    return imbalance;
}

static bool first_is_chance(const struct profile *profile)
{
    struct pprofil_imbalance *imbalance = compare_ranks(profile);
    bool by_chance = imbalance->rows[0].by_chance;

    free(imbalance->rows);
    free(imbalance);
    return by_chance;
}

Test(imbalance, least_median_and_most)
{
    struct profile *profile = profile_new();

    add_samples(profile, "0", "main;solve", 100);
    add_samples(profile, "1", "main;solve", 400);
    add_samples(profile, "10", "main;solve", 160);
    add_samples(profile, "2", "main;solve", 140);
    add_samples(profile, "2", "main", 8);
    struct pprofil_imbalance *imbalance = compare_ranks(profile);
    const struct pprofil_imbalance_row *row = &imbalance->rows[0];
    cr_assert_str_eq(row->name, "solve");
    cr_assert_eq(imbalance->ranks, 4);
    cr_assert_eq(row->min_ns, 1000);
    cr_assert_eq(row->median_ns, 1500);
    cr_assert_eq(row->max_ns, 4000);
    cr_assert_str_eq(row->min_rank, "0");
    cr_assert_str_eq(row->max_rank, "1");
    cr_assert_float_eq(row->imbalance, 1, 1e-9);
    cr_assert_float_eq(row->share, 800.0 / 808, 1e-9);
    cr_assert_not(row->by_chance);
    cr_assert_eq(imbalance->all.ns, 8080);
    cr_assert_eq(imbalance->mpi.ns, 0);
    end(profile, imbalance);
}

Test(imbalance, small_differences_are_chance)
{
    struct profile *profile = profile_new();

    add_samples(profile, "0", "main", 100);
    add_samples(profile, "1", "main", 110);
    add_samples(profile, "2", "main", 92);
    cr_assert(first_is_chance(profile));
    add_samples(profile, "0", "main", 100);
    cr_assert_not(first_is_chance(profile));
    profile_free(profile);
}

/* Adds samples of a function, which represent 10 ns each if they are not late. */
static void add_weights(struct profile *profile, uint32_t thread, uint64_t count, uint64_t cpu_ns)
{
    const struct profile_sample sample = {
        .thread = thread, .node = stacks_node(profile, "main"), .count = count, .cpu_ns = cpu_ns};

    cr_assert_eq(profile_count(profile, &sample), 0);
}

/* Both ranks have the same times in both profiles. In the second profile, one sample in each rank was late. */
Test(imbalance, late_samples_make_chance_more_likely)
{
    for (int late = 0; late < 2; late++) {
        struct profile *profile = profile_new();
        for (int i = 0; i < 4; i++) {
            add_weights(profile, add_rank(profile, "0"), i == 0 && late ? 1 : 25, 250);
            add_weights(profile, add_rank(profile, "1"), i == 0 && late ? 1 : 36, 360);
        }
        cr_expect_eq(first_is_chance(profile), late == 1);
        profile_free(profile);
    }
}

Test(imbalance, waiting_in_mpi_counts_for_its_function)
{
    struct profile *profile = profile_new();

    add_samples(profile, "0", "main;PMPI_Recv;progress;MPI_Test", 30);
    add_samples(profile, "0", "main;MPIR_own", 5);
    add_samples(profile, "1", "main;mpi_bcast_;poll", 20);
    add_samples(profile, "1", "main;PMPI_Recv", 10);
    struct pprofil_imbalance *imbalance = compare_ranks(profile);
    cr_assert_eq(imbalance->mpi.ns, 600);
    cr_assert_eq(find_row(imbalance, "PMPI_Recv")->ns, 400);
    cr_assert(find_row(imbalance, "PMPI_Recv")->mpi);
    cr_assert_eq(find_row(imbalance, "mpi_bcast_")->ns, 200);
    cr_assert_not(find_row(imbalance, "MPIR_own")->mpi);
    end(profile, imbalance);
}

Test(imbalance, an_idle_rank_counts)
{
    struct profile *profile = profile_new();

    add_samples(profile, "0", "main", 300);
    add_samples(profile, "1", "main", 300);
    add_samples(profile, "2", "main", 0);
    struct pprofil_imbalance *imbalance = compare_ranks(profile);
    cr_assert_eq(imbalance->ranks, 3);
    cr_assert_eq(imbalance->all.min_ns, 0);
    cr_assert_str_eq(imbalance->all.min_rank, "2");
    cr_assert_float_eq(imbalance->all.imbalance, 0.5, 1e-9);
    end(profile, imbalance);
}

Test(imbalance, ranks_of_two_jobs_are_not_compared)
{
    struct profile *profile = profile_new();
    struct pprofil_imbalance *imbalance;

    add_samples(profile, "0", "main", 30);
    add_samples(profile, "1", "main", 30);
    cr_assert_eq(profile_string(profile, "another", &profile->processes[profile->process_count - 1].job), 0);
    cr_assert_eq(report_imbalance(profile, NULL, &imbalance), PPROFIL_ERROR_SEVERAL_JOBS);
    end(profile, imbalance);
}

Test(imbalance, a_profile_without_ranks_has_none)
{
    struct profile *profile = profile_new();
    struct pprofil_imbalance *imbalance;

    add_samples(profile, "", "main", 30);
    add_samples(profile, "3", "main", 30);
    cr_assert_eq(report_imbalance(profile, NULL, &imbalance), PPROFIL_ERROR_NO_RANKS);
    end(profile, imbalance);
}
