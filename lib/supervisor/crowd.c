/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Is any CPU idle? Where none is, a tracer takes the CPU from a target whenever it runs. */
#include "config.h"

#include "supervisor/supervisor.h"

#define LOAD_PERIOD_NS 10000000u

void crowd_look(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    unsigned running = 0;

    for (unsigned i = 0; i < supervisor->tracer_count; i++)
        running += supervisor->tracers[i]->tick.running;
    if (supervisor->has_all_cpus && tracer->tick.at - supervisor->load_at >= LOAD_PERIOD_NS) {
        unsigned ours = 1 + tracer->preempt.ordered; /* the occupier is at work, too */
        supervisor->load_at = tracer->tick.at;
        if (system_load_read(&supervisor->load) == 0 && supervisor->load.runnable >= ours)
            supervisor->load_mean += ((double)supervisor->load.runnable - ours - supervisor->load_mean) / 4;
    }
    supervisor->crowded = running >= supervisor->cpu_count ||
                          supervisor->load_mean > (double)supervisor->cpu_count - 0.5;
}
