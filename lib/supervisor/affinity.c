/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* On which CPU a tracer runs. */
#include "config.h"

#include "supervisor/affinity.h"
#include "supervisor/supervisor.h"

#define MOVE_PERIOD_NS 2000000u

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
        uint64_t before = time_now();
        affinity_bind(tracer, cpu);
        tracer->affinity.move_ns = time_now() - before;
        supervisor_lock(tracer->supervisor);
    }
    tracer->affinity.cpu = sched_getcpu();
}

static bool affinity_may_go(const struct tracer *tracer, int cpu)
{
    return cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET(cpu, &tracer->supervisor->cpus);
}

void affinity_settle(struct tracer *tracer, int cpu)
{
    if (!affinity_may_go(tracer, cpu)) {
        affinity_unbind(tracer);
        return;
    }
    tracer->affinity.home_cpu = cpu;
    affinity_go(tracer, cpu);
}

void affinity_visit(struct tracer *tracer, int cpu)
{
    if (affinity_may_go(tracer, cpu))
        affinity_go(tracer, cpu);
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
