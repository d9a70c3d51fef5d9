/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds out which thread had the tracer's CPU when a tick was due, while no CPU is idle. The tick's timer has woken the
 * tracer, and the tracer has taken the CPU from the thread that had it.
 *
 * /proc/TID/sched shows when a thread was last on a CPU. A thread has lost its CPU to the tracer if it was on this CPU
 * until the tracer got it. Most of these threads now wait for a CPU. Some are asleep: the timer expired while such a
 * thread was about to sleep in a system call, and the kernel let it go on until it slept. All other threads had no CPU,
 * even if they want one: they may have waited before, or have been woken up since.
 *
 * The times of /proc/TID/sched are those of the scheduler's clock (rq_clock_task in kernel/sched/sched.h), which is not
 * CLOCK_MONOTONIC. So the tracer reads its own file, too. Just before, it reads its CPU time, because this makes the
 * kernel bring the times of the file up to date (task_sched_runtime in kernel/sched/core.c).
 *
 * Linux before 6.15 has this file only with CONFIG_SCHED_DEBUG. Without it, threads that want a CPU are interrupted,
 * and their stops show whether they had one (attribution.c).
 */
#include "config.h"

#include "base/clock.h"
#include "supervisor/debug-log.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/supervisor.h"
#include "supervisor/tick.h"
#include "supervisor/tracer-cpus.h"

/* When the tracer got its CPU is known only to within a few microseconds, and the earliest time is assumed. So a thread
 * that has lost its CPU to the tracer seems to have lost it up to AFTER_NS later (in ns), plus AFTER_CALLS times the
 * length of a system call of the tracer; seldom up to EARLY_NS before. The limits are needed because each CPU has a
 * scheduler's clock of its own: a thread that last ran on another CPU, and was woken up on the tracer's, may seem to
 * have run until any time. */
#define EARLY_NS 2000
#define AFTER_NS 2000
#define AFTER_CALLS 4
/* A tick is late if the tracer got its CPU LATE_NS (in ns) later than usual, or if its timer was slow: the timer
 * expired IDLE_NS (in ns) later than usual. With a smaller LATE_NS, fewer samples would fall into long system calls,
 * because many kernels take the CPU from a thread only at the end of its call. With a larger one, more samples would
 * fall into calls that sleep. */
#define LATE_NS 80000u
#define DELAY_MAX_NS 150000u /* a tick is also late if the tracer got its CPU this long after the tick was due, ns */
#define IDLE_NS 15000u
/* The CPU of a tracee that may soon exec is known only from its stops. Such a tracee is interrupted although it seems
 * to have had no CPU, if it has used SUSPECT_NS of CPU time (in ns) since a tick last interrupted it: it may be on a
 * CPU that the tracer does not visit. */
#define SUSPECT_NS 8000000u
#define USUAL_STEP_NS 200u /* the estimate of the usual delay grows by this at each slower tick, ns */
/* If LATE_TICKS_MAX ticks in a row have come late, the next tick takes samples even if it is late: a biased sample is
 * better than no sample. */
#define LATE_TICKS_MAX 8

void tick_note_taken(struct tracer *tracer)
{
    struct tick *tick = &tracer->tick;
    struct procfs_last_run run;

    tick->lost_cpu = tracer_read_clock(tracer);
    tick->taken_at = 0;
    if (tracer->supervisor->options.wary || tracer->sleep.cpu_at == 0 ||
        procfs_read_last_run(tracer_files(tracer), &run) < 0)
        return;
    uint64_t clock_at = run.at - (run.run_ns - tracer->clock.cpu_ns);
    tick->taken_at = clock_at - (tracer->clock.at - tracer->sleep.cpu_at);
}

/* Returns true if a thread that was last on a CPU at the time last_run_at, on the scheduler's clock, was there until
 * the tracer got its CPU. */
static bool tick_ran_until_taken(const struct tracer *tracer, uint64_t last_run_at)
{
    int64_t later = (int64_t)(last_run_at - tracer->tick.taken_at);

    return later >= -EARLY_NS && later <= AFTER_NS + AFTER_CALLS * (int64_t)tracer->clock.call_ns;
}

/* Returns true if the tracee last ran on the tracer's CPU. This cannot be read of a tracee that may soon exec. But a
 * thread of another CPU seldom seems to have run until just this time, so it is assumed that the tracee ran here. */
