/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The first part of a tick: finds out what the active tracees are doing, and chooses the tracees to interrupt.
 *
 * A sleeping thread is left alone; in wall mode, the time of some sleeping threads is attributed. A running thread is
 * chosen, with two exceptions: the thread must not be interrupted (tick_has_to_stop), or the tick came too late.
 *
 * If no CPU is idle, only the thread is chosen from which the tracer has taken its CPU (tick-taken.c). If that thread
 * is asleep, its sample is taken at once. If it is not known which thread this is, all threads of this CPU that want it
 * are chosen. A thread on another CPU is left alone: it would stop some microseconds after the interrupt, nearly always
 * at its next system call (preempt.c).
 */
#include "config.h"

#include "base/clock.h"
#include "supervisor/attribution.h"
#include "supervisor/debug-log.h"
#include "supervisor/preempt.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/schedule.h"
#include "supervisor/serve/serve.h"
#include "supervisor/supervisor.h"
#include "supervisor/tick.h"
#include "supervisor/tracer-cpus.h"

/* A tracee's CPU, where it runs or waits, is read at most once in this time, ns. */
#define CPU_PERIOD_NS 2000000u
/* A tracee that a fork has made will probably exec soon. We assume this until it is EXEC_SOON_NS old and has used
 * EXEC_SOON_CPU_NS of CPU time. Its age alone is not enough: on a busy machine a tracee may wait longer than
 * EXEC_SOON_NS for its first CPU. */
#define EXEC_SOON_NS 200000000u
#define EXEC_SOON_CPU_NS 20000000u
/* When a tick samples a thread, its look.ran_ns and look.waited_ns lose 1/FADING of their values before new times are
 * added. */
#define FADING 32u
/* In wall mode, each tick also finds out what about this many of the inactive threads are doing. */
#define WALL_LOOKS 32u

bool tick_read_cpu(struct tracee *tracee)
{
    struct procfs_cpu cpu = {0};
    bool known = procfs_read_cpu(&tracee->files, &cpu) == 0;

    tracee->look.times = cpu;
    tracee->look.at = time_now();
    return known;
}

/* Finds out on which CPU the tracee runs or waits (look.cpu), unless this was read in the last CPU_PERIOD_NS. If the
 * tracee may soon exec, look.cpu stays the CPU on which it last stopped or lost its CPU to the tracer. */
static void tick_read_place(struct tracee *tracee)
{
    uint64_t now = time_now();

    if (!tracee->files.may_exec && now >= tracee->look.cpu_at + CPU_PERIOD_NS) {
        tracee->look.cpu = procfs_last_cpu(&tracee->files, false);
        tracee->look.cpu_at = now;
    }
}

void tick_note_cpu(struct tracee *tracee)
{
    tracee->look.cpu = procfs_last_cpu(&tracee->files, true);
    tracee->look.cpu_at = time_now();
}

/* Returns true if our tracers may run on this CPU. Targets may run on other CPUs, too. */
static bool tick_is_cpu_of_ours(const struct tracer *tracer, int cpu)
{
    return cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET(cpu, &tracer->supervisor->cpus.set);
}

/* If no CPU is idle: adds the tracee's CPU to the CPUs that the tracer will visit. This is done even if the tracee
 * sleeps now. */
static void tick_note_place(const struct tracer *tracer, const struct tracee *tracee, struct tick_running *running)
{
    if (tracer->supervisor->cpus.full && tick_is_cpu_of_ours(tracer, tracee->look.cpu))
        CPU_SET(tracee->look.cpu, &running->cpus);
}

/* If no CPU is idle: returns true if this tick must not sample the tracee, because the tracee had no CPU when the tick
 * was due, or is on another CPU of ours (tick_is_cpu_of_ours). A tracee whose CPU is not known, or is not ours, may be
 * interrupted at every tick. */
static bool tick_sort_out(struct tracer *tracer, struct tracee *tracee, struct tick_running *running)
{
    bool here = tracee->look.cpu == tracer->affinity.cpu, taken = tracee->look.taken == CPU_TAKEN_YES;
    bool had_none = tracee->look.taken == CPU_TAKEN_NO;
    bool away = !here && !taken && tick_is_cpu_of_ours(tracer, tracee->look.cpu);

    if (away && running->away_count < AWAITED_MAX)
        running->away[running->away_count++] = tracee;
    if (tracer->supervisor->options.wall && tick_read_cpu(tracee))
        attribution_waiting(tracer, tracee);
    if (had_none && (here || tracee->files.may_exec)) /* look.cpu may be wrong if the tracee may soon exec */
        debug_log(tracer, "waits %d", tracee->tid);
    else if (!away)
        return false;
    return true;
}

