/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tick: a tracer looks at its active tracees, interrupts those that run, and awaits their stops, which
 * at-stop.c answers. Nothing is allocated, but for a tracer that is started.
 *
 * Where a CPU is idle the tracer polls there for the stops: polling.c. Where none is, it would poll on the CPU
 * that the tracee needs. So it sleeps, and the scheduler runs the tracee in its place until that stops. A
 * thread that waits for a CPU looks as if it ran. cpu-wait.c tells most of these. Another one stops when it gets a
 * CPU, and its run-queue wait then shows that it was not running at the tick. If all that run have yet to stop,
 * there are no further ticks until one has: tick-arm.c.
 */
#include "config.h"

#include <sys/ptrace.h>

#include "supervisor/active.h"
#include "supervisor/affinity.h"
#include "supervisor/attribution.h"
#include "supervisor/backoff.h"
#include "supervisor/crowd.h"
#include "supervisor/debug-log.h"
#include "supervisor/handover.h"
#include "supervisor/polling.h"
#include "supervisor/preempt.h"
#include "supervisor/priority.h"
#include "supervisor/proc/objects.h"
#include "supervisor/schedule.h"
#include "supervisor/supervisor.h"
#include "supervisor/tick.h"

/* A tracer has taken the CPU from a thread at most so long before it reads the clock. */
#define PREEMPTED_NS 50000u
/* A tracer that wakes up later than LATE_NS had to wait for its CPU. */
#define LATE_NS 150000u
/* Later than STARVED_NS: to wait for it any longer is not worth it. */
#define STARVED_NS 20000000u
/* A tracee's CPU is read so often where no CPU is idle. */
#define CPU_PERIOD_NS 2000000u
/* After so many late ticks in a row one counts: a share that is wrong is better than none. */
#define LATE_TICKS_MAX 8
/* After so many looks two thirds of what a thread ran and waited before are forgotten. */
#define FADING 32u
/* In wall mode a tick looks at WALL_LOOKS threads that are not active. */
#define WALL_LOOKS 32u
/* One tick interrupts at most INTERRUPTS_MAX threads where the tracer polls. It does so one after the other:
 * each is held as short as if it were alone. Where the tracer sleeps, one tick interrupts at most
 * INTERRUPTS_CROWDED_MAX threads. */
#define INTERRUPTS_MAX 16u
#define INTERRUPTS_CROWDED_MAX 2u

/* The tracees found running at a tick. */
struct running {
    unsigned count;                     /* but for the preempted ones */
    struct tracee *chosen[AWAITED_MAX]; /* at most AWAITED_MAX, all with the same chance */
    unsigned preempted_count;
    struct tracee *preempted[AWAITED_MAX]; /* whose CPU is to be taken first: preempt.c */
    pid_t tids[INTERRUPTS_MAX];         /* of the first of these: they may be gone when their turn comes */
    unsigned waiting; /* that have yet to stop since an earlier tick */
    unsigned runnable; /* all that want a CPU: these, and those left alone this time */
    unsigned on_our_cpu; /* of the runnable ones, where no CPU is idle */
};

/* Before its first interrupt that is its whole life. */
static void tick_note_waits(struct tracee *tracee, const struct procfs_cpu *cpu)
{
    tracee->ran_ns -= tracee->ran_ns / FADING;
    tracee->waited_ns -= tracee->waited_ns / FADING;
    if (cpu->run_ns > tracee->run_ns)
        tracee->ran_ns += cpu->run_ns - tracee->run_ns;
    if (cpu->wait_ns > tracee->wait_ns)
        tracee->waited_ns += cpu->wait_ns - tracee->wait_ns;
}

/* Returns false where the kernel does not tell. */
static bool tick_read_cpu(struct tracee *tracee)
{
    struct procfs_cpu cpu = {0};
    bool known = procfs_read_cpu(&tracee->files, &cpu) == 0;

    tracee->looked = cpu;
    tracee->looked_at = time_now();
    return known;
}

