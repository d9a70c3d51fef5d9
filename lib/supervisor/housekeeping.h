/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* housekeeping: what is done now and then. */
#ifndef PPROFIL_HOUSEKEEPING_H
#define PPROFIL_HOUSEKEEPING_H

#include <stdint.h>

struct supervisor;
struct tracer;

struct housekeeping {
    uint64_t untold_until; /* time: till then ends are likely that nobody tells of */
    uint64_t stats_due; /* time of the next statistics */
    uint64_t ends_at;   /* time: ends that nobody told of were looked for where they are likely, ... */
    uint64_t all_ends_at; /* ... and everywhere */
    uint64_t rate_told_at; /* time: the client was told of another rate */
    uint64_t full_at;     /* time: whether CPUs are full was looked at */
};

/* The first tracer's: what is to be done now and then for all. Returns when it is to be done again. */
uint64_t housekeeping_run(struct tracer *tracer);
/* With the lock: a task was made, or handed over. Its end may be told to nobody. */
void housekeeping_expect_untold_ends(struct supervisor *supervisor);

#endif
