/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Is any CPU idle? Where none is, a tracer takes the CPU from a target whenever it runs. */
#include "config.h"

#include "supervisor/crowd.h"
#include "supervisor/supervisor.h"

#define LOAD_PERIOD_NS 10000000u

static double crowd_of_others(const struct system_load *load, unsigned ours)
{
    return load->runnable > ours ? load->runnable - ours : 0;
}

void crowd_look(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    unsigned runnable = 0;

    for (unsigned i = 0; i < supervisor->tracer_count; i++)
        runnable += supervisor->tracers[i]->tick.runnable;
    if (supervisor->has_all_cpus && tracer->tick.at - supervisor->load_at >= LOAD_PERIOD_NS) {
        unsigned ours = 1 + tracer->preempt.ordered; /* the occupier is at work, too */
        supervisor->load_at = tracer->tick.at;
        if (system_load_read(&supervisor->load) == 0)
            supervisor->load_mean += (crowd_of_others(&supervisor->load, ours) - supervisor->load_mean) / 4;
    }
    supervisor->crowded = runnable >= supervisor->cpu_count ||
                          supervisor->load_mean > (double)supervisor->cpu_count - 0.5;
}