/* since: the time since which the tracee may have had to wait for us. Returns true if it will stop. */
static bool tick_interrupt(struct tracee *tracee, uint64_t pending_ns, uint64_t since)
{
    const struct procfs_cpu *cpu = &tracee->looked;

    if (tracee->looked_at < tracee->tracer->tick.at)
        tick_read_cpu(tracee);
    tick_note_waits(tracee, cpu);
    tracee->wait_ns = cpu->wait_ns;
    tracee->run_ns = cpu->run_ns;
    tracee->pending_ns = pending_ns + tracee->skipped_ns;
    tracee->overdue_ns = tracee->skipped_ns = 0;
    tracee->interrupted_at = time_now();
    tracee->hindered_at = since;
    if (ptrace(PTRACE_INTERRUPT, tracee->tid, NULL, NULL) < 0) {
        tracee->pending_ns = 0; /* it is ending */
        handover_regain(tracee);
        return false;
    }
    tracee->state = TRACEE_INTERRUPTED;
    debug_log(tracee->tracer, "interrupt %d", tracee->tid);
    return true;
}

/* Returns true if the tracer slept when this tick was due. */
static bool tick_found_asleep(const struct tracer *tracer)
{
    uint64_t due = tracer->tick.was_due;

    return tracer->slept_at <= due && tracer->woke_at >= due;
}

/* Returns the time since which a tracee may have had to wait for the tracer that looks at it now. */
static uint64_t tick_hindered_since(const struct tracer *tracer)
{
    uint64_t due = tracer->tick.was_due;

    if (tick_found_asleep(tracer))
        return due;
    return (tracer->woke_at < due ? tracer->woke_at : due) - PREEMPTED_NS;
}

/* A tracer that competes for its CPU may get it only when the scheduler takes it from a tracee: when that has
 * used up its turn or its group's quota, which the kernel often notices in a system call. Such an instant is
 * not random, so the tracee is left to the next tick. */
static void tick_note_lateness(struct tracer *tracer)
{
    struct tick *tick = &tracer->tick;
    bool late = tracer->supervisor->crowded && tick_found_asleep(tracer) &&
                tracer->woke_at >= tick->was_due + LATE_NS;

    tick->late_ticks = late && tick->late_ticks < LATE_TICKS_MAX ? tick->late_ticks + 1 : 0;
}

/* Where no CPU is idle: has the tracee waited for one since the last look? Then it need not be looked at. */
static bool tick_goes_on_waiting(const struct tracer *tracer, struct tracee *tracee)
{
    return tracer->supervisor->crowded && !tick_has_to_stop(tracee) && tick_read_cpu(tracee) &&
           cpu_wait_goes_on(&tracee->cpu_wait, tracee->looked_at, &tracee->looked);
}

/* Where no CPU is idle: reads on which CPU the tracee is. Is that ours, and did the tracee wait for it when this tick
 * was due? Then it need not be stopped to find that out. */
static bool tick_look_for_wait(const struct tracer *tracer, struct tracee *tracee)
{
    if (tracee->looked_at >= tracee->cpu_at + CPU_PERIOD_NS) {
        tracee->cpu = procfs_last_cpu(&tracee->files);
        tracee->cpu_at = tracee->looked_at;
    }
    if (tracee->cpu == tracer->home_cpu)
        tracee->away_since = 0;
    if (tracee->cpu == tracer->tick.cpu && tracee->looked.turns > 0)
        return cpu_wait_look(&tracee->cpu_wait, tick_hindered_since(tracer), tracee->looked_at, &tracee->looked);
    cpu_wait_forget(&tracee->cpu_wait);
    return false;
}

static void tick_sort_running(struct tracer *tracer, struct tracee *tracee, uint64_t interval,
                              struct running *running)
{
    const struct tick *tick = &tracer->tick;
    bool crowded = tracer->supervisor->crowded;

    if (tick_has_to_stop(tracee)) {
        tracee->overdue_ns += interval;
        running->waiting++;
        running->on_our_cpu += crowded && tracee->cpu == tick->cpu;
        return;
    }
    bool waits = crowded && tick_look_for_wait(tracer, tracee);
    running->on_our_cpu += crowded && tracee->cpu == tick->cpu;
    if (waits) {
        debug_log(tracer, "waits %d", tracee->tid);
        return;
    }
    bool late = tick->late_ticks > 0 && tracee->cpu == tick->cpu;
    if (late || backoff_holds(&tracee->repair.backoff, tracee->process->pid, tracee->tid, tick->at)) {
        debug_log(tracer, "%s %d", late ? "late" : "backoff", tracee->tid);
        tracee->skipped_ns += interval;
        return;
    }
    if (!crowded && preempt_wanted(tracee) && running->preempted_count < AWAITED_MAX) {
        running->preempted[running->preempted_count++] = tracee;
        return;
    }
    unsigned slot = running->count++;
    if (slot >= AWAITED_MAX)
        slot = schedule_random(&tracer->schedule, running->count);
    if (slot < AWAITED_MAX)
        running->chosen[slot] = tracee;
}

