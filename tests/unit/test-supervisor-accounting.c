/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of supervisor/accounting.c: how much CPU time a sample represents. */
#include "config.h"

#include <criterion/criterion.h>
#include <stdint.h>

#include "supervisor/accounting.h"
#include "supervisor/schedule.h"

#define MS 1000000u

/* --- CPU time of samples ------------------------------------------------------------------------------------ */

#define FREE (1000 * (int64_t)MS) /* more than any sample represents, ns */

static struct weight weight_of(int64_t stretch, int64_t debt, uint64_t samples)
{
    return (struct weight){.stretch = stretch, .debt = debt, .samples = samples, .ahead = FREE};
}

Test(weight, a_thread_that_always_runs_gets_its_stretches)
{
    for (uint64_t samples = 0; samples < 100; samples++) {
        struct weight weight = weight_of(MS, MS, samples);
        cr_assert_eq(weight_of_sample(&weight), MS);
    }
}

/* The thread waits for a CPU half of the time, but each sample counts as if the thread ran all the time. */
Test(weight, the_sum_is_drawn_to_what_the_kernel_says)
{
    int64_t used = 0, given = 0;

    for (uint64_t samples = 0; samples < 1000; samples++) {
        used += MS / 2;
        struct weight weight = weight_of(MS, used - given, samples);
        given += (int64_t)weight_of_sample(&weight);
    }
    cr_assert_leq(given, used + 20 * MS);
    cr_assert_geq(given, used);
}

Test(weight, the_sum_is_never_ahead_of_the_clock_by_more_than_is_allowed)
{
    int64_t used = 0, given = 0;

    for (uint64_t samples = 0; samples < 100; samples++) {
        used += MS / 10;
        struct weight weight = weight_of(MS, used - given, samples);
        weight.ahead = MS;
        given += (int64_t)weight_of_sample(&weight);
        cr_assert_leq(given, used + MS);
    }
}

Test(weight, nothing_is_taken_back)
{
    struct weight weight = weight_of(MS, -100 * (int64_t)MS, 50);

    weight.ahead = MS;
    cr_assert_eq(weight_of_sample(&weight), 0);
}

/* The thread always runs. A sample is taken each millisecond, except for 100 ms in which the tracer gets no CPU. */
Test(weight, what_a_late_tracer_missed_is_shared_out_to_those_that_follow)
{
    int64_t used = 0, given = 0, largest = 0;

    for (uint64_t samples = 0; samples < 400; samples++) {
        int64_t late = samples == 200 ? 100 * (int64_t)MS : 0;
        used += MS + late;
        struct weight weight = weight_of(MS, used - given, samples);
        weight.late = late;
        int64_t share = (int64_t)weight_of_sample(&weight);
        given += share;
        largest = share > largest ? share : largest;
    }
    cr_assert_leq(largest, 5 * MS);
    cr_assert_leq(given, used);
    cr_assert_geq(given, used - MS);
}

Test(weight, a_young_thread_is_given_at_once_what_was_missed)
{
    struct weight weight = weight_of(MS, 101 * (int64_t)MS, 3);

    weight.late = 100 * (int64_t)MS;
    cr_assert_eq(weight_of_sample(&weight), 101 * (int64_t)MS);
}

/* Nine threads have run for 1 ms each, and only one of them was sampled. Its sample represents a part of the CPU time
 * of all nine threads. If it may be the last sample of the process, it represents all of that time. */
Test(weight, young_threads_share_what_their_process_has_used)
{
    struct weight weight = weight_of(MS, MS, 0);

    weight.process_known = true;
    weight.process_left = 9 * MS;
    weight.process_shares = 4;
    cr_assert_eq(weight_of_sample(&weight), 3 * MS, "a quarter of what is left over comes on top");
    weight.process_shares = 1;
    cr_assert_eq(weight_of_sample(&weight), 9 * MS, "it may have no further sample");
    weight.process_left = -10 * (int64_t)MS;
    weight.process_lag = 4 * MS;
    cr_assert_eq(weight_of_sample(&weight), 0, "no process is given more than it has used");
}

/* 100 processes live for 37 ms each, one after the other. Samples come at random, one in 10 ms on average. When a
 * process ends, some of its CPU time is not represented by its samples. The samples of each later process represent up
 * to 10 ms (one period) of this time. The time that no sample represents in the end is lost. The test allows a loss of
 * 100 ms. */
Test(weight, what_processes_leave_over_when_they_end_goes_to_others)
{
    const int64_t life = 37 * MS, period = 10 * MS, whole = 100 * life;
    int64_t given = 0, given_here = 0, ended_left = 0, room = period;
    struct schedule schedule;

    schedule_init(&schedule, 5);
    for (int64_t at = 0; at < whole;) {
        int64_t step = 1 + schedule_random(&schedule, 20 * MS), next = at + step;
        if (next / life != at / life) {
            ended_left += life - given_here;
            given_here = 0;
            room = period;
        }
        at = next;
        int64_t left = at % life - given_here;
        struct weight weight = {.stretch = period, .debt = left, .ahead = period, .process_known = true,
                                .process_left = left, .process_lag = period, .process_shares = 1,
                                .others_left = ended_left, .others_room = room};
        int64_t share = (int64_t)weight_of_sample(&weight), for_others = (int64_t)weight_for_others(&weight);
        given += share + for_others;
        given_here += share;
        ended_left -= for_others;
        room -= for_others;
        cr_assert_geq(room, 0);
    }
    cr_assert_leq(given, whole + 50 * (int64_t)MS);
    cr_assert_geq(given, whole - 100 * (int64_t)MS);
}

/* In each 10 ms, a thread works for 0.5 ms in one function, then for 0.5 ms in another, and sleeps for 9 ms. The tracer
 * looks at it once in each 10 ms, at a random instant. So each function must get half of the sampled time. About 1000
 * of the 10000 looks find the thread at work. By the binomial distribution, five standard deviations of the share are
 * 0.08. The seed is fixed. */
Test(weight, bursts_come_out_right)
{
    struct schedule schedule;
    int64_t used = 0, given = 0, second = 0;
    uint64_t samples = 0;

    schedule_init(&schedule, 3);
    for (unsigned i = 0; i < 10000; i++) {
        uint32_t at = schedule_random(&schedule, 10 * MS);
        if (at < MS) {
            struct weight weight = weight_of(10 * MS, used + at - given, samples++);
            uint64_t share = weight_of_sample(&weight);
            given += (int64_t)share;
            second += at >= MS / 2 ? (int64_t)share : 0;
        }
        used += MS;
    }
    cr_assert_float_eq((double)second / (double)given, 0.5, 0.08);
    cr_assert_float_eq((double)given / (double)used, 1, 0.05);
}
