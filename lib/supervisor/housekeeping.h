/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* housekeeping: what is done now and then. */
#ifndef PPROFIL_HOUSEKEEPING_H
#define PPROFIL_HOUSEKEEPING_H

#include <stdint.h>

struct supervisor;
struct tracer;

struct housekeeping {
    uint64_t untold_until; /* time until which untold ends are likely */
    uint64_t stats_due;    /* time of the next statistics */
    uint64_t ends_at;      /* time of the last search for untold ends */
    uint64_t all_ends_at;  /* time of the last search that looked at all processes */
    uint64_t rate_told_at; /* time: the client was told of another rate */
    uint64_t full_at;     /* time: whether CPUs are full was looked at */
};

/* With the lock, by the first tracer: does for all tracers what is due. Returns the time at which it is to be called
 * again. The result means nothing while nothing is sampled. */
uint64_t housekeeping_run(struct tracer *tracer);
/* With the lock. A task was made or handed over: for 10 s the end of a task may be told to nobody, and is looked for
 * every 0.5 s. */
void housekeeping_expect_untold_ends(struct supervisor *supervisor);

#endif
