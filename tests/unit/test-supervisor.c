/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of stop.c, schedule.c and budget.c of the supervisor: the kinds of stops, the times of ticks, and the rate that
 * the budget allows. */
#include "config.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>

#include "supervisor/budget.h"
#include "supervisor/schedule.h"
#include "supervisor/stop.h"

#define MS 1000000u

/* Returns a status as waitpid(2) gives it for a stop. */
static int stopped(int signal, int event)
{
    return ((event << 8 | signal) << 8) | 0x7f;
}

/* --- stop.c ------------------------------------------------------------------------------------ */

Test(stop, an_interrupt_and_a_group_stop_are_told_apart_by_their_signal)
{
    cr_assert_eq(stop_decode(stopped(SIGTRAP, PTRACE_EVENT_STOP)).kind, STOP_INTERRUPT);
    cr_assert_eq(stop_decode(stopped(SIGSTOP, PTRACE_EVENT_STOP)).kind, STOP_GROUP);
    cr_assert_eq(stop_decode(stopped(SIGTTIN, PTRACE_EVENT_STOP)).kind, STOP_GROUP);
}

Test(stop, a_signal_is_to_be_delivered)
{
    struct stop stop = stop_decode(stopped(SIGTERM, 0));

    cr_assert_eq(stop.kind, STOP_SIGNAL);
    cr_assert_eq(stop.signal, SIGTERM);
    stop = stop_decode(stopped(SIGTRAP, 0));
    cr_assert_eq(stop.kind, STOP_SIGNAL, "a breakpoint of the program's own");
    cr_assert_eq(stop.signal, SIGTRAP);
}

Test(stop, a_stop_at_a_system_call_delivers_nothing)
{
    struct stop stop = stop_decode(stopped(SIGTRAP | 0x80, 0));

    cr_assert_eq(stop.kind, STOP_CALL);
    cr_assert_eq(stop.signal, 0);
}

Test(stop, births_and_execs)
{
    cr_assert_eq(stop_decode(stopped(SIGTRAP, PTRACE_EVENT_FORK)).kind, STOP_FORK);
    cr_assert_eq(stop_decode(stopped(SIGTRAP, PTRACE_EVENT_VFORK)).kind, STOP_FORK);
    cr_assert_eq(stop_decode(stopped(SIGTRAP, PTRACE_EVENT_CLONE)).kind, STOP_CLONE);
    cr_assert_eq(stop_decode(stopped(SIGTRAP, PTRACE_EVENT_EXEC)).kind, STOP_EXEC);
    cr_assert_eq(stop_decode(stopped(SIGTRAP, PTRACE_EVENT_SECCOMP)).kind, STOP_OTHER);
}

Test(stop, ends_keep_their_status)
{
    cr_assert_eq(stop_decode(3 << 8).kind, STOP_ENDED);
    cr_assert_eq(stop_decode(3 << 8).status, 3 << 8);
    cr_assert_eq(stop_decode(SIGKILL).kind, STOP_ENDED);
}

Test(stop, waitid_tells_the_same_as_waitpid)
{
    const siginfo_t news = {.si_code = CLD_TRAPPED, .si_status = SIGTRAP | PTRACE_EVENT_EXEC << 8};

    cr_assert_eq(stop_decode(stop_status(&news)).kind, STOP_EXEC);
}

/* --- schedule.c ---------------------------------------------------------------------------------- */

Test(schedule, a_tick_in_every_stratum)
{
    struct schedule schedule;
    uint64_t now = 1000 * MS;

    schedule_init(&schedule, 1);
    schedule_restart(&schedule, now);
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t due = schedule_next(&schedule, now, MS);
        cr_assert_eq(schedule.covered_ns, MS);
        cr_assert_geq(due, 1000 * MS + i * MS);
        cr_assert_lt(due, 1000 * MS + (i + 1) * MS);
        now = due;
    }
}

