/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses the CPU on which a tracer runs. */
#include "config.h"

#include "base/clock.h"
#include "supervisor/budget.h"
#include "supervisor/schedule.h"
#include "supervisor/supervisor.h"
#include "supervisor/tracer-cpus.h"

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
