/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of supervisor/tick-taken.c. The files /proc/TID/sched are files in memory, and the functions below stand for
 * the rest of the tracer. */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "supervisor/debug-log.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/supervisor.h"
#include "supervisor/tick.h"
#include "supervisor/tracer-cpus.h"

#define TAKEN_AT 5000000000u /* when the tracer got its CPU, on the scheduler's clock, ns */
#define CALL_NS 500u
#define RUN_NS 70000000u /* CPU time of the tracee, ns */
#define US 1000

static struct supervisor supervisor;
static struct tracer tracer;
static struct tracee tracee;
static struct procfs_task tracer_task;
static int tracee_cpu;
static bool has_to_stop, lost_cpu;
static uint64_t tracer_wait;

void debug_log(struct tracer *of, const char *format, ...)
{
    (void)of;
    (void)format;
}

struct procfs_task *tracer_files(struct tracer *of)
{
    (void)of;
    return &tracer_task;
}

bool tracer_read_clock(struct tracer *of)
{
    (void)of;
    return lost_cpu;
}

uint64_t tracer_read_wait(struct tracer *of)
{
    (void)of;
    return tracer_wait;
}

unsigned affinity_cpu_count(const struct tracer *of)
{
    (void)of;
    return 2;
}

bool tick_has_to_stop(const struct tracee *of)
{
    (void)of;
    return has_to_stop;
}

void tick_note_cpu(struct tracee *of)
{
    of->look.cpu = tracee_cpu;
}

/* Makes a file like /proc/TID/sched, and stores its descriptor in *fd. */
static void write_sched_file(int *fd, uint64_t ran_at, uint64_t run_ns)
{
    if (*fd >= 0)
        close(*fd);
    *fd = memfd_create("sched", MFD_CLOEXEC);
    cr_assert_geq(*fd, 0);
    dprintf(*fd, "program (1, #threads: 1)\n---------\n");
    dprintf(*fd, "se.exec_start                                :  %8llu.%06llu\n", (unsigned long long)ran_at / 1000000,
            (unsigned long long)ran_at % 1000000);
    dprintf(*fd, "se.vruntime                                  :  12.345678\n");
    dprintf(*fd, "se.sum_exec_runtime                          :  %8llu.%06llu\n", (unsigned long long)run_ns / 1000000,
            (unsigned long long)run_ns % 1000000);
}

/* The tracer has CPU 0. The tracee last ran there, and wants a CPU. */
static void set_up(void)
{
    supervisor = (struct supervisor){.cpus = {.full = true}};
    tracer = (struct tracer){.supervisor = &supervisor, .clock = {.call_ns = CALL_NS}, .tick = {.taken_at = TAKEN_AT}};
    tracee = (struct tracee){.tracer = &tracer, .look = {.runnable = true, .cpu = -1}};
    procfs_task_init(&tracee.files, 1, 1);
    procfs_task_init(&tracer_task, 1, 1);
    tracee_cpu = 0;
    has_to_stop = lost_cpu = false;
    tracer_wait = 0;
}

/* Judges the tracee, which has last run `after` ns after the tracer got its CPU. */
static enum cpu_taken judge(int64_t after)
{
    write_sched_file(&tracee.files.sched_fd, (uint64_t)((int64_t)TAKEN_AT + after), RUN_NS);
    tick_judge_taken(&tracer, &tracee);
    return tracee.look.taken;
}

TestSuite(taken, .init = set_up);

Test(taken, a_thread_had_the_cpu_if_it_ran_until_the_tracer_got_it)
{
    cr_assert_eq(judge(-2 * US), CPU_TAKEN_YES);
    cr_assert_eq(judge(0), CPU_TAKEN_YES);
    cr_assert_eq(judge(2 * US + 4 * CALL_NS), CPU_TAKEN_YES);
}

