/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a tick: the tracer finds out what its active tracees are doing, interrupts those that run, and awaits their
 * stops, which at-stop.c answers. A tick allocates only when it starts a thread: a tracer, or the occupier of
 * preempt.c. While the tracer polls for stops, it may also answer stops of new tasks, and this allocates.
 *
 * If a CPU is idle, the tracer polls for the stops on that CPU (wait.c). If no CPU is idle, the tracer would poll on
 * the CPU that the tracee needs. So it sleeps, and the scheduler runs the tracee in its place until the tracee stops.
 * While no CPU is idle, only threads of the tracer's CPU are interrupted, because the tracer has just taken that CPU
 * from one of them. The tracer visits the CPUs of its tracees in turn.
 *
 * A thread that waits for a CPU looks as if it ran. tick-taken.c recognizes such threads if the kernel has the file
 * /proc/TID/sched. Otherwise they are interrupted, and stop when they get a CPU. Their run-queue waits then show that
 * they were not running at the tick. If every tracee that wants a CPU was interrupted and has not stopped yet, ticks
 * pause until one has stopped: tick-arm.c.
 */
#include "config.h"

#include <sys/ptrace.h>

#include "base/clock.h"
#include "supervisor/attribution.h"
#include "supervisor/budget.h"
#include "supervisor/debug-log.h"
#include "supervisor/follow.h"
#include "supervisor/preempt.h"
#include "supervisor/proc/objects.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/sampling.h"
#include "supervisor/schedule.h"
#include "supervisor/stop.h"
#include "supervisor/supervisor.h"
#include "supervisor/tick.h"
#include "supervisor/tracer-cpus.h"

/* A tracer that woke up this long after its tick was due (ns), or later, is not bound to a CPU. */
#define STARVED_NS 20000000u
/* If the tracer got no CPU for this long, ns, the CPU time of its tracees meanwhile counts as not sampled. */
#define SILENCE_MIN_NS 250000000u
/* Threads are stopped for a handover at most once in this time, ns. */
#define LEAVING_PERIOD_NS 10000000u
/* If the time from one tick to the next is FEW_TICKS_PERIOD_NS (in ns) or more, it costs little to interrupt more
 * threads at each tick. */
#define FEW_TICKS_PERIOD_NS 5000000u
/* If the tracer polls for stops, one tick interrupts at most INTERRUPTS_MAX threads, one after the other. So each
 * thread is stopped as briefly as if it were alone. If the tracer sleeps, one tick interrupts at most
 * INTERRUPTS_FULL_MAX threads (tick_interrupts_max has an exception). */
#define INTERRUPTS_FULL_MAX 2u

/* Sends an interrupt to the tracee. since: the time since which we may have kept the tracee off a CPU. Returns true if
 * the tracee will stop. */
static bool tick_interrupt(struct tracee *tracee, uint64_t pending_ns, uint64_t since)
{
    struct interrupt *interrupt = &tracee->interrupt;

    tick_add_pending(tracee, pending_ns);
    interrupt->at = interrupt->sent_at = time_now();
    interrupt->hindered_at = since;
    interrupt->had_cpu = tracee->look.taken == CPU_TAKEN_YES;
    if (ptrace(PTRACE_INTERRUPT, tracee->tid, NULL, NULL) < 0) {
        /* the thread is ending, or has another tracer by now, which will drop this tracee */
        interrupt->pending_ns = 0;
        handover_regain(tracee);
        return false;
    }
    tracee->state = TRACEE_INTERRUPTED;
    debug_log(tracee->tracer, "interrupt %d", tracee->tid);
    return true;
}

/* If a CPU is idle, or if the tracer woke up STARVED_NS or more too late (probably because of a real-time thread),
 * allows the tracer to run on all CPUs. Otherwise moves it to a CPU of its tracees. Returns true if it has moved. */
static bool tick_rotate_cpus(struct tracer *tracer)
{
    const struct tick *tick = &tracer->tick;
    bool starved = tick_found_asleep(tracer) && tracer->sleep.ended_at >= tick->was_due + STARVED_NS;

    if (tracer->supervisor->cpus.full && !starved)
        return affinity_rotate(tracer);
    CPU_ZERO(&tracer->affinity.cpus);
    affinity_unbind(tracer);
    return false;
}

/* --- the tick -------------------------------------------------------------------------------- */

static void tick_interrupt_one(struct tracer *tracer, struct tracee *tracee, uint64_t pending_ns, uint64_t since)
{
    struct tick *tick = &tracer->tick;

    if (tick->awaited_count < AWAITED_MAX && tick_interrupt(tracee, pending_ns, since))
        tick->awaited[tick->awaited_count++] = tracee->tid;
}

