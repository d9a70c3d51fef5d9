/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Chooses a tracee to be handed over, and the tracer that gets it.
 *
 * If CPUs are full, all threads of a tracer should run on one CPU, on which the tracer runs, too: an interrupt from
 * another CPU would cost the thread and the tracer twice as much. Threads of one CPU take turns, so at a tick only one
 * of them can be running.
 */
#include "config.h"

#include "supervisor/debug-log.h"
#include "supervisor/follow.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/schedule.h"
#include "supervisor/supervisor.h"

#define RUNNING_MAX 8u   /* while a CPU is idle, a tracer with more running tracees than this hands some over */
#define TRACEES_MANY 64u /* a tracer with more tracees than this may hand over any running tracee */
/* a tracer hands tracees to one with more than TRACEES_MANY only if it has this many times as many itself */
#define MANY_TIMES 4u
#define CPU_MIN_NS 20000000u /* only a thread that has used at least this CPU time, ns, is handed over */
#define STAY_NS 100000000u   /* after a handover, a tracee stays with its tracer for at least this time, ns */
/* if CPUs are full, a tracee is handed over only after it was on another CPU than its tracer for this time, ns; if the
 * tracer has more than TRACEES_MANY tracees, it need not wait */
#define AWAY_NS 500000000u

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

/* A wait(2) of a tracer takes longer, the more tracees the tracer has. A program may make so many processes that all
 * tracers have more than TRACEES_MANY. Then running tracees still go from tracers with thousands to those with
 * hundreds. */
static bool handover_has_room(const struct tracer *tracer, const struct tracer *from)
{
    return tracer->tracees.count <= TRACEES_MANY || tracer->tracees.count <= from->tracees.count / MANY_TIMES;
}

/* Returns a tracer other than `from` that has room for another tracee; NULL: there is none. If there are several,
 * returns the one with the least load (handover_load). */
static struct tracer *handover_least_busy(const struct supervisor *supervisor, const struct tracer *from)
{
    struct tracer *best = NULL;

    for (unsigned i = 0; i < supervisor->tracer_count; i++) {
        struct tracer *tracer = supervisor->tracers[i];
        if (tracer == from || !tracer->ready || !handover_has_room(tracer, from))
            continue;
        if (best == NULL || handover_load(tracer) < handover_load(best))
            best = tracer;
    }
    return best;
}

/*
 * Chooses a tracer that gets a thread of tracer `from`. The load of a tracer (handover_load) is the number of its
 * active tracees, plus the number of tracees that it will get by handovers. running: how many threads of `from` run; if
 * CPUs are full, the load of `from`. Returns the first of these that applies:
 *
 *     - a tracer whose load is 0; its home becomes home_cpu;
 *     - NULL if a new tracer was started now, or is still starting: it can get the thread at a later tick;
 *     - the tracer with the least load, if this load is at least 2 less than `running`, or if `from` has too many
 *       tracees (handover_running_max is 0);
 *     - NULL.
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

/* Returns a tracer other than `from` whose home is this CPU; NULL: none. The tracer that is returned has active tracees
 * or will get some by handovers, and has room for one more. */
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
        /* if may_exec is true, we might have to wait for an exec to find out the tracee's program */
        tracee->seen_before_parent || tracee->files.may_exec)
        return false;
    return tracee->tracer->supervisor->options.restless ||
           (tracee->interrupt.run_ns >= CPU_MIN_NS && now - tracee->handover.done_at >= STAY_NS);
}

/* Decides that the tracee goes to tracer `to`. If the tracee executes another program before it is detached,
 * exec_answer cancels the decision. Returns false if we cannot identify the program that the tracee executes now,
 * because then we could not notice an exec while the tracee has no tracer. */
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

/* To be called if CPUs are full. Returns true if the tracee must stay with its tracer. there: another tracer, whose
 * home is the tracee's CPU; NULL: no other tracer has its home there. In that case the tracee also stays if no other
 * tracee of its tracer is runnable, because the tracer then moves to the tracee's CPU (affinity_rotate). */
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

    /* A handover reads the tracee's memory, and looks up its program. If `wary` is true, this might wait for an exec
     * that waits for us */
    if (supervisor->leaving || supervisor->processes.wary || !supervisor->options.follow ||
        supervisor->options.usage || count == 0)
        return;
    unsigned first = schedule_random(&tracer->schedule, count);
    for (unsigned i = 0; i < count; i++) {
        struct tracee *tracee = running[(first + i) % count];
        struct tracer *to = handover_find(tracer, tracee, count);
        if (to != NULL && handover_promise(tracee, to))
            return;
    }
}
