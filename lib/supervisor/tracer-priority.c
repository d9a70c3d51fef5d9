/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Chooses the priority of a tracer, that is, how soon it runs when it wakes up.
 *
 * If a tracer woke up late for its ticks, the targets would often be asleep again. So code that a target runs just
 * after its own wake-up would be missed.
 *
 * If a CPU is idle, real-time priority is best, if it is permitted. The scheduler wakes a real-time thread on the CPU
 * where it ran last. If that thread wakes up another thread, the scheduler does not move the other thread to the same
 * CPU. Without real-time priority, a tracer and the tracee that it resumes often share a CPU although another is idle.
 * In measurements, a process that forks then lost twice as much time.
 *
 * Real-time priority is also best if other programs want the CPUs as much as the targets do. Without it, the tracer
 * waits for its turn after these programs, and stopped threads wait with it. In measurements, a process that starts
 * threads then lost twice as much time, and only half of the ticks came in time.
 *
 * If the targets themselves fill the CPUs, real-time priority is best unless ticks come often. Without it, a tracer
 * sometimes waits very long for its CPU: up to 3.5 s were measured, beside threads that poll with sched_yield(2). A
 * sample costs the same with and without real-time priority. But with it, at rates near 10 kHz, there would be so many
 * samples that they would cost more than the limit that the user has set. Then the tracer only asks for a short time
 * slice (sched_setattr(2); since Linux 6.12 any user may do so). The nice value helps on older kernels, if the
 * scheduler does not divide the CPUs among sessions.
 */
#include "config.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor/budget.h"
#include "supervisor/supervisor.h"
#include "supervisor/tracer-cpus.h"

/* If the mean time from one tick to the next is this long, ns, or longer, real-time priority is best on full CPUs. */
#define REALTIME_PERIOD_NS 500000u
#define SLICE_NS 100000u /* the shortest time slice that the scheduler allows, ns */

/* Same as struct sched_attr of include/uapi/linux/sched/types.h. That header cannot be used, because it conflicts with
 * headers of glibc. */
struct priority_wish {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

static void priority_set(struct tracer *tracer, bool realtime)
{
    const int own_nice = getpriority(PRIO_PROCESS, 0);
    const struct priority_wish wishes[] = {
        {.size = sizeof *wishes, .policy = SCHED_FIFO, .priority = 1},
        {.size = sizeof *wishes, .policy = SCHED_OTHER, .nice = -10, .runtime = SLICE_NS},
        {.size = sizeof *wishes, .policy = SCHED_OTHER, .nice = own_nice, .runtime = SLICE_NS},
    };

    tracer->asked_for_realtime = realtime;
    for (size_t i = realtime ? 0 : 1; i < sizeof wishes / sizeof *wishes; i++)
        if (syscall(SYS_sched_setattr, 0, &wishes[i], 0u) == 0)
            return;
}

/* Returns true if real-time priority is best whatever other programs want. */
static bool priority_may_be_realtime(const struct tracer *tracer)
{
    const struct supervisor *supervisor = tracer->supervisor;

    if (!supervisor->cpus.full)
        return true;
    return budget_period(&supervisor->budget) / affinity_cpu_count(tracer) >= REALTIME_PERIOD_NS;
}

void priority_ask(struct tracer *tracer)
{
    priority_set(tracer, priority_may_be_realtime(tracer));
}

bool priority_realtime_is_best(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;

    if (priority_may_be_realtime(tracer))
        return true;
    /* the load says nothing about targets that all sleep at this moment */
    return cpus_full_count_runnable(supervisor) > 0 ? cpus_full_by_others(tracer) : tracer->asked_for_realtime;
}

void priority_follow(struct tracer *tracer, bool realtime)
{
    if (tracer->asked_for_realtime != realtime)
        priority_set(tracer, realtime);
}