/* Interrupts the tracees of running->preempted that are on the CPU that the occupier has taken (preempt.c). If there
 * are none, interrupts one tracee of running->preempted, or leaves all of them to the next tick. */
static void tick_interrupt_preempted(struct tracer *tracer, struct tick_running *running, uint64_t interval, bool held)
{
    const struct preempt *preempt = &tracer->preempt;
    uint64_t due = preempt->due, woken = tracer->sleep.ended_at - PREEMPTED_NS;
    unsigned times = 1;

    tracer->tick.awaited_count = 0;
    unsigned count = preempt_choose(tracer, running->preempted, running->preempted_count, held, &times);
    for (unsigned i = 0; count == 0 && i < running->preempted_count; i++)
        running->preempted[i]->interrupt.skipped_ns += interval;
    for (unsigned i = 0; i < count; i++)
        tick_interrupt_one(tracer, running->preempted[i], interval * times, preempt->taken ? due : woken);
}

static void tick_await_without_lock(struct tracer *tracer)
{
    supervisor_unlock(tracer->supervisor);
    wait_for_tick_stops(tracer);
    supervisor_lock(tracer->supervisor);
}

/* Returns how many threads this tick may interrupt. The limit is lower if no CPU is idle. It is not lowered for
 * programs that profile themselves and request few ticks, because they compare the number of samples with the CPU time
 * that they have used. */
static unsigned tick_interrupts_max(const struct supervisor *supervisor)
{
    bool few = supervisor->options.serve && budget_period(&supervisor->budget) >= FEW_TICKS_PERIOD_NS;

    return supervisor->cpus.full && !few ? INTERRUPTS_FULL_MAX : INTERRUPTS_MAX;
}

/* Chooses at random which tracees of running->chosen this tick interrupts. Moves them to the beginning of
 * running->chosen, and stores their thread ids in running->tids. Returns how many they are. */
static unsigned tick_limit(struct tracer *tracer, struct tick_running *running)
{
    unsigned most = tick_interrupts_max(tracer->supervisor);
    unsigned chosen = tick_chosen_count(running), count = chosen < most ? chosen : most;

    for (unsigned i = 0; i < count; i++) {
        unsigned drawn = i + schedule_random(&tracer->schedule, chosen - i);
        struct tracee *tracee = running->chosen[drawn];
        running->chosen[drawn] = running->chosen[i];
        running->chosen[i] = tracee;
        running->tids[i] = tracee->tid;
    }
    return count;
}

/* Interrupts the first `count` of the chosen tracees. Finds each by its thread id, because the answer to a stop may
 * have freed any tracee. */
static void tick_interrupt_chosen(struct tracer *tracer, const struct tick_running *running, unsigned count,
                                  uint64_t interval)
{
    bool full = tracer->supervisor->cpus.full;

    for (unsigned i = 0; i < count; i++) {
        struct tracee *tracee = tracee_find(&tracer->tracees, running->tids[i]);
        if (tracee == NULL || tracee->state != TRACEE_RUNNING || tracee->dropped)
            continue;
        /* only the first tracee may have waited for our CPU: each later one runs while we poll for the stop of the
         * tracee before it */
        uint64_t since = i == 0 || full ? tick_hindered_since(tracer) : time_now();
        /* The tracer visits several CPUs in turn. It interrupts a tracee on one of them only while it is on that CPU
         * itself. So the tracee's sample also represents the ticks on the other CPUs. A tracee on any other CPU may be
         * interrupted at every tick */
        uint64_t round = full && tracee->look.cpu == tracer->affinity.cpu ? affinity_cpu_count(tracer) : 1;
        tick_interrupt_one(tracer, tracee, interval * round * running->count / count, since);
        if (!full)
            tick_await_without_lock(tracer);
    }
}

/* If no CPU is idle: stops a tracee in order to hand it over to the tracer of its CPU. The tracee is not sampled. It is
 * not handed over, either, if the stop finds it in a system call, or if the other tracer is awake. */
static void tick_interrupt_leaving(struct tracer *tracer, const struct tick_running *running)
{
    if (tracer->tick.at < tracer->tick.leaving_at)
        return;
    for (unsigned i = 0; i < running->away_count; i++)
        if (running->away[i]->handover.to != NULL && running->away[i]->state == TRACEE_RUNNING) {
            tick_interrupt(running->away[i], 0, time_now());
            tracer->tick.leaving_at = tracer->tick.at + LEAVING_PERIOD_NS;
            return;
        }
}

/* Sends the mappings of active tracees to the client. To be called before the interrupts: while several tracees may be
 * stopped, attribution_emit does not send mappings. */
static void tick_emit_mappings(struct tracer *tracer)
{
    if (tracer->tracees.active_count < 2)
        return;
    for (struct tracee *tracee = tracer->tracees.active; tracee != NULL; tracee = tracee->activity.next)
        if (!tracee->process->launching && !tracee->dropped &&
            (tracer->stack.limit > 0 || objects_are_listed(tracee->process)))
            objects_emit_executable(tracer->supervisor, tracee);
}

