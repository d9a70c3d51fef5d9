/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which tracee is to be handed over, and to which tracer.
 *
 * Where CPUs are full, a tracer has the threads of one CPU and runs there itself: tracer-cpus.c. To interrupt a thread
 * on another CPU costs the thread and the tracer twice as much. Threads of one CPU take turns, so only one of them can
 * be running at a tick. And a tracer with thousands of tracees has to ask the kernel for news of all of them.
 */
#include "config.h"

#include "supervisor/debug-log.h"
#include "supervisor/follow.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/schedule.h"
#include "supervisor/supervisor.h"

#define RUNNING_MAX 8u       /* number of running tracees that a tracer keeps where a CPU is idle */
#define TRACEES_MANY 64u     /* with more tracees than this, it keeps no running one */
#define CPU_MIN_NS 20000000u /* a thread that has used less CPU time is not worth it */
#define STAY_NS 100000000u   /* time before a tracee is handed over again */
#define AWAY_NS 500000000u   /* where CPUs are full: time before it is handed over to the tracer of another CPU */

static unsigned handover_running_max(const struct tracer *tracer)
{
    if (tracer->tracees.count > TRACEES_MANY || tracer->supervisor->options.restless)
        return 0;
    return RUNNING_MAX;
}

static unsigned handover_load(const struct tracer *tracer)
{
    return tracer->tracees.active_count + tracer->expected;
}

/* Returns the tracer with the fewest tracees to look at, other than `from`; NULL: there is none. */
static struct tracer *handover_least_busy(const struct supervisor *supervisor, const struct tracer *from)
{
    struct tracer *best = NULL;

    for (unsigned i = 0; i < supervisor->tracer_count; i++) {
        struct tracer *tracer = supervisor->tracers[i];
        if (tracer == from || !tracer->ready || tracer->tracees.count > TRACEES_MANY)
            continue;
        if (best == NULL || handover_load(tracer) < handover_load(best))
            best = tracer;
    }
    return best;
}

/*
 * Returns a tracer for a thread of `from`, which has `running` threads that run:
 *
 *     one that has nothing to do;
 *     NULL, if one could be started, which will be there at a later tick;
 *     the one with the least to do, if that is less.
 */
static struct tracer *handover_idle_or_new(struct supervisor *supervisor, const struct tracer *from,
                                           unsigned running, int home_cpu)
{
    struct tracer *best = handover_least_busy(supervisor, from);

    if (best != NULL && handover_load(best) == 0) {
        best->affinity.home_cpu = home_cpu;
        return best;
    }
    struct tracer *started = supervisor->starting == 0 ? tracer_start(supervisor) : NULL;
    if (started != NULL)
        started->affinity.home_cpu = home_cpu;
    if (supervisor->starting > 0)
        return NULL;
    bool many = handover_running_max(from) == 0;
    return best != NULL && (many || handover_load(best) + 1 < running) ? best : NULL;
}

/* Returns the first tracer, other than `from`, whose home is this CPU, that has or expects threads, and that has room;
 * NULL: there is none. */
static struct tracer *handover_tracer_of_cpu(const struct supervisor *supervisor, const struct tracer *from, int cpu)
{
    for (unsigned i = 0; cpu >= 0 && i < supervisor->tracer_count; i++) {
        struct tracer *tracer = supervisor->tracers[i];
        if (tracer != from && tracer->ready && tracer->affinity.home_cpu == cpu && handover_load(tracer) > 0 &&
            tracer->tracees.count + tracer->expected <= TRACEES_MANY / 2)
            return tracer;
    }
    return NULL;
}

static bool handover_may_go(const struct tracee *tracee, uint64_t now)
{
    if (tracee->state != TRACEE_RUNNING || tracee->dropped || tracee->handover.to != NULL || tracee->handover.never ||
        /* the program could not be read without waiting for an exec */
        tracee->seen_before_parent || tracee->files.may_exec)
        return false;
    return tracee->tracer->supervisor->options.restless ||
           (tracee->interrupt.run_ns >= CPU_MIN_NS && now - tracee->handover.done_at >= STAY_NS);
}

/* Decides that the tracee goes to a tracer. If it executes another program before it is detached, exec_answer takes the
 * decision back. The program has to be known, or it could not be seen afterwards that the tracee has executed another
 * one. */
static bool handover_promise(struct tracee *tracee, struct tracer *to)
{
    uint64_t image = procfs_exec_id(tracee->process->pid);

    tracee->handover.never = image == 0;
    if (tracee->handover.never)
        return false;
    debug_log(tracee->tracer, "hand %d %u", tracee->tid, to->number);
    tracee->handover.exec_id = image;
    tracee->process->start_time = procfs_start_time(tracee->process->pid);
    tracee->handover.to = to;
    to->expected++;
    return true;
}

/* Where CPUs are full: returns true if the tracee is to stay with its tracer. there: another tracer, whose home is the
 * tracee's CPU; NULL: there is none. Without one, the only runnable tracee of a tracer stays, because the tracer goes
 * to that tracee's CPU (affinity_rotate). */
static bool handover_is_at_home(const struct tracer *tracer, const struct tracee *tracee, const struct tracer *there)
{
    if (tracer->tracees.count > TRACEES_MANY)
        return false;
    if (there == NULL)
        return tracee->look.cpu < 0 || tracee->look.cpu == tracer->affinity.home_cpu || tracer->tick.runnable < 2;
    return tracee->look.cpu == tracer->affinity.home_cpu && tracer->number < there->number;
}

static struct tracer *handover_find_full(struct tracer *tracer, struct tracee *tracee)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct tracer *there = handover_tracer_of_cpu(supervisor, tracer, tracee->look.cpu);
    uint64_t now = tracer->tick.at;

    if (handover_is_at_home(tracer, tracee, there)) {
        tracee->handover.away_since = 0;
        return NULL;
    }
    if (tracee->handover.away_since == 0)
        tracee->handover.away_since = now;
    bool many = tracer->tracees.count > TRACEES_MANY;
    if (!handover_may_go(tracee, now) || (now - tracee->handover.away_since < AWAY_NS && !many))
        return NULL;
    if (there != NULL)
        return there;
    return handover_idle_or_new(supervisor, tracer, handover_load(tracer), tracee->look.cpu);
}

static struct tracer *handover_find(struct tracer *tracer, struct tracee *tracee, unsigned running)
{
    struct supervisor *supervisor = tracer->supervisor;

    if (supervisor->cpus.full && !supervisor->options.restless)
        return handover_find_full(tracer, tracee);
    tracee->handover.away_since = 0;
    if (running <= handover_running_max(tracer) || !handover_may_go(tracee, tracer->tick.at))
        return NULL;
    return handover_idle_or_new(supervisor, tracer, running, -1);
}

void handover_choose(struct tracer *tracer, struct tracee *const running[], unsigned count)
{
    const struct supervisor *supervisor = tracer->supervisor;

    /* wary: to read memory, or which program runs, may wait for an exec that waits for us */
    if (supervisor->leaving || supervisor->processes.wary || !supervisor->options.follow || count == 0)
        return;
    unsigned first = schedule_random(&tracer->schedule, count);
    for (unsigned i = 0; i < count; i++) {
        struct tracee *tracee = running[(first + i) % count];
        struct tracer *to = handover_find(tracer, tracee, count);
        if (to != NULL && handover_promise(tracee, to))
            return;
    }
}
