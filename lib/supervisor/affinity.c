/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* On which CPU a tracer runs. */
#include "config.h"

#include "supervisor/affinity.h"
#include "supervisor/schedule.h"
#include "supervisor/supervisor.h"

#define MOVE_PERIOD_NS 2000000u
/* A tracer that goes round CPUs stays on each for so long. */
#define STAY_TICKS 4u
#define STAY_MIN_NS 10000000u
#define STAY_MAX_NS 1000000000u
/* A CPU to which the way took SHUN_WAIT_NS or more is left out for SHUN_NS: real-time work may keep it. */
#define SHUN_WAIT_NS 20000000u
#define SHUN_NS 1000000000u

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
    struct affinity *affinity = &tracer->affinity;
    uint64_t before = time_now(), after = before;

    if (cpu != affinity->bound_cpu) {
        supervisor_unlock(tracer->supervisor);
        affinity_bind(tracer, cpu);
        after = time_now();
        supervisor_lock(tracer->supervisor);
    }
    affinity->cpu = sched_getcpu();
    if (after - before >= SHUN_WAIT_NS) {
        affinity->shunned_cpu = cpu;
        affinity->shunned_until = after + SHUN_NS;
    }
    if (affinity->home_cpu < 0 || !CPU_ISSET(affinity->home_cpu, &affinity->cpus))
        affinity->home_cpu = cpu;
}

static bool affinity_may_go(const struct tracer *tracer, int cpu)
{
    const struct affinity *affinity = &tracer->affinity;

    return CPU_ISSET(cpu, &affinity->cpus) && CPU_ISSET(cpu, &tracer->supervisor->cpus) &&
           (cpu != affinity->shunned_cpu || tracer->tick.at >= affinity->shunned_until);
}

/* The first of the CPUs after this one. -1: there is none. */
static int affinity_next(const struct tracer *tracer, int cpu)
{
    for (int i = 1; i <= CPU_SETSIZE; i++) {
        int next = (cpu + i) % CPU_SETSIZE;
        if (affinity_may_go(tracer, next))
            return next;
    }
    return -1;
}

unsigned affinity_round_size(const struct tracer *tracer)
{
    int count = CPU_COUNT(&tracer->affinity.cpus);

    return count > 0 ? (unsigned)count : 1;
}

/* Stays of equal length would look at what is periodic in the same phase again and again. */
static uint64_t affinity_draw_stay(struct tracer *tracer)
{
    uint64_t stay = STAY_TICKS * budget_period(&tracer->supervisor->budget) / affinity_round_size(tracer);

    if (stay < STAY_MIN_NS)
        stay = STAY_MIN_NS;
    if (stay > STAY_MAX_NS)
        stay = STAY_MAX_NS;
    return stay / 2 + schedule_random(&tracer->schedule, (uint32_t)stay);
}

bool affinity_go_round(struct tracer *tracer)
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