Test(taken, a_thread_that_ran_before_or_afterwards_did_not_have_the_cpu)
{
    cr_assert_eq(judge(-2 * US - 1), CPU_TAKEN_NO);
    cr_assert_eq(judge(-1000 * US), CPU_TAKEN_NO);
    cr_assert_eq(judge(2 * US + 4 * CALL_NS + 1), CPU_TAKEN_NO);
    cr_assert_eq(judge(1000 * US), CPU_TAKEN_NO);
}

Test(taken, a_thread_of_another_cpu_did_not_have_the_cpu)
{
    tracee_cpu = 1;
    cr_assert_eq(judge(0), CPU_TAKEN_NO);
}

/* Its CPU cannot be read, so the CPU of its last stop may be wrong. */
Test(taken, a_thread_that_may_exec_is_judged_by_its_time_alone)
{
    tracee.files.may_exec = true;
    tracee.look.cpu = tracee_cpu = 1;
    tracee.interrupt.run_ns = RUN_NS;
    cr_assert_eq(judge(-1000 * US), CPU_TAKEN_NO);
    cr_assert_eq(tracee.look.cpu, 1);
    cr_assert_eq(judge(0), CPU_TAKEN_YES);
    cr_assert_eq(tracee.look.cpu, 0, "it is now known to be on the tracer's CPU");
}

Test(taken, a_thread_that_may_exec_is_suspected_when_it_has_run_for_long_without_a_sample)
{
    tracee.files.may_exec = true;
    tracee.interrupt.run_ns = RUN_NS - 8000 * US + 1;
    cr_assert_eq(judge(-1000 * US), CPU_TAKEN_NO);
    tracee.interrupt.run_ns--;
    cr_assert_eq(judge(-1000 * US), CPU_TAKEN_UNKNOWN);
    tracee.files.may_exec = false;
    cr_assert_eq(judge(-1000 * US), CPU_TAKEN_NO);
}

Test(taken, nothing_is_known_without_the_file_or_the_time_or_while_a_cpu_is_idle)
{
    tracee.files.sched_fd = memfd_create("sched", MFD_CLOEXEC);
    tick_judge_taken(&tracer, &tracee);
    cr_assert_eq(tracee.look.taken, CPU_TAKEN_UNKNOWN, "without the file");
    has_to_stop = true;
    cr_assert_eq(judge(0), CPU_TAKEN_UNKNOWN, "the tracee has yet to stop");
    has_to_stop = false;
    tracer.tick.taken_at = 0;
    cr_assert_eq(judge(0), CPU_TAKEN_UNKNOWN, "without the time");
    tracer.tick.taken_at = TAKEN_AT;
    supervisor.cpus.full = false;
    cr_assert_eq(judge(0), CPU_TAKEN_UNKNOWN, "a CPU is idle");
}

Test(taken, a_thread_that_wanted_a_cpu_and_has_not_run_since_still_waits)
{
    write_sched_file(&tracee.files.sched_fd, TAKEN_AT - 5000 * US, RUN_NS);
    cr_assert_not(tick_judge_taken(&tracer, &tracee), "the first look");
    cr_assert(tick_judge_taken(&tracer, &tracee), "it has not run");
    write_sched_file(&tracee.files.sched_fd, TAKEN_AT - 3000 * US, RUN_NS + 1);
    cr_assert_not(tick_judge_taken(&tracer, &tracee), "it has run");
    tracee.look.runnable = false;
    cr_assert_not(tick_judge_taken(&tracer, &tracee), "it was asleep");
}

/* The tracer's own file says 900 us and 40 us of CPU time, and its CPU time is 45 us by now: the scheduler's clock
 * shows 905 us. That was 30 us after the tracer got its CPU. */