/* Updates look.ran_ns and look.waited_ns: adds the times for which the thread has run, and has waited for a CPU, since
 * a tick last sampled it. At the first sample, these are the times since it was born. */
static void tick_note_waits(struct tracee *tracee, const struct procfs_cpu *cpu)
{
    tracee->look.ran_ns -= tracee->look.ran_ns / FADING;
    tracee->look.waited_ns -= tracee->look.waited_ns / FADING;
    if (cpu->run_ns > tracee->interrupt.run_ns)
        tracee->look.ran_ns += cpu->run_ns - tracee->interrupt.run_ns;
    if (cpu->wait_ns > tracee->interrupt.wait_ns)
        tracee->look.waited_ns += cpu->wait_ns - tracee->interrupt.wait_ns;
}

void tick_add_pending(struct tracee *tracee, uint64_t pending_ns)
{
    struct interrupt *interrupt = &tracee->interrupt;
    const struct procfs_cpu *cpu = &tracee->look.times;

    if (tracee->look.at < tracee->tracer->tick.at)
        tick_read_cpu(tracee);
    tick_note_waits(tracee, cpu);
    uint64_t ran = cpu->run_ns - interrupt->run_ns;
    /* overdue_ns is more than 0 if the tracee was left alone until its system call had ended: backoff of calls.h */
    interrupt->pending_ns += interrupt->overdue_ns < ran ? interrupt->overdue_ns : ran;
    interrupt->wait_ns = cpu->wait_ns;
    interrupt->run_ns = cpu->run_ns;
    /* pending_ns is more than 0 if the last interrupt led to no sample, because a stop with another cause came first */
    interrupt->pending_ns += pending_ns + interrupt->skipped_ns;
    interrupt->overdue_ns = interrupt->skipped_ns = 0;
    interrupt->late_ns += tracee->tracer->tick.missed_ns * affinity_cpu_count(tracee->tracer);
}

/* Takes a sample of a tracee that has fallen asleep just when the tracer took its CPU. Returns false if the tracee has
 * been woken up since then: it must be interrupted. */
static bool tick_sample_asleep(struct tracer *tracer, struct tracee *tracee, uint64_t interval)
{
    struct procfs_state state;

    procfs_look(&tracee->files, &state);
    if (state.doing == PROCFS_RUNNING)
        return false;
    if (state.doing != PROCFS_SLEEPING || state.pc == 0) { /* the address at which it sleeps cannot be read */
        tick_leave_out(tracer, tracee, interval);
        return true;
    }
    tick_add_pending(tracee, interval * affinity_cpu_count(tracer));
    tracee->interrupt.at = tracer->tick.at;
    attribution_fell_asleep(tracer, tracee, &state);
    return true;
}

static void tick_sort_running(struct tracer *tracer, struct tracee *tracee, uint64_t interval,
                              struct tick_running *running)
{
    const struct tick *tick = &tracer->tick;
    bool full = tracer->supervisor->cpus.full;

    if (tick_has_to_stop(tracee)) {
        tracee->interrupt.overdue_ns += interval + tick->missed_ns;
        running->unstopped++;
        return;
    }
    if (full && tick_sort_out(tracer, tracee, running))
        return;
    if (tick->late && tracee->look.cpu == tracer->affinity.cpu) {
        tick_leave_out(tracer, tracee, interval);
        return;
    }
    if (!tracee->look.runnable && tick_sample_asleep(tracer, tracee, interval))
        return;
    bool placed = !tracee->files.may_exec || tracee->look.cpu >= 0;
    if (!full && placed && preempt_wanted(tracee) && running->preempted_count < AWAITED_MAX) {
        running->preempted[running->preempted_count++] = tracee;
        return;
    }
    unsigned slot = running->count++;
    if (slot >= AWAITED_MAX)
        slot = schedule_random(&tracer->schedule, running->count);
    if (slot < AWAITED_MAX)
        running->chosen[slot] = tracee;
}

/* Returns true if ticks must look at the tracee: its state is RUNNING, INTERRUPTED or CONTINUING, its process is not
 * launching, and it is not dropped. An INTERRUPTED tracee may be asleep: some sleeps do not end at an interrupt, for
 * example the sleep of a vfork. */
static bool tick_is_looked_at(const struct tracee *tracee)
{
    enum tracee_state state = tracee->state;

    return (state == TRACEE_RUNNING || state == TRACEE_INTERRUPTED || state == TRACEE_CONTINUING) &&
           !tracee->process->launching && !tracee->dropped;
}

/* Sets files.may_exec to false as soon as the tracee is old enough: most execs come soon after the fork. The tracee
 * must have been seen outside of an exec at that age, either at a stop or asleep (a sleeping task is hardly ever in an
 * exec). Its sleep counts only in wall mode, in which procfs_look finds out the system call in which it sleeps. */