Test(schedule, what_was_missed_belongs_to_the_next_tick)
{
    struct schedule schedule;

    schedule_init(&schedule, 1);
    schedule_restart(&schedule, 0);
    uint64_t due = schedule_next(&schedule, MS, MS);
    cr_assert_eq(schedule.covered_ns, 2 * MS);
    cr_assert_eq(schedule.missed_ns, 0);
    cr_assert_geq(due, MS);
    cr_assert_lt(due, 2 * MS);
}

Test(schedule, no_tick_stands_for_more_than_two_periods)
{
    struct schedule schedule;

    schedule_init(&schedule, 1);
    schedule_restart(&schedule, 0);
    schedule_next(&schedule, 10 * MS, MS);
    cr_assert_eq(schedule.covered_ns + schedule.missed_ns, 11 * MS);
    cr_assert_eq(schedule.covered_ns, 2 * MS);
    schedule_next(&schedule, 11 * MS, MS);
    cr_assert_eq(schedule.missed_ns, 0);
}

Test(schedule, time_that_is_left_out_is_covered_by_no_tick)
{
    struct schedule schedule;

    schedule_init(&schedule, 1);
    schedule_restart(&schedule, 0);
    schedule_leave_out(&schedule, MS / 2);
    uint64_t due = schedule_next(&schedule, 0, MS);
    cr_assert_eq(schedule.covered_ns, MS);
    cr_assert_geq(due, MS / 2);
}

Test(schedule, a_tick_that_is_drawn_ahead_is_the_next)
{
    struct schedule schedule;
    uint64_t now = 1000 * MS;

    schedule_init(&schedule, 1);
    schedule_restart(&schedule, now);
    schedule_draw_ahead(&schedule, now, MS);
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t ahead = schedule.ahead.at;
        uint64_t due = schedule_next(&schedule, now, 5 * MS);
        cr_assert_eq(due, ahead);
        cr_assert_eq(schedule.covered_ns, MS);
        cr_assert_geq(due, 1000 * MS + i * MS);
        cr_assert_lt(due, 1000 * MS + (i + 1) * MS);
        schedule_draw_ahead(&schedule, now, MS);
        now = due;
    }
}

Test(schedule, a_late_tick_is_drawn_anew_in_what_is_left_of_its_stratum)
{
    struct schedule schedule;

    schedule_init(&schedule, 1);
    for (unsigned i = 0; i < 1000; i++) {
        schedule_restart(&schedule, 0);
        schedule_draw_ahead(&schedule, 0, MS);
        uint64_t due = schedule_next(&schedule, MS / 2, MS);
        cr_assert_geq(due, MS / 2);
        cr_assert_lt(due, MS);
        cr_assert_eq(schedule.covered_ns, MS);
        cr_assert_eq(schedule.stratum_end, MS);
    }
    schedule_restart(&schedule, 0);
    schedule_draw_ahead(&schedule, 0, MS);
    schedule_next(&schedule, 10 * MS, MS);
    cr_assert_eq(schedule.covered_ns + schedule.missed_ns, 11 * MS);
    cr_assert_eq(schedule.stratum_end, 11 * MS);
}

Test(schedule, a_gap_begins_where_the_last_stratum_ended)
{
    struct schedule schedule;

    schedule_init(&schedule, 1);
    schedule_restart(&schedule, 0);
    schedule_next(&schedule, 0, MS);
    schedule_draw_ahead(&schedule, 0, MS);
    cr_assert_eq(schedule_end_gap(&schedule, MS), 0);
    cr_assert_neq(schedule.ahead.at, 0);
    cr_assert_eq(schedule_end_gap(&schedule, MS + 1), 1); /* a gap, although the next tick's time is chosen already */
    cr_assert_eq(schedule.ahead.at, 0);
    schedule_draw_ahead(&schedule, MS + 1, MS);
    schedule_next(&schedule, MS + 1, MS);
    cr_assert_eq(schedule.covered_ns, MS);
    cr_assert_eq(schedule_end_gap(&schedule, 6 * MS + 1), 4 * MS);
}

/* Ticks are taken in spans of half a period. Between these spans are pauses of no length. So there is still one tick in
 * each period. */