/* Does the tracee run, or sleep, as it would without us? It also does while an interrupt is under way, which does not
 * end every sleep (vfork), and while a call of it is continued. */
static bool tick_may_run(const struct tracee *tracee)
{
    switch (tracee->state) {
    case TRACEE_RUNNING:
    case TRACEE_INTERRUPTED:
    case TRACEE_CONTINUING:
        return !tracee->process->launching && !tracee->dropped;
    default:
        return false;
    }
}

/* Returns true if the tracee wants a CPU, and what is to be done about it is not known yet. */
static bool tick_look(struct tracer *tracer, struct tracee *tracee, struct running *running)
{
    struct procfs_state state = {.doing = PROCFS_RUNNING};
    bool waits = tick_goes_on_waiting(tracer, tracee);

    if (!waits)
        procfs_look(&tracee->files, &state);
    if (state.doing == PROCFS_SLEEPING && tracer->supervisor->options.wall)
        attribution_asleep(tracer, tracee, &state);
    bool runnable = state.doing == PROCFS_RUNNING;
    preempt_note(tracee, runnable);
    if (runnable)
        tracee->active_until = tracer->tick.at + tracee->active_span;
    running->runnable += runnable;
    running->on_our_cpu += waits && tracee->cpu == tracer->tick.cpu;
    return runnable && !waits;
}

static void tick_find_running(struct tracer *tracer, uint64_t interval, struct running *running)
{
    running->count = running->preempted_count = running->waiting = running->runnable = 0;
    running->on_our_cpu = 0;
    for (struct tracee *tracee = tracer->tracees.active; tracee != NULL; tracee = tracee->active_next)
        if (tick_may_run(tracee) && tick_look(tracer, tracee, running))
            tick_sort_running(tracer, tracee, interval, running);
}

static unsigned tick_chosen_count(const struct running *running)
{
    return running->count < AWAITED_MAX ? running->count : AWAITED_MAX;
}

/* Where no CPU is idle the tracer binds itself to a CPU that a tracee of its own is on. A tracer that woke up very late
 * is not bound: on that CPU somebody with real-time priority runs before it. */
static void tick_settle(struct tracer *tracer, const struct running *running)
{
    const struct tick *tick = &tracer->tick;
    bool starved = tick_found_asleep(tracer) && tracer->woke_at >= tick->was_due + STARVED_NS;

    if (!tracer->supervisor->crowded || starved)
        affinity_unbind(tracer);
    else if (running->on_our_cpu > 0)
        affinity_settle(tracer, tick->cpu);
    else if (running->count > 0)
        affinity_settle(tracer, running->chosen[0]->cpu);
}

/* --- the tick -------------------------------------------------------------------------------- */

static void tick_interrupt_one(struct tracer *tracer, struct tracee *tracee, uint64_t pending_ns,
                               uint64_t since)
{
    struct tick *tick = &tracer->tick;

    if (tick->awaited_count < AWAITED_MAX && tick_interrupt(tracee, pending_ns, since))
        tick->awaited[tick->awaited_count++] = tracee->tid;
}

/* Those whose CPU is to be taken first. */
static void tick_interrupt_preempted(struct tracer *tracer, struct running *running, uint64_t interval,
                                     bool held)
{
    const struct preempt *preempt = &tracer->preempt;
    uint64_t due = preempt->due, woken = tracer->woke_at - PREEMPTED_NS;
    unsigned times = 1;

    tracer->tick.awaited_count = 0;
    unsigned count =
        preempt_choose(tracer, running->preempted, running->preempted_count, held, &times);
    for (unsigned i = 0; count == 0 && i < running->preempted_count; i++)
        running->preempted[i]->skipped_ns += interval;
    for (unsigned i = 0; i < count; i++)
        tick_interrupt_one(tracer, running->preempted[i], interval * times,
                           preempt->taken ? due : woken);
}

/* Polls without the lock. */
static void tick_await_without_lock(struct tracer *tracer)
{
    supervisor_unlock(tracer->supervisor);
    polling_await(tracer);
    supervisor_lock(tracer->supervisor);
}

