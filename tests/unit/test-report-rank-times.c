/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of report/rank-times: when ranks used CPU time, and how much of it in MPI. */
#include "config.h"

#include "report-stacks-fixture.h"
#include "report/rank-times.h"

#define SLOT HISTORY_SLOT_NS

/* Adds a sample that ends at `time` slots after the beginning, and has so much CPU time. */
static void add_sample(struct profile *profile, uint32_t thread, const char *stack, double time, uint64_t cpu_ns)
{
    const struct profile_sample sample = {.thread = thread,
                                          .node = stacks_node(profile, stack),
                                          .state = PROFILE_RUNNING,
                                          .count = 1,
                                          .cpu_ns = cpu_ns};

    cr_assert_eq(profile_count_at(profile, &sample, SLOT + (uint64_t)(time * SLOT)), 0);
}

static const struct rank_time *cell(const struct rank_times *times, uint32_t rank, uint32_t column)
{
    return &times->cells[rank * times->column_count + column];
}

/* Rank 2 computes in slots 0 and 1, and rank 10 in slot 0, and waits for it in MPI. */
static struct profile *make_job(void)
{
    struct profile *profile = profile_new();
    uint32_t ten = add_rank(profile, "10"), two = add_rank(profile, "2");

    history_begin(&profile->history, SLOT);
    add_sample(profile, ten, "main;solve", 0.5, 100);
    add_sample(profile, ten, "main;MPI_Allreduce;poll", 1.5, 70);
    add_sample(profile, ten, "main;MPI_Allreduce", 3.5, 30);
    add_sample(profile, two, "main;solve", 0.5, 200);
    add_sample(profile, two, "main;solve", 1.5, 210);
    return profile;
}

Test(rank_times, say_when_ranks_computed_and_when_they_were_in_mpi)
{
    struct profile *profile = make_job();
    struct rank_times times;

    cr_assert_eq(rank_times_make(profile, 100, 1000, &times), 0);
    cr_assert_eq(times.rank_count, 2);
    cr_assert_eq(times.column_count, 4);
    cr_assert_eq(times.column_ns, SLOT);
    cr_assert_str_eq(times.names[0], "2"); /* by number */
    cr_assert_str_eq(times.names[1], "10");
    cr_assert_eq(times.totals[0].work_ns, 410);
    cr_assert_eq(times.totals[0].mpi_ns, 0);
    cr_assert_eq(times.totals[1].work_ns, 100);
    cr_assert_eq(times.totals[1].mpi_ns, 100);
    cr_assert_eq(cell(&times, 0, 1)->work_ns, 210);
    cr_assert_eq(cell(&times, 1, 0)->work_ns, 100);
    cr_assert_eq(cell(&times, 1, 0)->mpi_ns, 0);
    cr_assert_eq(cell(&times, 1, 1)->mpi_ns, 70);
    cr_assert_eq(cell(&times, 1, 2)->mpi_ns, 0);
    cr_assert_eq(cell(&times, 1, 3)->mpi_ns, 30);
    rank_times_clear(&times);
    profile_free(profile);
}

Test(rank_times, columns_are_whole_slots_and_nothing_is_lost)
{
    struct profile *profile = make_job();
    const struct history_entry over = {.first = 0, .last = 6, .sample = 0, .count = 1, .cpu_ns = 1000};
    struct rank_times times;

    /* an entry of seven slots, in columns of three: 3/7, 3/7 and 1/7 */
    cr_assert_eq(history_restore(&profile->history, SLOT, SLOT, &over), 0);
    cr_assert_eq(rank_times_make(profile, 3, 1000, &times), 0);
    cr_assert_eq(times.column_count, 3);
    cr_assert_eq(times.column_ns, 3 * SLOT);
    cr_assert_eq(times.last_column_ns, SLOT);
    cr_assert_eq(cell(&times, 1, 0)->work_ns, 100 + 428);
    cr_assert_eq(cell(&times, 1, 1)->work_ns, 429);
    cr_assert_eq(cell(&times, 1, 2)->work_ns, 143);
    cr_assert_eq(cell(&times, 1, 0)->mpi_ns, 70);
    cr_assert_eq(cell(&times, 1, 1)->mpi_ns, 30);
    rank_times_clear(&times);
    profile_free(profile);
}

Test(rank_times, need_two_ranks_and_times)
{
    struct profile *profile = profile_new();
    struct rank_times times;

    add_sample(profile, add_rank(profile, "0"), "main", 1, 10);
    cr_assert_eq(rank_times_make(profile, 100, 1000, &times), PPROFIL_ERROR_NO_RANKS);
    rank_times_clear(&times);
    stacks_add(profile, add_rank(profile, "1"), "main", 1);
    history_clear(&profile->history);
    cr_assert_eq(rank_times_make(profile, 100, 1000, &times), PPROFIL_ERROR_NO_SAMPLES);
    rank_times_clear(&times);
    profile_free(profile);
}

Test(rank_times, many_ranks_have_fewer_columns)
{
    struct profile *profile = make_job();
    struct rank_times times;

    cr_assert_eq(rank_times_make(profile, 100, 2, &times), 0);
    cr_assert_eq(times.column_count, 2);
    cr_assert_eq(cell(&times, 0, 0)->work_ns, 410);
    cr_assert_eq(cell(&times, 1, 1)->mpi_ns, 30);
    rank_times_clear(&times);
    profile_free(profile);
}
