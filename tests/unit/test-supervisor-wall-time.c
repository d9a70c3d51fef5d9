/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of wall_time in supervisor/accounting.c: the sum of the booked parts is the elapsed time. */
#include "config.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "supervisor/accounting.h"

#define MS 1000000u

Test(wall_time, what_is_left_is_sleep)
{
    struct wall_time wall = {.at = 100 * MS, .wait_ns = 7 * MS};

    cr_expect_eq(wall_time_book_wait(&wall, 110 * MS, 10 * MS), 3 * MS);
    wall_time_book_run(&wall, 2 * MS);
    cr_expect_eq(wall_time_book_sleep(&wall, 110 * MS), 5 * MS);
    cr_expect_eq(wall.at, 110 * MS);
    cr_expect_eq(wall_time_book_sleep(&wall, 110 * MS), 0);
}

Test(wall_time, stops_are_no_sleep)
{
    struct wall_time wall = {.at = 100 * MS};

    wall_time_leave_out_stop(&wall, 3 * MS);
    wall_time_book_run(&wall, 2 * MS);
    cr_expect_eq(wall_time_book_sleep(&wall, 110 * MS), 5 * MS);
    wall_time_leave_out_stop(&wall, 3 * MS);
    cr_expect_eq(wall_time_book_sleep(&wall, 112 * MS), 0, "not even if the stop seems longer than the time");
}

Test(wall_time, short_waits_are_told_together)
{
    struct wall_time wall = {.at = 100 * MS};

    cr_expect_eq(wall_time_book_wait(&wall, 101 * MS, MS / 20), 0);
    cr_expect_eq(wall.at, 100 * MS);
    cr_expect_eq(wall_time_book_wait(&wall, 102 * MS, MS / 10), MS / 10);
    cr_expect_eq(wall_time_book_wait(&wall, 103 * MS, MS / 10), 0, "it is booked");
}

Test(wall_time, a_wait_longer_than_the_time_left_is_told_later)
{
    struct wall_time wall = {.at = 100 * MS};

    cr_expect_eq(wall_time_book_wait(&wall, 103 * MS, 5 * MS), 3 * MS);
    cr_expect_eq(wall_time_book_sleep(&wall, 103 * MS), 0);
    cr_expect_eq(wall_time_book_wait(&wall, 110 * MS, 5 * MS), 2 * MS);
    cr_expect_eq(wall_time_book_sleep(&wall, 110 * MS), 5 * MS);
}

Test(wall_time, a_run_that_is_ahead_of_the_clock_is_no_debt_of_sleep)
{
    struct wall_time wall = {.at = 100 * MS};

    wall_time_book_run(&wall, 10 * MS);
    cr_expect_eq(wall_time_book_wait(&wall, 105 * MS, 5 * MS), 0);
    cr_expect_eq(wall_time_book_sleep(&wall, 105 * MS), 0);
    cr_expect_eq(wall_time_book_sleep(&wall, 112 * MS), 2 * MS);
}

/* Runs, waits and sleeps may be booked in any order: their sum is the elapsed time. A run may be booked before its time
 * has elapsed, so the sum may be too large by at most the last run. */
Test(wall_time, the_parts_make_up_the_whole)
{
    struct wall_time wall = {.at = 100 * MS};
    uint64_t now = wall.at, booked = 0, waited = 0;

    srand(16);
    for (unsigned i = 0; i < 10000; i++) {
        uint64_t ran = (unsigned)rand() % MS, waits = (unsigned)rand() % MS, slept = (unsigned)rand() % MS;
        now += ran + waits + slept;
        waited += waits;
        booked += wall_time_book_wait(&wall, now, waited);
        booked += ran;
        wall_time_book_run(&wall, ran);
        if (slept > MS / 2)
            booked += wall_time_book_sleep(&wall, now);
        cr_assert_eq(wall.at, 100 * MS + booked);
        cr_assert_leq(wall.wait_ns, waited);
    }
    booked += wall_time_book_sleep(&wall, now);
    cr_expect_geq(booked, now - 100 * MS);
    cr_expect_leq(booked, now - 100 * MS + MS, "ahead by one run");
}
