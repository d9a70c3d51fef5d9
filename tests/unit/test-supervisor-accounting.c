/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of supervisor/accounting.c: how much CPU time a sample represents, and whether a thread waited for a CPU. */
#include "config.h"

#include <criterion/criterion.h>
#include <stdint.h>

#include "supervisor/accounting.h"
#include "supervisor/proc/procfs.h"
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

/* --- waits for a CPU --------------------------------------------------------------------------------- */

#define WAKE_NS 20000u /* time from the instant at which a tick is due until the tracer looks, ns */

/* A simulated thread, with the times that the kernel would count for it. */
struct thread {
    struct cpu_wait wait;
    struct procfs_cpu cpu;
    uint64_t now;
};

static void thread_runs(struct thread *thread, uint64_t ns)
{
    thread->now += ns;
    thread->cpu.run_ns += ns;
}

/* The thread waits for a CPU, and then gets one. */
static void thread_waits(struct thread *thread, uint64_t ns)
{
    thread->now += ns;
    thread->cpu.wait_ns += ns;
    thread->cpu.turns++;
}

static void thread_sleeps(struct thread *thread, uint64_t ns)
{
    thread->now += ns;
    thread_waits(thread, 5000);
}

/* The tracer looks at the thread, which has no CPU. The thread has just lost its CPU to the tracer (waited_ns 0), or
 * has waited for waited_ns. The times that the kernel counts do not include this wait yet. */
static enum cpu_wait_verdict thread_look(struct thread *thread, uint64_t waited_ns)
{
    uint64_t due = thread->now + waited_ns;

    return cpu_wait_look(&thread->wait, due, due + WAKE_NS, &thread->cpu);
}

static bool thread_seems_to_wait(struct thread *thread, uint64_t waited_ns)
{
    return thread_look(thread, waited_ns) == CPU_WAIT_WAITS;
}

/* Returns a thread from which the tracer has taken the CPU ten times. */
static struct thread thread_begin(void)
{
    struct thread thread = {.now = MS};

    for (int i = 0; i < 10; i++) {
        thread_waits(&thread, 2 * WAKE_NS);
        thread_runs(&thread, MS);
        cr_assert(!thread_seems_to_wait(&thread, 0));
    }
    return thread;
}

Test(cpu_wait, who_has_lost_its_cpu_to_the_tracer_did_not_wait)
{
    struct thread thread = thread_begin();

    thread_waits(&thread, 5 * MS); /* a whole turn of another thread */
    thread_runs(&thread, MS / 2);
    cr_assert(!thread_seems_to_wait(&thread, 0));
}

Test(cpu_wait, a_wait_that_goes_on)
{
    struct thread thread = thread_begin();

    thread_waits(&thread, 2 * WAKE_NS);
    thread_runs(&thread, MS);
    cr_assert(thread_seems_to_wait(&thread, MS));
    cr_assert(thread_seems_to_wait(&thread, 2 * MS), "no turn since");
    thread_waits(&thread, 3 * MS);
    thread_runs(&thread, MS);
    cr_assert(thread_seems_to_wait(&thread, MS), "it ran in between, and waits again");
    thread_waits(&thread, 2 * MS);
    thread_runs(&thread, MS);
    cr_assert(!thread_seems_to_wait(&thread, 0), "it has just run");
}

Test(cpu_wait, a_sample_is_a_look_too)
{
    struct thread thread = {.now = MS, .cpu.turns = 1};

    cpu_wait_note(&thread.wait, thread.now, &thread.cpu);
    cr_assert_not(thread.wait.runnable, "it may have gone to sleep since");
    cr_assert(thread_seems_to_wait(&thread, MS));
    cr_assert(thread.wait.runnable);
    thread_waits(&thread, 2 * MS);
    thread_runs(&thread, MS);
    cr_assert(!thread_seems_to_wait(&thread, 0));
    cpu_wait_forget(&thread.wait);
    cr_assert(!thread_seems_to_wait(&thread, MS), "nothing is known");
}

