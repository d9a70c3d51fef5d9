/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Is any CPU idle? Where none is, a tracer takes the CPU from a target whenever it runs. */
#include "config.h"

#include "supervisor/crowd.h"
#include "supervisor/supervisor.h"

#define LOAD_PERIOD_NS 10000000u
#define LOAD_STALE_NS 100000000u
/* CPUs that were full count as full for so long. Else tracers would go here and there. */
#define FULL_MIN_NS 20000000u

/* Tasks that want a CPU, without the tracer that asks, and its occupier if that is at work, too. */
static double crowd_of_others(const struct tracer *tracer)
{
    unsigned ours = 1 + tracer->preempt.ordered, runnable = tracer->supervisor->load.runnable;

    return runnable > ours ? runnable - ours : 0;
}

/* While our own targets fill the CPUs the load is not read. A mean that old is replaced, not corrected. */
static void crowd_read_load(struct tracer *tracer)
{
    struct crowd *crowd = &tracer->supervisor->crowd;
    uint64_t age = tracer->tick.at - crowd->load_at;

    if (!crowd->has_all_cpus || age < LOAD_PERIOD_NS)
        return;
    crowd->load_at = tracer->tick.at;
    if (system_load_read(&tracer->supervisor->load) == 0)
        crowd->load_mean += (crowd_of_others(tracer) - crowd->load_mean) / (age < LOAD_STALE_NS ? 4 : 1);
}

unsigned crowd_count_runnable(const struct supervisor *supervisor)
{
    unsigned runnable = 0;

    for (unsigned i = 0; i < supervisor->tracer_count; i++)
        runnable += supervisor->tracers[i]->tick.runnable;
    return runnable;
}

void crowd_look(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct crowd *crowd = &supervisor->crowd;
    uint64_t now = tracer->tick.at;
    bool full = crowd_count_runnable(supervisor) >= supervisor->cpu_count;

    if (!full) {
        crowd_read_load(tracer);
        full = crowd->load_mean > (double)supervisor->cpu_count - 0.5;
    }
    if (full)
        crowd->full_at = now;
    supervisor->crowded = full || (supervisor->crowded && now < crowd->full_at + FULL_MIN_NS);
}
