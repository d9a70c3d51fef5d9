/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out whether a CPU is idle, and chooses the CPU on which a tracer runs. */
#include "config.h"

#include "base/clock.h"
#include "supervisor/budget.h"
#include "supervisor/proc/system.h"
#include "supervisor/schedule.h"
#include "supervisor/supervisor.h"
#include "supervisor/tracer-cpus.h"

#define LOAD_PERIOD_NS 10000000u
#define LOAD_STALE_NS 100000000u
/* After the CPUs were found full for the last time, they still count as full for FULL_MIN_NS, ns. Otherwise tracers
 * would move back and forth. */
#define FULL_MIN_NS 20000000u
#define MOVE_PERIOD_NS 2000000u
/* Mean time for which a tracer stays on each CPU that it visits: STAY_TICKS ticks, but not less than STAY_MIN_NS and
 * not more than STAY_MAX_NS, ns. */
#define STAY_TICKS 4u
#define STAY_MIN_NS 10000000u
#define STAY_MAX_NS 1000000000u
/* If a move to a CPU took AVOID_WAIT_NS or more, a real-time thread may occupy that CPU, or many other threads want it.
 * The tracer does not go there again for AVOID_WAITS times as long, but not longer than AVOID_MAX_NS. Meanwhile the
 * tracees on that CPU get no samples, and the CPU time of those that end then is not represented. */
#define AVOID_WAIT_NS 20000000u
#define AVOID_WAITS 2u
#define AVOID_MAX_NS 1000000000u

/* --- is a CPU idle? -------------------------------------------------------------------------- */

/* It matters whether a CPU is idle: if none is, a tracer takes its CPU from a target. */

/* Returns how many tasks of the system run or wait for a CPU. Does not count this tracer, nor its occupier (preempt.c)
 * if the occupier has an order. */
static double cpus_full_others(const struct tracer *tracer)
{
    unsigned ours = 1 + tracer->preempt.ordered, runnable = tracer->supervisor->load.runnable;

    return runnable > ours ? runnable - ours : 0;
}

/* If the mean load is higher than the returned value, the CPUs count as full. */
static double cpus_full_load(const struct supervisor *supervisor)
{
    return (double)supervisor->cpus.count - 0.5;
}

/* Reads the load, at most once in LOAD_PERIOD_NS, and updates its mean. While our own targets fill the CPUs, this
 * function is not called, so the mean may be old. If the mean is older than LOAD_STALE_NS, the new load replaces it.
 * The replacement is limited, so that a single reading does not make the CPUs count as full. */
static void cpus_full_read_load(struct tracer *tracer)
{
    struct cpu_load *load = &tracer->supervisor->cpus.load;
    uint64_t age = tracer->tick.at - load->read_at;

    if (!load->has_all_cpus || age < LOAD_PERIOD_NS)
        return;
    load->read_at = tracer->tick.at;
    if (system_load_read(&tracer->supervisor->load) != 0)
        return;
    double others = cpus_full_others(tracer), full = cpus_full_load(tracer->supervisor);
    if (age >= LOAD_STALE_NS)
        load->mean = others < full ? others : full;
    else
        load->mean += (others - load->mean) / 4;
}

unsigned cpus_full_count_runnable(const struct supervisor *supervisor)
{
    unsigned runnable = 0;

    for (unsigned i = 0; i < supervisor->tracer_count; i++)
        runnable += supervisor->tracers[i]->tick.runnable;
    return runnable;
}

void cpus_full_update(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct cpu_load *load = &supervisor->cpus.load;
    uint64_t now = tracer->tick.at;
    bool full = cpus_full_count_runnable(supervisor) >= supervisor->cpus.count;

    if (!full) {
        cpus_full_read_load(tracer);
        full = load->mean > cpus_full_load(supervisor);
    }
    if (full)
        load->full_at = now;
    supervisor->cpus.full = full || (supervisor->cpus.full && now < load->full_at + FULL_MIN_NS);
}

bool cpus_full_by_others(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct cpu_load *load = &supervisor->cpus.load;

    if (!load->has_all_cpus)
        return false;
    if (tracer->tick.at >= load->counted_at + LOAD_PERIOD_NS) {
        load->counted_at = tracer->tick.at;
        load->counted = system_load_read(&supervisor->load) == 0;
    }
    return load->counted && cpus_full_others(tracer) >= 2.0 * cpus_full_count_runnable(supervisor);
}

/* --- on which CPU a tracer runs -------------------------------------------------------------- */