Test(cpu_wait, who_has_run_or_waited_all_the_time_since_a_stop_has_just_run)
{
    struct thread thread = {.now = MS, .cpu.turns = 1};

    cpu_wait_note(&thread.wait, thread.now, &thread.cpu);
    for (int i = 0; i < 100; i++) {
        for (int turns = i % 4; turns >= 0; turns--) {
            thread_waits(&thread, 3 * MS);
            thread_runs(&thread, MS);
        }
        cr_assert_eq(thread_look(&thread, 0), CPU_WAIT_RAN);
    }
    thread_waits(&thread, 3 * MS);
    thread_runs(&thread, MS);
    cr_assert_eq(thread_look(&thread, MS), CPU_WAIT_WAITS);
    thread_waits(&thread, 2 * MS);
    thread_runs(&thread, MS);
    cr_assert_eq(thread_look(&thread, 0), CPU_WAIT_RAN, "that it waited was certain, too");
    thread_waits(&thread, 2 * WAKE_NS);
    thread_runs(&thread, MS);
    thread_sleeps(&thread, MS);
    thread_runs(&thread, MS);
    cr_assert_eq(thread_look(&thread, 0), CPU_WAIT_UNKNOWN, "it has slept");
    thread_waits(&thread, 2 * MS);
    thread_runs(&thread, MS);
    cr_assert_neq(thread_look(&thread, 0), CPU_WAIT_RAN, "and no look since was certain");
}

Test(cpu_wait, who_got_the_cpu_amid_a_late_tick_had_it_at_no_random_instant)
{
    struct thread thread = {.now = MS, .cpu.turns = 1};

    cpu_wait_note(&thread.wait, thread.now, &thread.cpu);
    thread_waits(&thread, WAKE_NS);
    thread_runs(&thread, 3 * MS);
    cr_assert_eq(cpu_wait_look(&thread.wait, 2 * MS, thread.now, &thread.cpu), CPU_WAIT_UNKNOWN);
    thread_waits(&thread, 2 * MS);
    thread_runs(&thread, MS);
    cr_assert_eq(thread_look(&thread, 0), CPU_WAIT_RAN, "when it lost the CPU was certain all the same");
}

Test(cpu_wait, nothing_is_known_of_who_may_have_slept)
{
    struct thread thread = thread_begin();

    for (int i = 0; i < 100; i++) {
        thread_waits(&thread, 2 * WAKE_NS);
        thread_runs(&thread, MS);
        thread_sleeps(&thread, MS);
        thread_runs(&thread, MS);
        cr_assert(!thread_seems_to_wait(&thread, 0));
    }
}

/* The host of a virtual machine takes 1 ms of the thread's time. Then the thread and another thread take turns on a
 * CPU. The tracer looks while the thread runs, and, if looked_at_in_between is true, also while it waits. Returns how
 * many looks at the running thread wrongly conclude that it waited. */
static int count_wrong_looks(uint64_t others_turn, bool looked_at_in_between)
{
    struct thread thread = thread_begin();
    int wrong = 0;

    thread_waits(&thread, 2 * WAKE_NS);
    thread_runs(&thread, MS);
    thread.now += MS;
    for (int i = 0; i < 100; i++) {
        wrong += thread_seems_to_wait(&thread, 0);
        if (looked_at_in_between)
            cr_assert(thread_seems_to_wait(&thread, others_turn / 2));
        thread_waits(&thread, others_turn);
        thread_runs(&thread, MS);
    }
    return wrong;
}

Test(cpu_wait, time_that_a_host_has_taken_is_a_wait_only_once)
{
    cr_assert_leq(count_wrong_looks(2 * WAKE_NS, false), 1);
    cr_assert_leq(count_wrong_looks(MS, true), 2);
    cr_assert_leq(count_wrong_looks(3 * MS, true), 4);
    cr_assert_leq(count_wrong_looks(3 * MS, false), 4);
}

Test(cpu_wait, time_that_no_count_has_hides_no_thread)
{
    struct thread thread = thread_begin();
    int wrong = 0;

    for (int i = 0; i < 1000; i++) {
        thread_waits(&thread, 2 * WAKE_NS);
        thread_runs(&thread, MS);
        thread.now += MS / 5;
        wrong += thread_seems_to_wait(&thread, 0);
    }
    cr_assert_leq(wrong, 500);
}
