/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How soon a tracer runs.
 *
 * A look that comes late comes when its target has gone to sleep: what runs just after a wake-up would be missed.
 *
 * Where a CPU is idle, real-time priority is best, if we may have it: the scheduler wakes a real-time thread where it
 * ran last, and does not move threads that it wakes to that CPU. Without it a tracer and the tracee that it resumes
 * often share a CPU though another is idle (measured: a process that forks loses twice as much). Where no CPU is
 * idle, real-time priority makes a sample twice as dear: it takes the CPU from a target at every wake-up, however
 * little the target has run. There a short slice does (sched_setattr(2); since Linux 6.12 anyone may ask for one).
 */
#include "config.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor/priority.h"
#include "supervisor/supervisor.h"

#define SLICE_NS 100000u /* the shortest that the scheduler grants */

/* struct sched_attr of include/uapi/linux/sched/types.h, whose header clashes with glibc's. */
struct priority_wish {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

void priority_ask(struct tracer *tracer)
{
    const int own_nice = getpriority(PRIO_PROCESS, 0);
    const struct priority_wish wishes[] = {
        {.size = sizeof *wishes, .policy = SCHED_FIFO, .priority = 1},
        {.size = sizeof *wishes, .policy = SCHED_OTHER, .nice = -10, .runtime = SLICE_NS},
        {.size = sizeof *wishes, .policy = SCHED_OTHER, .nice = own_nice, .runtime = SLICE_NS},
    };

    tracer->asked_for_idle = !tracer->supervisor->cpus_full;
    for (size_t i = tracer->asked_for_idle ? 0 : 1; i < sizeof wishes / sizeof *wishes; i++)
        if (syscall(SYS_sched_setattr, 0, &wishes[i], 0u) == 0)
            return;
}

void priority_follow_cpus(struct tracer *tracer)
{
    if (tracer->asked_for_idle == tracer->supervisor->cpus_full)
        priority_ask(tracer);
}
