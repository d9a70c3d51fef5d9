/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cpus-full: is any CPU idle? */
#ifndef PPROFIL_CPUS_FULL_H
#define PPROFIL_CPUS_FULL_H

#include <stdbool.h>
#include <stdint.h>

struct supervisor;
struct tracer;

struct cpu_load {
    uint64_t read_at;  /* time: the load was read last */
    double mean;       /* tasks that want a CPU, when it was read last, without the tracer that asked */
    uint64_t full_at;  /* time: no CPU was seen idle then */
    bool has_all_cpus; /* all CPUs that are online are ours to use, so the system's load is that of our CPUs */
};

/* At a tick: finds out whether every CPU is in use, by targets or by others, and sets supervisor->cpus_full. Reads
 * the system's load at most once in 10 ms. */
void cpus_full_update(struct tracer *tracer);
/* Returns how many tracees want a CPU, as their tracers saw at their last ticks. */
unsigned cpus_full_count_runnable(const struct supervisor *supervisor);

#endif