void tick_end_silence(struct tracer *tracer, uint64_t silence_ns)
{
    /* programs that profile themselves have no place for such time */
    if (silence_ns < SILENCE_MIN_NS || tracer->supervisor->options.serve)
        return;
    attribution_report_unsampled(tracer, silence_ns);
    if (!tracer->tick.pauses)
        schedule_restart(&tracer->schedule, time_now());
    tracer->tick.missed_ns = 0;
}

/* Begins a tick: stores its time, and finds out whether a CPU is idle. Returns how many ns the tick represents. */
static uint64_t tick_begin(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct tick *tick = &tracer->tick;
    uint64_t interval = tracer->schedule.covered_ns;

    tick->at = time_now();
    tick->was_due = tick->due;
    tick->due = 0;
    tick->from_others = false;
    tracer->affinity.cpu = sched_getcpu();
    tick->missed_ns = tick->pauses ? 0 : tracer->schedule.missed_ns;
    if (tick->pauses)
        interval = tick_end_pause(tracer, tick->at);
    else
        tick_end_silence(tracer, tick->missed_ns);
    interval += tick->carried_ns;
    tick->carried_ns = 0;
    supervisor->stats.ticks++;
    cpus_full_update(tracer);
    sampling_adjust_rate(tracer, tick->at);
    /* done before the occupier is started, because the occupier inherits the priority */
    if (priority_realtime_is_best(tracer))
        priority_follow(tracer, true);
    return interval;
}

static void tick_look_at_active(struct tracer *tracer, uint64_t interval, struct tick_running *running)
{
    struct tick *tick = &tracer->tick;

    tick_find_running(tracer, interval, running);
    tracer->affinity.cpus = running->cpus;
    tick->running = running->count + running->preempted_count + running->unstopped;
    tick->runnable = running->runnable;
    debug_log(tracer, "tick %u run, %u of them have yet to stop; CPUs %s", tick->running, running->unstopped,
              tracer->supervisor->cpus.full ? "full" : "idle");
}

static void tick_end(struct tracer *tracer, const struct tick_running *running)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct tick *tick = &tracer->tick;

    if (supervisor->cpus.full)
        tracer->waited_ns = tracer_read_wait(tracer);
    tick->pauses = supervisor->cpus.full && tick->running > 0 &&
                   tick->awaited_count + running->unstopped == tick->runnable;
    if (tick->due == 0 && tracer->tracees.count > 0)
        tick_arm_next(tracer);
    if (supervisor->options.wall)
        tick_look_at_sleepers(tracer);
    active_drop_idle(tracer, tick->at);
    if (tracer->tracees.active_count == 0)
        tick->running = tick->runnable = 0;
    tick_arm(tracer); /* sets the time of a tick for tracees that have woken up */
}

/* Ends a tick at which the tracer has moved to another CPU. The tick looks at no tracee; the next tick represents its
 * time, too. If a time was chosen for the next tick already, drops it: the timer would expire on the old CPU. */
static void tick_leave_to_next(struct tracer *tracer, uint64_t interval)
{
    struct tick *tick = &tracer->tick;

    debug_log(tracer, "move %d", tracer->affinity.cpu);
    uint64_t cut_ns = schedule_cut(&tracer->schedule, time_now());
    tick->carried_ns = interval > cut_ns ? interval - cut_ns : 0;
    tick->awaited_count = 0;
    tick_arm_next(tracer);
    active_drop_idle(tracer, tick->at);
    tick_arm(tracer);
}

void tick_run(struct tracer *tracer)
{
    uint64_t preempt_due = tracer->preempt.due;
    struct tick_running running;

    tick_emit_mappings(tracer);
    bool held = preempt_await(tracer);
    uint64_t interval = tick_begin(tracer);
    if (tick_rotate_cpus(tracer)) {
        tick_leave_to_next(tracer, interval);
        return;
    }
    tick_look_at_active(tracer, interval, &running);
    unsigned limit = tick_limit(tracer, &running);
    handover_choose(tracer, running.chosen, tick_chosen_count(&running));
    handover_choose(tracer, running.away, running.away_count);
    tick_interrupt_leaving(tracer, &running);
    tick_interrupt_preempted(tracer, &running, interval, held);
    if (held)
        tick_arm_next(tracer); /* makes the occupier give up the CPU */
    if (tracer->preempt.taken)
        tracer->totals.cost_ns += time_now() - preempt_due;
    if (tracer->tick.awaited_count > 0)
        tick_await_without_lock(tracer);
    tick_interrupt_chosen(tracer, &running, limit, interval);
    tick_end(tracer, &running);
}
