/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* crowd: is any CPU idle? */
#ifndef PPROFIL_CROWD_H
#define PPROFIL_CROWD_H

#include <stdbool.h>
#include <stdint.h>

struct tracer;

struct crowd {
    uint64_t load_at;  /* time: the load was read last */
    double load_mean;  /* tasks that want a CPU, of late, without the tracer that asks */
    bool has_all_cpus; /* the load counts no CPUs that we may not use */
};

/* At a tick: are all CPUs in use? By targets, or by others, who are in the load as well as we. */
void crowd_look(struct tracer *tracer);

#endif