Test(schedule, a_pause_moves_no_tick)
{
    struct schedule schedule;
    unsigned ticks = 0;

    schedule_init(&schedule, 1);
    for (uint64_t now = 1000 * MS; now < 2000 * MS; now += MS / 2) {
        uint64_t due = schedule_resume(&schedule, now, MS);
        for (; due < now + MS / 2; due = schedule_next(&schedule, due, MS)) {
            cr_assert_geq(due, now);
            cr_assert_eq(schedule.covered_ns, MS);
            cr_assert_eq(schedule.missed_ns, 0);
            ticks++;
        }
    }
    cr_assert_geq(ticks, 999);
    cr_assert_leq(ticks, 1001);
}

/* Ticks are taken in spans of half a period, with pauses of half a period between them. So half of the periods have a
 * tick. The number of ticks in 1000 periods has a standard deviation of 16, and the bound is five of these deviations.
 * The seed is fixed. */
Test(schedule, ticks_that_are_due_in_a_pause_are_left_out)
{
    struct schedule schedule;
    unsigned ticks = 0;

    schedule_init(&schedule, 1);
    for (uint64_t now = 1000 * MS; now < 2000 * MS; now += MS) {
        ticks += schedule_resume(&schedule, now, MS) < now + MS / 2;
        cr_assert_eq(schedule.covered_ns, MS);
    }
    cr_assert_geq(ticks, 420);
    cr_assert_leq(ticks, 580);
}

Test(schedule, after_a_pause_another_rate_is_in_force_at_once)
{
    struct schedule schedule;

    schedule_init(&schedule, 1);
    schedule_restart(&schedule, 0);
    schedule_next(&schedule, 0, 1000 * MS);
    cr_assert_lt(schedule_resume(&schedule, 0, MS), MS);
    cr_assert_eq(schedule.covered_ns, MS);
}

/* If the time of a tick was chosen in advance, and the tick was due in the pause, it is left out, too. */
Test(schedule, a_pause_moves_no_tick_that_was_drawn_ahead)
{
    struct schedule schedule;

    schedule_init(&schedule, 1);
    schedule_restart(&schedule, 0);
    uint64_t first = schedule_next(&schedule, 0, MS);
    schedule_draw_ahead(&schedule, 0, MS);
    uint64_t second = schedule.ahead.at;
    cr_assert_eq(schedule_resume(&schedule, first - 1, MS), first);
    cr_assert_eq(schedule_resume(&schedule, first, MS), second);
    cr_assert_geq(schedule_resume(&schedule, second, MS), 2 * MS);
}

/* The mean of 10000 numbers of 0..99 has a standard deviation of 0.29; the bound is five of these. The seed is
 * fixed. */
Test(schedule, numbers_are_drawn_evenly)
{
    struct schedule schedule;
    uint64_t sum = 0;

    schedule_init(&schedule, 7);
    for (unsigned i = 0; i < 10000; i++) {
        uint32_t number = schedule_random(&schedule, 100);
        cr_assert_lt(number, 100);
        sum += number;
    }
    cr_assert_geq(sum, 480500);
    cr_assert_leq(sum, 509500);
}

/* --- budget.c ------------------------------------------------------------------------------------ */

static struct budget budget_of(double asked_hz, double share, double cost_ns)
{
    struct budget budget;

    budget_init(&budget, asked_hz, share);
    for (unsigned i = 0; i < 1000; i++)
        budget_note(&budget, 0, 1, (uint64_t)cost_ns);
    budget_adjust(&budget, 0, 1);
    return budget;
}

Test(budget, the_rate_times_the_cost_is_the_share)
{
    struct budget budget = budget_of(1000, 0.02, 50000);

    cr_assert_float_eq(budget.rate_hz, 400, 20);
    cr_assert_float_eq((double)budget_period(&budget), 2.5 * MS, 0.15 * MS);
}

