/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Is any CPU idle? Where none is, a tracer takes the CPU from a target whenever it runs. */
#include "config.h"

#include "supervisor/cpus-full.h"
#include "supervisor/supervisor.h"

#define LOAD_PERIOD_NS 10000000u
#define LOAD_STALE_NS 100000000u
/* CPUs that were full count as full for so long. Else tracers would go here and there. */
#define FULL_MIN_NS 20000000u

/* Tasks that want a CPU, without the tracer that asks, and its occupier if that is at work, too. */
static double cpus_full_others(const struct tracer *tracer)
{
    unsigned ours = 1 + tracer->preempt.ordered, runnable = tracer->supervisor->load.runnable;

    return runnable > ours ? runnable - ours : 0;
}

/* With a higher mean load the CPUs are full. */
static double cpus_full_load(const struct supervisor *supervisor)
{
    return (double)supervisor->cpu_count - 0.5;
}

/* The mean is not kept up while our own targets fill the CPUs. If it is stale, the new figure replaces it; but one
 * figure alone does not make the CPUs full. */
static void cpus_full_read_load(struct tracer *tracer)
{
    struct cpu_load *load = &tracer->supervisor->cpu_load;
    uint64_t age = tracer->tick.at - load->read_at;

    if (!load->has_all_cpus || age < LOAD_PERIOD_NS)
        return;
    load->read_at = tracer->tick.at;
    if (system_load_read(&tracer->supervisor->load) != 0)
        return;
    double others = cpus_full_others(tracer), full = cpus_full_load(tracer->supervisor);
    if (age >= LOAD_STALE_NS)
        load->mean = others < full ? others : full;
    else
        load->mean += (others - load->mean) / 4;
}

unsigned cpus_full_count_runnable(const struct supervisor *supervisor)
{
    unsigned runnable = 0;

    for (unsigned i = 0; i < supervisor->tracer_count; i++)
        runnable += supervisor->tracers[i]->tick.runnable;
    return runnable;
}

void cpus_full_update(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct cpu_load *load = &supervisor->cpu_load;
    uint64_t now = tracer->tick.at;
    bool full = cpus_full_count_runnable(supervisor) >= supervisor->cpu_count;

    if (!full) {
        cpus_full_read_load(tracer);
        full = load->mean > cpus_full_load(supervisor);
    }
    if (full)
        load->full_at = now;
    supervisor->cpus_full = full || (supervisor->cpus_full && now < load->full_at + FULL_MIN_NS);
}
