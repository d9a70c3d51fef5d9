/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* On which CPU a tracer runs. */
#include "config.h"

#include "supervisor/affinity.h"
#include "supervisor/preempt.h"
#include "supervisor/supervisor.h"

/* A tracer asks every CPU_LOOK_TICKS ticks on which CPU its tracee runs. */
#define CPU_LOOK_TICKS 16u
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

void affinity_follow(struct tracer *tracer, struct tracee *tracee)
{
    struct tick *tick = &tracer->tick;

    if (!tracer->supervisor->crowded || tracee == NULL) {
        if (!tracer->supervisor->crowded && tick->bound_cpu >= 0)
            affinity_bind(tracer, -1);
        return;
    }
    if (tick->until_cpu_look > 0 && !preempt_wanted(tracee)) {
        tick->until_cpu_look--;
        return;
    }
    tick->until_cpu_look = CPU_LOOK_TICKS;
    int cpu = procfs_last_cpu(&tracee->files);
    if (cpu >= 0 && cpu < CPU_SETSIZE && cpu != tick->bound_cpu &&
        CPU_ISSET(cpu, &tracer->supervisor->cpus))
        affinity_bind(tracer, cpu);
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
}