static void tick_note_no_exec(const struct tracer *tracer, struct tracee *tracee, enum procfs_doing doing)
{
    if (!tracee->files.may_exec)
        return;
    bool sleeps = doing == PROCFS_SLEEPING && tracer->supervisor->options.wall;
    uint64_t outside_at = sleeps ? tracer->tick.at : tracee->interrupt.seen_at;
    if (outside_at >= tracee->born_at + EXEC_SOON_NS && (sleeps || tracee->interrupt.run_ns >= EXEC_SOON_CPU_NS))
        procfs_task_will_not_exec(&tracee->files);
}

/* Finds out what a tracee is doing. Returns false if the tracee certainly had no CPU. Returns true otherwise; then
 * tick_sort_running decides what to do. */
static bool tick_look(struct tracer *tracer, struct tracee *tracee, struct tick_running *running)
{
    struct procfs_state state = {.doing = PROCFS_RUNNING};
    bool waits = tick_judge_taken(tracer, tracee), taken = tracee->look.taken == CPU_TAKEN_YES;

    tracee->files.asks_calls = tracer->supervisor->options.wall;
    if (!waits)
        procfs_look(&tracee->files, &state);
    if (state.doing == PROCFS_SLEEPING && tracer->supervisor->options.wall && !taken)
        attribution_sleeping(tracer, tracee, &state);
    tick_note_no_exec(tracer, tracee, state.doing);
    bool runnable = state.doing == PROCFS_RUNNING;
    tracee->look.runnable = runnable;
    preempt_note(tracee, runnable);
    if (runnable)
        tracee->activity.until = tracer->tick.at + tracee->activity.span;
    running->runnable += runnable;
    if (runnable && !waits && tracer->supervisor->cpus.full && !tick_has_to_stop(tracee))
        tick_read_place(tracee);
    tick_note_place(tracer, tracee, running);
    return (runnable && !waits) || taken;
}

/* For programs that profile themselves: adds the CPU time of the tracee that no sample represents to tick.left_ns. */
static void tick_note_left(struct tracer *tracer, const struct tracee *tracee)
{
    uint64_t ran = tracee->look.times.run_ns > tracee->time.used_ns ? tracee->look.times.run_ns : tracee->time.used_ns;

    if (counts_of_all(tracee->process) != NULL)
        tracer->tick.left_ns += (int64_t)(ran - tracee->time.base_ns - tracee->time.attributed_ns);
}

void tick_find_running(struct tracer *tracer, uint64_t interval, struct tick_running *running)
{
    struct tracee *tracee;
    bool from_others = tracer->supervisor->cpus.full;

    running->count = running->preempted_count = running->away_count = running->unstopped = running->runnable = 0;
    CPU_ZERO(&running->cpus);
    tracer->tick.left_ns = 0;
    if (tracer->supervisor->cpus.full)
        tick_note_taken(tracer);
    for (tracee = tracer->tracees.active; tracee != NULL; tracee = tracee->activity.next) {
        bool looked_at = tick_is_looked_at(tracee);
        tracee->look.wanted = looked_at && tick_look(tracer, tracee, running);
        from_others = from_others && (!looked_at || tracee->look.taken == CPU_TAKEN_NO);
        if (tracer->supervisor->options.serve)
            tick_note_left(tracer, tracee);
    }
    tracer->tick.from_others = from_others;
    tracer->tick.late = false;
    if (tracer->supervisor->cpus.full)
        tick_judge_lateness(tracer);
    for (tracee = tracer->tracees.active; tracee != NULL; tracee = tracee->activity.next)
        if (tracee->look.wanted)
            tick_sort_running(tracer, tracee, interval, running);
}

unsigned tick_chosen_count(const struct tick_running *running)
{
    return running->count < AWAITED_MAX ? running->count : AWAITED_MAX;
}

void tick_look_at_sleepers(struct tracer *tracer)
{
    const struct tracees *tracees = &tracer->tracees;
    size_t *bucket = &tracer->tick.wall_bucket;
    unsigned looks = 0;

    for (size_t i = 0; i < tracees->bucket_count && looks < WALL_LOOKS; i++) {
        *bucket = (*bucket + 1) & (tracees->bucket_count - 1);
        for (struct tracee *tracee = tracees->buckets[*bucket]; tracee != NULL; tracee = tracee->hash_next) {
            struct procfs_state state;
            if (tracee->activity.active || !tick_is_looked_at(tracee))
                continue;
            looks++;
            procfs_look(&tracee->files, &state);
            if (state.doing == PROCFS_SLEEPING)
                attribution_sleeping(tracer, tracee, &state);
            else if (state.doing == PROCFS_RUNNING)
                tracee_activate(&tracer->tracees, tracee, tracer->tick.at);
        }
    }
}
