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
        tracer->tick.bound_cpu = cpu;
}

void affinity_unbind(struct tracer *tracer)
{
    tracer->home_cpu = -1;
    if (tracer->tick.bound_cpu >= 0)
        affinity_bind(tracer, -1);
}

void affinity_settle(struct tracer *tracer, int cpu)
{
    struct tick *tick = &tracer->tick;

    if (cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &tracer->supervisor->cpus)) {
        affinity_unbind(tracer);
        return;
    }
    tracer->home_cpu = cpu;
    if (cpu != tick->bound_cpu)
        affinity_bind(tracer, cpu);
    tick->cpu = sched_getcpu();
}

void affinity_move_away(struct tracer *tracer)
{
    cpu_set_t others = tracer->supervisor->cpus;
    int cpu = sched_getcpu();

    if (cpu < 0 || tracer->preempt.ordered ||
        tracer->tick.at - tracer->tick.moved_at < MOVE_PERIOD_NS)
        return;
    tracer->tick.moved_at = tracer->tick.at;
    CPU_CLR(cpu, &others);
    if (sched_setaffinity(0, sizeof others, &others) == 0)
        sched_setaffinity(0, sizeof tracer->supervisor->cpus, &tracer->supervisor->cpus);
    tracer->tick.bound_cpu = -1;
}
