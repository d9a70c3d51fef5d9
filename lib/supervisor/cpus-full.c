/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out whether a CPU is idle, and whether other programs want the CPUs as much as the targets do. It matters
 * whether a CPU is idle: if none is, a tracer takes its CPU from a target. */
#include "config.h"

#include "supervisor/proc/system.h"
#include "supervisor/supervisor.h"
#include "supervisor/tracer-cpus.h"

#define LOAD_PERIOD_NS 10000000u
#define LOAD_STALE_NS 100000000u
/* After the CPUs were found full for the last time, they still count as full for FULL_MIN_NS, ns. Otherwise tracers
 * would move back and forth. */
#define FULL_MIN_NS 20000000u

/* Returns how many tasks of the system run or wait for a CPU. Does not count this tracer, nor its occupier (preempt.c)
 * if the occupier has an order. */
static double cpus_full_others(const struct tracer *tracer)
{
    unsigned ours = 1 + tracer->preempt.ordered, runnable = tracer->supervisor->load.runnable;

    return runnable > ours ? runnable - ours : 0;
}

/* If the mean load is higher than the returned value, the CPUs count as full. */
static double cpus_full_load(const struct supervisor *supervisor)
{
    return (double)supervisor->cpus.count - 0.5;
}

/* Reads the load, at most once in LOAD_PERIOD_NS, and updates its mean. While our own targets fill the CPUs, this
 * function is not called, so the mean may be old. If the mean is older than LOAD_STALE_NS, the new load replaces it.
 * The replacement is limited, so that a single reading does not make the CPUs count as full. */
static void cpus_full_read_load(struct tracer *tracer)
{
    struct cpu_load *load = &tracer->supervisor->cpus.load;
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
    struct cpu_load *load = &supervisor->cpus.load;
    uint64_t now = tracer->tick.at;
    bool full = cpus_full_count_runnable(supervisor) >= supervisor->cpus.count;

    if (!full) {
        cpus_full_read_load(tracer);
        full = load->mean > cpus_full_load(supervisor);
    }
    if (full)
        load->full_at = now;
    supervisor->cpus.full = full || (supervisor->cpus.full && now < load->full_at + FULL_MIN_NS);
}

bool cpus_full_by_others(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct cpu_load *load = &supervisor->cpus.load;

    if (!load->has_all_cpus)
        return false;
    if (tracer->tick.at >= load->counted_at + LOAD_PERIOD_NS) {
        load->counted_at = tracer->tick.at;
        load->counted = system_load_read(&supervisor->load) == 0;
    }
    return load->counted && cpus_full_others(tracer) >= 2.0 * cpus_full_count_runnable(supervisor);
}
