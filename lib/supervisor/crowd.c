/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Is any CPU idle? Where none is, a tracer takes the CPU from a target whenever it runs. */
#include "config.h"

#include "supervisor/crowd.h"
#include "supervisor/supervisor.h"

#define LOAD_PERIOD_NS 10000000u

/* Tasks that want a CPU, without the tracer that asks, and its occupier if that is at work, too. */
static double crowd_of_others(const struct tracer *tracer)
{
    unsigned ours = 1 + tracer->preempt.ordered, runnable = tracer->supervisor->load.runnable;

    return runnable > ours ? runnable - ours : 0;
}

static void crowd_read_load(struct tracer *tracer)
{
    struct crowd *crowd = &tracer->supervisor->crowd;

    if (!crowd->has_all_cpus || tracer->tick.at - crowd->load_at < LOAD_PERIOD_NS)
        return;
    crowd->load_at = tracer->tick.at;
    if (system_load_read(&tracer->supervisor->load) == 0)
        crowd->load_mean += (crowd_of_others(tracer) - crowd->load_mean) / 4;
}

void crowd_look(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    unsigned runnable = 0;

    for (unsigned i = 0; i < supervisor->tracer_count; i++)
        runnable += supervisor->tracers[i]->tick.runnable;
    crowd_read_load(tracer);
    supervisor->crowded = runnable >= supervisor->cpu_count ||
                          supervisor->crowd.load_mean > (double)supervisor->cpu_count - 0.5;
}
