/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collects what is known of the CPU time of a thread and its process. From this, accounting.c computes the CPU time
 * that a sample of the thread represents. */
#include "config.h"

#include "base/clock.h"
#include "dialect/dialect.h"
#include "supervisor/accounting.h"
#include "supervisor/attribution.h"
#include "supervisor/cpu-time.h"
#include "supervisor/debug-log.h"
#include "supervisor/emit.h"
#include "supervisor/proc/procfs.h"
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
/* If a thread has used less CPU time than this, ns, while its tracer got no CPU, its next samples represent it. */
#define UNSAMPLED_MIN_NS 10000000u

/* Returns weight.process_shares. For a process that profiles itself, the first sample represents all CPU time that no
 * sample represents yet, the second sample represents half of it, the third a third, and each later one 1/YOUNG_SHARES.
 * Such a process may get only few samples. Even then, these must represent all of its CPU time. */
static unsigned attribution_young_shares(const struct supervisor *supervisor, const struct process *process)
{
    uint64_t count = process->sampled.count;

    return supervisor->options.serve && count < YOUNG_SHARES ? (unsigned)count + 1 : YOUNG_SHARES;
}

static void attribution_note_sampled(struct tracee *tracee, uint64_t cpu_ns)
{
    tracee->process->sampled.attributed_ns += cpu_ns;
    tracee->time.attributed_ns += cpu_ns;
}

/*
 * Returns the CPU time that a sample of a thread on a CPU represents, ns.
 *
 * If threads compete for CPUs, the samples of a thread may represent more CPU time than it has used: up to AHEAD_MAX
 * stretches more. If a program profiles itself, they may represent at most one period more, because the program may
 * compare them with its CPU clock even after few samples. It may also turn profiling on again and again, for less than
 * a period each time. So its threads always count as young (accounting.h), unless a thread has a histogram of its own.
 * The time that the samples represent then approaches the CPU time of the whole process, which is known better than
 * that of a thread.
 */
uint64_t attribution_weigh(struct supervisor *supervisor, struct tracee *tracee)
{
    struct process *process = tracee->process;
    struct tick *tick = &tracee->tracer->tick;
    const struct dialect_count *count = counts_of(process, tracee->tid);
    bool own = counts_has_own(process, tracee->tid);
    uint64_t age_ns = 0, used = own ? 0 : process_cpu_lately(process, time_now(), &age_ns);
    int cpus = CPU_COUNT(&supervisor->cpus.set);
    uint64_t period = count != NULL ? count->period_ns : 0;
    int64_t left = (int64_t)(used - process->sampled.attributed_ns);
    bool shared = count != NULL && !own && count->on;
    const struct weight weight = {
        .stretch = (int64_t)tracee->interrupt.pending_ns,
        .late = (int64_t)tracee->interrupt.late_ns,
        .debt = (int64_t)(tracee->time.used_ns - tracee->time.base_ns - tracee->time.attributed_ns),
        .samples = count != NULL && !own ? 0 : tracee->time.samples,
        .ahead = count != NULL ? (int64_t)period : AHEAD_MAX * (int64_t)tracee->interrupt.pending_ns,
        .process_known = used > 0,
        .process_left = left,
        .process_lag = (int64_t)(KERNEL_TICK_NS + age_ns) * cpus + (int64_t)period,
        .process_shares = attribution_young_shares(supervisor, process),
        .others_left = shared ? supervisor->ended.left_ns + tick->left_ns - left : 0,
        .others_room = (int64_t)(period - process->sampled.for_others_ns)};
    uint64_t share = weight_of_sample(&weight), for_others = weight_for_others(&weight);

    if (shared)
        tick->left_ns -= (int64_t)share;
    supervisor->ended.left_ns -= (int64_t)for_others;
    process->sampled.for_others_ns += for_others;
    process->sampled.count++;
    attribution_note_sampled(tracee, share);
    return share + for_others;
}

/* Returns the CPU time that the tracee has used while its tracer could not sample it for silence_ns, and that no sample
 * represents, ns. Returns 0 if the tracee was interrupted before: then it has a sample at its stop. */
static uint64_t attribution_unsampled(struct tracee *tracee, uint64_t silence_ns)
{
    const struct tracee_time *time = &tracee->time;
    struct procfs_cpu cpu;

    if (tracee->state != TRACEE_RUNNING || tracee->dropped || tracee->process->launching ||
        procfs_read_cpu(&tracee->files, &cpu) != 0)
        return 0;
    uint64_t known_ns = tracee->interrupt.run_ns > time->base_ns ? tracee->interrupt.run_ns : time->base_ns;
    uint64_t since = cpu.run_ns > known_ns ? cpu.run_ns - known_ns : 0;
    int64_t debt = (int64_t)(cpu.run_ns - time->base_ns - time->attributed_ns);
    uint64_t unsampled = since < silence_ns ? since : silence_ns;

    return debt <= 0 ? 0 : (uint64_t)debt < unsampled ? (uint64_t)debt : unsampled;
}

void attribution_report_unsampled(struct tracer *tracer, uint64_t silence_ns)
{
    struct supervisor *supervisor = tracer->supervisor;
    const struct tracees *tracees = &tracer->tracees;
    struct wire_sample sample = {
        .time = time_now(), .syscall = WIRE_NO_SYSCALL, .flags = WIRE_SAMPLE_UNSAMPLED};

    for (size_t i = 0; i < tracees->bucket_count; i++)
        for (struct tracee *tracee = tracees->buckets[i]; tracee != NULL; tracee = tracee->hash_next) {
            sample.cpu_ns = attribution_unsampled(tracee, silence_ns);
            if (sample.cpu_ns < UNSAMPLED_MIN_NS)
                continue;
            debug_log(tracer, "unsampled %d %llu", tracee->tid, (unsigned long long)sample.cpu_ns);
            attribution_note_sampled(tracee, sample.cpu_ns);
            sample.wall_ns = supervisor->options.wall ? sample.cpu_ns : 0;
            wall_time_book_run(&tracee->sleep.wall, sample.wall_ns);
            emit_sample(supervisor, tracee, &sample, NULL);
        }
}

void attribution_note_end(struct supervisor *supervisor, const struct process *process)
{
    bool known = supervisor->sampling && process->clock.known_ns > 0;

    if (known && counts_of_all(process) != NULL)
        supervisor->ended.left_ns +=
            (int64_t)(process->clock.known_ns - process->untraced_ns - process->sampled.attributed_ns);
}