static bool tick_ran_here(const struct tracer *tracer, struct tracee *tracee)
{
    if (tracee->files.may_exec)
        tracee->look.cpu = tracer->affinity.cpu;
    else
        tick_note_cpu(tracee);
    return tracee->look.cpu == tracer->affinity.cpu;
}

bool tick_judge_taken(const struct tracer *tracer, struct tracee *tracee)
{
    struct tracee_look *look = &tracee->look;
    uint64_t run_ns = look->last_run.run_ns;

    look->taken = CPU_TAKEN_UNKNOWN;
    if (!tracer->supervisor->cpus.full || tracer->tick.taken_at == 0 || tick_has_to_stop(tracee) ||
        procfs_read_last_run(&tracee->files, &look->last_run) < 0)
        return false;
    bool until_taken = tick_ran_until_taken(tracer, look->last_run.at);
    bool suspect = tracee->files.may_exec && look->last_run.run_ns >= tracee->interrupt.run_ns + SUSPECT_NS;
    if (until_taken && tick_ran_here(tracer, tracee))
        look->taken = CPU_TAKEN_YES;
    else if (!suspect)
        look->taken = CPU_TAKEN_NO;
    return look->runnable && !until_taken && look->last_run.run_ns == run_ns;
}

/* --- late ticks ------------------------------------------------------------------------------ */

bool tick_found_asleep(const struct tracer *tracer)
{
    uint64_t due = tracer->tick.was_due;

    return tracer->sleep.began_at <= due && tracer->sleep.ended_at >= due;
}

uint64_t tick_hindered_since(const struct tracer *tracer)
{
    uint64_t due = tracer->tick.was_due;

    if (tick_found_asleep(tracer))
        return due;
    return (tracer->sleep.ended_at < due ? tracer->sleep.ended_at : due) - PREEMPTED_NS;
}

/* Updates the estimate of the usual delay. */
static void tick_note_delay(struct tick *tick, uint64_t delay)
{
    if (tick->usual_delay_ns == 0)
        tick->usual_delay_ns = delay + 1;
    else if (delay >= tick->usual_delay_ns)
        tick->usual_delay_ns += USUAL_STEP_NS;
    else
        tick->usual_delay_ns -= tick->usual_delay_ns > 7 * USUAL_STEP_NS ? 7 * USUAL_STEP_NS : 0;
}

/* Returns true if the tracer got its CPU so late after this tick was due that the instant is not random. There are two
 * possible reasons. The tracer had to wait for long: then it may have got the CPU only when a tracee went to sleep, or
 * had used up its turn or the quota of its group, which often happens in a system call. Or the CPU was idle when the
 * tick was due, and needed time to wake up, above all in a virtual machine: then the timer expired later than usual. A
 * tracee that was woken up in this time may have got the CPU just before the tracer. */
static bool tick_got_cpu_late(struct tracer *tracer)
{
    struct tick *tick = &tracer->tick;
    uint64_t cpu_at = tracer->sleep.cpu_at, delay = cpu_at > tick->was_due ? cpu_at - tick->was_due : 0;

    tick_note_delay(tick, delay);
    uint64_t more = delay > tick->usual_delay_ns ? delay - tick->usual_delay_ns : 0;
    if (more >= LATE_NS || delay >= DELAY_MAX_NS)
        return true;
    if (more < IDLE_NS)
        return false;
    /* includes waits after earlier stops, so a few ticks whose timer was slow are not recognized */
    uint64_t waited = tracer_read_wait(tracer) - tracer->waited_ns;
    return more >= waited + IDLE_NS;
}

void tick_judge_lateness(struct tracer *tracer)
{
    struct tick *tick = &tracer->tick;
    bool late = tracer->sleep.cpu_at == 0 || tick->lost_cpu || !tick_found_asleep(tracer) || tick_got_cpu_late(tracer);

    tick->late = late && tick->late_ticks < LATE_TICKS_MAX;
    tick->late_ticks = tick->late ? tick->late_ticks + 1 : 0;
}

void tick_leave_out(struct tracer *tracer, struct tracee *tracee, uint64_t interval)
{
    debug_log(tracer, "late %d", tracee->tid);
    if (tick_found_asleep(tracer))
        tracee->interrupt.late_ns += (interval + tracer->tick.missed_ns) * affinity_cpu_count(tracer);
}
