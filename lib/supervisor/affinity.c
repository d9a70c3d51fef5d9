/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* On which CPU a tracer runs. */
#include "config.h"

#include "supervisor/affinity.h"
#include "supervisor/supervisor.h"

#define MOVE_PERIOD_NS 2000000u
/* A tracer that goes round CPUs stays on each for so long. */
#define STAY_TICKS 4u
#define STAY_MIN_NS 10000000u

static void affinity_bind(struct tracer *tracer, int cpu)
{
    cpu_set_t cpus = tracer->supervisor->cpus;

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

/* To get a turn on a CPU that is full may take long. */
static void affinity_go(struct tracer *tracer, int cpu)
{
    if (cpu != tracer->affinity.bound_cpu) {
        supervisor_unlock(tracer->supervisor);
        affinity_bind(tracer, cpu);
        supervisor_lock(tracer->supervisor);
    }
    tracer->affinity.cpu = sched_getcpu();
    int home = tracer->affinity.home_cpu;
    if (home < 0 || !CPU_ISSET(home, &tracer->affinity.cpus))
        tracer->affinity.home_cpu = cpu;
}

/* The first of the CPUs after this one. -1: there is none that we may use. */
static int affinity_next(const struct tracer *tracer, int cpu)
{
    for (int i = 1; i <= CPU_SETSIZE; i++) {
        int next = (cpu + i) % CPU_SETSIZE;
        if (CPU_ISSET(next, &tracer->affinity.cpus) && CPU_ISSET(next, &tracer->supervisor->cpus))
            return next;
    }
    return -1;
}

unsigned affinity_round_size(const struct tracer *tracer)
{
    int count = CPU_COUNT(&tracer->affinity.cpus);

    return count > 0 ? (unsigned)count : 1;
}

bool affinity_go_round(struct tracer *tracer)
{
    struct affinity *affinity = &tracer->affinity;
    int cpu = affinity->cpu, next = affinity_next(tracer, cpu);
    uint64_t now = tracer->tick.at, stay = STAY_TICKS * budget_period(&tracer->supervisor->budget);
    bool stays = cpu >= 0 && CPU_ISSET(cpu, &affinity->cpus) && now < affinity->leave_at;

    if (next < 0)
        return false;
    if (!stays)
        affinity->leave_at = now + (stay > STAY_MIN_NS ? stay : STAY_MIN_NS);
    affinity_go(tracer, stays ? cpu : next);
    return affinity->cpu != cpu;
}

void affinity_move_away(struct tracer *tracer)
{
    cpu_set_t others = tracer->supervisor->cpus;
    int cpu = sched_getcpu();

    if (cpu < 0 || tracer->preempt.ordered ||
        tracer->tick.at - tracer->affinity.moved_at < MOVE_PERIOD_NS)
        return;
    tracer->affinity.moved_at = tracer->tick.at;
    CPU_CLR(cpu, &others);
    if (sched_setaffinity(0, sizeof others, &others) == 0)
        sched_setaffinity(0, sizeof tracer->supervisor->cpus, &tracer->supervisor->cpus);
    tracer->affinity.bound_cpu = -1;
}
