/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collects what is known of the CPU time of a thread and its process. From this, accounting.c computes the CPU time
 * that a sample of the thread represents. */
#include "config.h"

#include "base/clock.h"
#include "dialect/dialect.h"
#include "supervisor/accounting.h"
#include "supervisor/attribution.h"
#include "supervisor/budget.h"
#include "supervisor/cpu-time.h"
#include "supervisor/debug-log.h"
#include "supervisor/emit.h"
#include "supervisor/serve/serve.h"
#include "supervisor/supervisor.h"
#include "wire/wire.h"

/* A sample of a young thread (accounting.h) represents at least 1/YOUNG_SHARES of the unsampled CPU time of its
 * process, that is, of the CPU time that no sample represents yet. */
#define YOUNG_SHARES 4u
/* the samples of a thread may represent its CPU time plus at most AHEAD_MAX stretches */
#define AHEAD_MAX 8
/* the clock of a process may lag behind by up to this time, ns, for each CPU on which its threads run */
#define KERNEL_TICK_NS 4000000u

/* Returns weight.process_shares. For a process that profiles itself, the first sample represents all CPU time that no
 * sample represents yet, the second sample represents half of it, the third a third, and each later one 1/YOUNG_SHARES.
 * Such a process may get only few samples. Even then, these must represent all of its CPU time. */
static unsigned attribution_young_shares(const struct supervisor *supervisor, const struct process *process)
{
    uint64_t count = process->sampled.count;

    return supervisor->options.serve && count < YOUNG_SHARES ? (unsigned)count + 1 : YOUNG_SHARES;
}

/* Returns true if the process profiles itself, with one histogram for the tracee and its other threads. */
static bool attribution_is_shared(const struct tracee *tracee)
{
    const struct dialect_count *count = counts_of(tracee->process, tracee->tid);

    return count != NULL && !counts_has_own(tracee->process, tracee->tid) && count->on;
}

/* Returns the CPU time of the tracee that no sample represents yet, ns; may be negative. used_ns: its total CPU time.
 */
static int64_t attribution_debt(const struct tracee *tracee, uint64_t used_ns)
{
    return (int64_t)(used_ns - tracee->time.base_ns - tracee->time.attributed_ns);
}

/* Returns the CPU time of the tracee since its last sample, ns. used_ns: its total CPU time. */
static int64_t attribution_since(const struct tracee *tracee, uint64_t used_ns)
{
    const struct tracee_time *time = &tracee->time;

    return (int64_t)(used_ns - (time->sampled_ns > time->base_ns ? time->sampled_ns : time->base_ns));
}

/*
 * Returns what is known of the CPU time of a thread that gets a sample.
 *
 * If threads compete for CPUs, the samples of a thread may represent more CPU time than it has used: up to AHEAD_MAX
 * stretches more. If a program profiles itself, they may represent at most one period more, because the program may
 * compare them with its CPU clock even after few samples. It may also turn profiling on again and again, for less than
 * a period each time. So its threads always count as young (accounting.h), unless a thread has a histogram of its own.
 * The time that the samples represent then approaches the CPU time of the whole process, which is known better than
 * that of a thread.
 */
static struct weight attribution_account(struct supervisor *supervisor, const struct tracee *tracee)
{
    struct process *process = tracee->process;
    const struct dialect_count *count = counts_of(process, tracee->tid);
    bool own = counts_has_own(process, tracee->tid);
    uint64_t age_ns = 0, used = own ? 0 : process_cpu_lately(process, time_now(), &age_ns);
    int cpus = CPU_COUNT(&supervisor->cpus.set);
    uint64_t period = count != NULL ? count->period_ns : 0;
    int64_t left = (int64_t)(used - process->sampled.attributed_ns);
    int64_t of_all = supervisor->ended.left_ns + tracee->tracer->tick.left_ns;