Test(budget, no_more_than_was_asked_for)
{
    struct budget budget = budget_of(100, 0.02, 50000);

    cr_assert_eq(budget.rate_hz, 100);
    budget_adjust(&budget, 0, 1000 * MS);
    cr_assert_eq(budget.throttled_ns, 0);
}

Test(budget, never_none_at_all)
{
    cr_assert_eq(budget_of(1000, 0.0001, 900000).rate_hz, 10);
    cr_assert_eq(budget_of(5, 0.0001, 900000).rate_hz, 5);
}

Test(budget, the_rate_follows_the_cost_up_and_down)
{
    struct budget budget = budget_of(1000, 0.02, 100000);

    cr_assert_float_eq(budget.rate_hz, 200, 10);
    for (unsigned i = 0; i < 128; i++)
        budget_note(&budget, 0, 1, 20000);
    budget_adjust(&budget, 0, 2 * MS);
    cr_assert(budget_has_changed(&budget));
    cr_assert_not(budget_has_changed(&budget));
    cr_assert_float_eq(budget.rate_hz, 930, 70, "after 128 samples");
    for (unsigned i = 0; i < 128; i++)
        budget_note(&budget, 0, 1, 100000);
    budget_adjust(&budget, 0, 3 * MS);
    cr_assert_float_eq(budget.rate_hz, 204, 15);
}

Test(budget, one_sample_that_was_held_up_does_not_count_for_many)
{
    struct budget budget = budget_of(1000, 0.02, 40000);

    budget_note(&budget, 0, 1, UINT64_C(1000) * MS);
    budget_adjust(&budget, 0, 2 * MS);
    cr_assert_gt(budget.rate_hz, 250);
}

Test(budget, each_condition_has_a_cost_of_its_own)
{
    struct budget budget = budget_of(1000, 0.02, 50000);

    for (unsigned i = 0; i < 100; i++)
        budget_note(&budget, BUDGET_NEW_TASKS, 1, 200000);
    budget_adjust(&budget, BUDGET_NEW_TASKS, 2 * MS);
    cr_assert_float_eq(budget.rate_hz, 100, 5);
    cr_assert_float_eq((double)budget_cost(&budget), 200000, 5000);
    budget_adjust(&budget, 0, 3 * MS);
    cr_assert_float_eq(budget.rate_hz, 400, 20);
}

Test(budget, what_led_to_no_sample_is_paid_for_by_the_next_one_under_its_condition)
{
    struct budget budget = budget_of(1000, 0.02, 50000);

    for (unsigned i = 0; i < 100; i++) {
        budget_note(&budget, 0, 0, 30000); /* a tick that found no running thread */
        budget_note(&budget, 0, 0, 20000);
        budget_note(&budget, BUDGET_FULL, 1, 200000);
        budget_note(&budget, 0, 2, 150000);
    }
    budget_adjust(&budget, 0, 2 * MS);
    cr_assert_float_eq((double)budget.costs[0].ns, 100000, 1000);
    cr_assert_float_eq((double)budget.costs[BUDGET_FULL].ns, 200000, 5000);
    cr_assert_float_eq(budget.rate_hz, 200, 5);
}

Test(budget, what_led_to_no_sample_is_no_sample)
{
    struct budget budget = budget_of(1000, 0.02, 50000);

    for (unsigned i = 0; i < 100; i++)
        budget_note(&budget, 0, 0, 1000);
    budget_adjust(&budget, 0, 2 * MS);
    cr_assert_float_eq(budget.rate_hz, 400, 20);
}

Test(budget, time_below_the_rate_asked_for_is_counted)
{
    struct budget budget = budget_of(1000, 0.02, 50000);

    budget_adjust(&budget, 0, 1 + 100 * MS);
    cr_assert_eq(budget.throttled_ns, 100 * MS);
}

Test(budget, another_rate_is_asked_for)
{
    struct budget budget = budget_of(1000, 0.02, 50000);

    budget_ask(&budget, 200);
    cr_assert_eq(budget.rate_hz, 200);
    budget_ask(&budget, 5000);
    cr_assert_float_eq(budget.rate_hz, 400, 20);
}