static void affinity_bind(struct tracer *tracer, int cpu)
{
    cpu_set_t cpus = tracer->supervisor->cpus.set;

    if (cpu >= 0) {
        CPU_ZERO(&cpus);
        CPU_SET(cpu, &cpus);
    }
    if (sched_setaffinity(0, sizeof cpus, &cpus) == 0)
        tracer->affinity.bound_cpu = cpu;
    tracer->preempt.has_room = false;
}

void affinity_unbind(struct tracer *tracer)
{
    tracer->affinity.home_cpu = -1;
    if (tracer->affinity.bound_cpu >= 0)
        affinity_bind(tracer, -1);
}

/* Moves the tracer to a CPU. Gives up the lock meanwhile, because it may take long until the tracer gets a busy CPU. */
static void affinity_go(struct tracer *tracer, int cpu)
{
    struct affinity *affinity = &tracer->affinity;
    uint64_t before = time_now(), after = before;

    if (cpu != affinity->bound_cpu) {
        supervisor_unlock(tracer->supervisor);
        affinity_bind(tracer, cpu);
        after = time_now();
        supervisor_lock(tracer->supervisor);
    }
    affinity->cpu = sched_getcpu();
    uint64_t waited = after - before;
    if (waited >= AVOID_WAIT_NS) {
        affinity->avoided_cpu = cpu;
        affinity->avoided_until = after + (waited < AVOID_MAX_NS / AVOID_WAITS ? AVOID_WAITS * waited : AVOID_MAX_NS);
    }
    if (affinity->home_cpu < 0 || !CPU_ISSET(affinity->home_cpu, &affinity->cpus))
        affinity->home_cpu = cpu;
}

static bool affinity_may_go(const struct tracer *tracer, int cpu)
{
    const struct affinity *affinity = &tracer->affinity;

    return CPU_ISSET(cpu, &affinity->cpus) && CPU_ISSET(cpu, &tracer->supervisor->cpus.set) &&
           (cpu != affinity->avoided_cpu || tracer->tick.at >= affinity->avoided_until);
}

/* Returns the next CPU after `cpu` to which the tracer may go; -1: there is none. */
static int affinity_next(const struct tracer *tracer, int cpu)
{
    for (int i = 1; i <= CPU_SETSIZE; i++) {
        int next = (cpu + i) % CPU_SETSIZE;
        if (affinity_may_go(tracer, next))
            return next;
    }
    return -1;
}

unsigned affinity_cpu_count(const struct tracer *tracer)
{
    int count = CPU_COUNT(&tracer->affinity.cpus);

    return count > 0 ? (unsigned)count : 1;
}

/* Returns how long the tracer stays on a CPU, ns: a random time. With equal times, a target that does the same at
 * regular intervals might be seen at the same point again and again. */
static uint64_t affinity_draw_stay(struct tracer *tracer)
{
    uint64_t stay = STAY_TICKS * budget_period(&tracer->supervisor->budget) / affinity_cpu_count(tracer);

    if (stay < STAY_MIN_NS)
        stay = STAY_MIN_NS;
    if (stay > STAY_MAX_NS)
        stay = STAY_MAX_NS;
    return stay / 2 + schedule_random(&tracer->schedule, (uint32_t)stay);
}

bool affinity_rotate(struct tracer *tracer)
{
    struct affinity *affinity = &tracer->affinity;
    int cpu = affinity->cpu, next = affinity_next(tracer, cpu);
    bool stays = cpu >= 0 && CPU_ISSET(cpu, &affinity->cpus) && tracer->tick.at < affinity->leave_at;

    if (next < 0)
        return false;
    affinity_go(tracer, stays ? cpu : next);
    if (!stays)
        affinity->leave_at = time_now() + affinity_draw_stay(tracer);
    return affinity->cpu != cpu;
}

void affinity_move_away(struct tracer *tracer)
{
    cpu_set_t others = tracer->supervisor->cpus.set;
    int cpu = sched_getcpu();

    if (cpu < 0 || tracer->preempt.ordered || tracer->tick.at - tracer->affinity.moved_at < MOVE_PERIOD_NS)
        return;
    tracer->affinity.moved_at = tracer->tick.at;
    CPU_CLR(cpu, &others);
    if (sched_setaffinity(0, sizeof others, &others) == 0)
        sched_setaffinity(0, sizeof tracer->supervisor->cpus.set, &tracer->supervisor->cpus.set);
    tracer->affinity.bound_cpu = -1;
}