    return (struct weight){
        .stretch = (int64_t)tracee->interrupt.pending_ns,
        .late = (int64_t)tracee->interrupt.late_ns,
        .debt = attribution_debt(tracee, tracee->time.used_ns),
        .since = attribution_since(tracee, tracee->time.used_ns),
        .last_stretch = (int64_t)tracee->time.stretch_ns,
        .samples = count != NULL && !own ? 0 : tracee->time.samples,
        .ahead = count != NULL ? (int64_t)period : AHEAD_MAX * (int64_t)tracee->interrupt.pending_ns,
        .process_known = used > 0,
        .process_left = left,
        .process_lag = (int64_t)(KERNEL_TICK_NS + age_ns) * cpus + (int64_t)period,
        .process_shares = attribution_young_shares(supervisor, process),
        .others_left = attribution_is_shared(tracee) ? of_all - left : 0,
        .others_room = (int64_t)(period - process->sampled.for_others_ns)};
}

static void attribution_note_sampled(struct tracee *tracee, uint64_t cpu_ns)
{
    tracee->process->sampled.attributed_ns += cpu_ns;
    tracee->time.attributed_ns += cpu_ns;
}

/* Reports CPU time that the tracee has used up to the time `until`, and for which there are no samples. */
static void attribution_emit_unsampled(struct supervisor *supervisor, struct tracee *tracee, uint64_t until,
                                       uint64_t cpu_ns)
{
    struct wire_sample sample = {
        .time = until, .cpu_ns = cpu_ns, .syscall = WIRE_NO_SYSCALL, .flags = WIRE_SAMPLE_UNSAMPLED};

    attribution_note_sampled(tracee, cpu_ns);
    debug_log(tracee->tracer, "unsampled %d %llu", tracee->tid, (unsigned long long)cpu_ns);
    if (supervisor->options.wall)
        sample.wall_ns = cpu_ns;
    wall_time_book_run(&tracee->sleep.wall, sample.wall_ns);
    emit_sample(supervisor, tracee, &sample, NULL);
}

uint64_t attribution_weigh(struct supervisor *supervisor, struct tracee *tracee)
{
    struct process *process = tracee->process;
    struct weight weight = attribution_account(supervisor, tracee);
    uint64_t unsampled = supervisor->options.serve ? 0 : weight_take_unsampled(&weight);

    if (unsampled > 0)
        attribution_emit_unsampled(supervisor, tracee, tracee->interrupt.at - tracee->interrupt.pending_ns, unsampled);
    uint64_t share = weight_of_sample(&weight), for_others = weight_for_others(&weight);
    if (attribution_is_shared(tracee))
        tracee->tracer->tick.left_ns -= (int64_t)share;
    supervisor->ended.left_ns -= (int64_t)for_others;
    process->sampled.for_others_ns += for_others;
    process->sampled.count++;
    attribution_note_sampled(tracee, share);
    tracee->time.sampled_ns = tracee->time.used_ns;
    tracee->time.stretch_ns = tracee->interrupt.pending_ns;
    return share + for_others;
}

void attribution_report_unsampled(struct supervisor *supervisor, struct tracee *tracee, uint64_t used_ns)
{
    struct weight weight = {.stretch = (int64_t)budget_period(&supervisor->budget),
                            .last_stretch = (int64_t)tracee->time.stretch_ns,
                            .debt = attribution_debt(tracee, used_ns),
                            .since = attribution_since(tracee, used_ns)};
    bool interrupted = tracee->state != TRACEE_RUNNING || tracee->interrupt.pending_ns > 0 ||
                       tracee->interrupt.overdue_ns > 0;
    /* the sample of an interrupted tracee will represent its time up to the stop */
    uint64_t unsampled = interrupted ? 0 : weight_take_unsampled(&weight);

    if (unsampled == 0)
        return;
    attribution_emit_unsampled(supervisor, tracee, tracee->tracer->tick.at, unsampled);
    tracee->time.sampled_ns = used_ns;
}

void attribution_note_end(struct supervisor *supervisor, const struct process *process)
{
    bool known = supervisor->sampling && process->clock.known_ns > 0;

    if (known && counts_of_all(process) != NULL)
        supervisor->ended.left_ns +=
            (int64_t)(process->clock.known_ns - process->untraced_ns - process->sampled.attributed_ns);
}