/* How many of the chosen this tick interrupts: all with the same chance. Remembers their numbers. */
static unsigned tick_limit(struct tracer *tracer, struct running *running)
{
    unsigned most = tracer->supervisor->crowded ? INTERRUPTS_CROWDED_MAX : INTERRUPTS_MAX;
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

/* Those of the others that this tick interrupts. A stop may free any tracee. */
static void tick_interrupt_chosen(struct tracer *tracer, const struct running *running, unsigned count,
                                  uint64_t interval)
{
    bool crowded = tracer->supervisor->crowded;

    for (unsigned i = 0; i < count; i++) {
        struct tracee *tracee = tracee_find(&tracer->tracees, running->tids[i]);
        if (tracee == NULL || tracee->state != TRACEE_RUNNING)
            continue;
        /* the first may have had to wait for us; while we poll for one, the others run */
        uint64_t since = i == 0 || crowded ? tick_hindered_since(tracer) : time_now();
        tick_interrupt_one(tracer, tracee, interval * running->count / count, since);
        if (!crowded)
            tick_await_without_lock(tracer);
    }
}

/* Wall mode: threads that are not active take turns. */
static void tick_look_at_sleepers(struct tracer *tracer)
{
    const struct tracees *tracees = &tracer->tracees;
    size_t *bucket = &tracer->tick.wall_bucket;
    unsigned looks = 0;

    for (size_t i = 0; i < tracees->bucket_count && looks < WALL_LOOKS; i++) {
        *bucket = (*bucket + 1) & (tracees->bucket_count - 1);
        for (struct tracee *tracee = tracees->buckets[*bucket]; tracee != NULL;
             tracee = tracee->hash_next) {
            struct procfs_state state;
            if (tracee->active || !tick_may_run(tracee))
                continue;
            looks++;
            procfs_look(&tracee->files, &state);
            if (state.doing == PROCFS_SLEEPING)
                attribution_asleep(tracer, tracee, &state);
            else if (state.doing == PROCFS_RUNNING)
                tracee_activate(&tracer->tracees, tracee, tracer->tick.at);
        }
    }
}

/* attribution_emit leaves this out if several tracees may be stopped at once, so it is done before. */
static void tick_emit_mappings(struct tracer *tracer)
{
    if (tracer->stack.limit == 0 || tracer->tracees.active_count < 2)
        return;
    for (struct tracee *tracee = tracer->tracees.active; tracee != NULL; tracee = tracee->active_next)
        if (!tracee->process->launching && !tracee->dropped)
            objects_emit_executable(tracer->supervisor, tracee->process);
}

void tick_run(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct tick *tick = &tracer->tick;
    uint64_t interval = tracer->schedule.covered_ns, due = tracer->preempt.due;
    struct running running;

    tick_emit_mappings(tracer);
    bool held = preempt_await(tracer);
    tick->at = time_now();
    tick->was_due = tick->due;
    tick->due = 0;
    tick->cpu = sched_getcpu();
    if (tick->pauses)
        interval = tick_end_pause(tracer, tick->at);
    supervisor->stats.ticks++;
    crowd_look(tracer);
    priority_follow_crowd(tracer);
    tick_note_lateness(tracer);
    tick_find_running(tracer, interval, &running);
    tick->running = running.count + running.preempted_count + running.waiting;
    tick->runnable = running.runnable;
    debug_log(tracer, "tick %u run, %u of them have yet to stop; CPUs %s", tick->running, running.waiting,
              supervisor->crowded ? "full" : "idle");
    tick_settle(tracer, &running);
    handover_choose(tracer, running.chosen, tick_chosen_count(&running));
    unsigned limit = tick_limit(tracer, &running);
    tick_interrupt_preempted(tracer, &running, interval, held);
    if (held)
        tick_arm_next(tracer); /* lets go of the CPU */
    if (tracer->preempt.taken)
        tracer->totals.cost_ns += time_now() - due;
    if (tick->awaited_count > 0)
        tick_await_without_lock(tracer);
    tick_interrupt_chosen(tracer, &running, limit, interval);
    tick->pauses = supervisor->crowded && tick->running > 0 &&
                   tick->awaited_count + running.waiting == tick->runnable;
    if (tick->due == 0 && tracer->tracees.count > 0)
        tick_arm_next(tracer);
    if (supervisor->options.wall)
        tick_look_at_sleepers(tracer);
    active_drop_idle(tracer, tick->at);
    if (tracer->tracees.active_count == 0)
        tick->running = tick->runnable = 0;
    tick_arm(tracer); /* for those that have woken up */
}