Test(taken, the_time_at_which_the_tracer_got_its_cpu_is_on_the_schedulers_clock)
{
    tracer.clock.at = 70030 * US;
    tracer.clock.cpu_ns = 45 * US;
    tracer.sleep.cpu_at = 70000 * US;
    write_sched_file(&tracer_task.sched_fd, 900 * US, 40 * US);
    tick_note_taken(&tracer);
    cr_assert_eq(tracer.tick.taken_at, 875 * US);
    supervisor.options.wary = true;
    tick_note_taken(&tracer);
    cr_assert_eq(tracer.tick.taken_at, 0, "--wary");
    supervisor.options.wary = false;
    tracer.sleep.cpu_at = 0;
    tick_note_taken(&tracer);
    cr_assert_eq(tracer.tick.taken_at, 0, "not known when the tracer got its CPU");
}

/* --- late ticks ------------------------------------------------------------------------------ */

/* Returns true if a tick is late at which the tracer, asleep when the tick was due, got its CPU delay_ns afterwards. */
static bool comes_late(uint64_t delay_ns, uint64_t waited_ns)
{
    uint64_t due = tracer.tick.was_due + 1000 * US;

    tracer.tick.was_due = due;
    tracer.sleep.began_at = due - 500 * US;
    tracer.sleep.ended_at = tracer.sleep.cpu_at = due + delay_ns;
    tracer.waited_ns = tracer_wait;
    tracer_wait += waited_ns;
    tick_judge_lateness(&tracer);
    return tracer.tick.late;
}

static void get_used_to(uint64_t delay_ns)
{
    for (unsigned i = 0; i < 1000; i++)
        comes_late(delay_ns, 0);
    tracer.tick.late_ticks = 0;
}

Test(taken, a_tick_is_late_if_the_tracer_had_to_wait_for_long)
{
    get_used_to(10 * US);
    cr_assert_not(comes_late(10 * US, 0));
    cr_assert_not(comes_late(85 * US, 75 * US), "a usual wait");
    cr_assert(comes_late(95 * US, 85 * US), "more than 80 us longer than usual");
    get_used_to(100 * US);
    cr_assert_not(comes_late(140 * US, 40 * US), "on a slow machine");
    cr_assert(comes_late(151 * US, 50 * US), "more than 150 us");
}

Test(taken, a_tick_is_late_if_its_timer_was_slow)
{
    get_used_to(10 * US);
    cr_assert_not(comes_late(24 * US, 0), "14 us slower than usual");
    cr_assert(comes_late(40 * US, 10 * US), "20 us of it are no wait");
    cr_assert_not(comes_late(40 * US, 20 * US), "10 us of it are no wait");
}

Test(taken, a_tick_is_late_if_the_tracer_was_awake_or_lost_its_cpu)
{
    get_used_to(10 * US);
    tracer.tick.lost_cpu = true;
    cr_assert(comes_late(10 * US, 0), "it lost its CPU meanwhile");
    tracer.tick.lost_cpu = false;
    cr_assert_not(comes_late(10 * US, 0));
    tracer.sleep.began_at = tracer.tick.was_due + 1;
    tick_judge_lateness(&tracer);
    cr_assert(tracer.tick.late, "it was awake");
}

Test(taken, after_many_late_ticks_the_next_one_counts)
{
    get_used_to(10 * US);
    for (unsigned i = 0; i < 8; i++)
        cr_assert(comes_late(1000 * US, 0), "tick %u", i);
    cr_assert_not(comes_late(1000 * US, 0));
    cr_assert(comes_late(1000 * US, 0));
}

/* The tracer visits two CPUs, so its next sample of the tracee represents two times the time of its ticks. */
Test(taken, the_next_sample_represents_what_a_late_tick_left_out)
{
    get_used_to(10 * US);
    tracer.tick.missed_ns = 300;
    comes_late(1000 * US, 0);
    tick_leave_out(&tracer, &tracee, 5000);
    cr_assert_eq(tracee.interrupt.late_ns, 2 * (5000 + 300));
    tracer.sleep.began_at = tracer.tick.was_due + 1;
    tick_leave_out(&tracer, &tracee, 5000);
    cr_assert_eq(tracee.interrupt.late_ns, 2 * (5000 + 300), "the tracer itself had its CPU when the tick was due");
}
