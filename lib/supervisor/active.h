/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* active: who is looked at. */
#ifndef PPROFIL_ACTIVE_H
#define PPROFIL_ACTIVE_H

#include <stdint.h>

struct supervisor;
struct tracee;
struct tracer;

/* The search for CPU time that no active tracee explains. */
struct scan {
    uint64_t at;      /* time of the last */
    uint64_t cost_ns; /* that it took */
    unsigned open;    /* processes whose threads are being searched */
};

/* Takes those that used no CPU for long off the tracer's list of the active. */
void active_drop_idle(struct tracer *tracer, uint64_t now);
/* The first tracer's: finds CPU time that no active tracee explains, and who used it. Cheap when called
 * often. */
void active_search(struct tracer *tracer, uint64_t now);
/* How often that looks at the clocks of all processes, ns. */
uint64_t active_search_period(const struct supervisor *supervisor);
/* The tracee uses CPU time: its tracer, which may be another one, is to look at it. */
void active_note(struct tracer *tracer, struct tracee *tracee, uint64_t now);

#endif
