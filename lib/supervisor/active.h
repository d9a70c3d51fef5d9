/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* active: decides which tracees are active: these tracees use CPU time, and ticks look at them. */
#ifndef PPROFIL_ACTIVE_H
#define PPROFIL_ACTIVE_H

#include <stdint.h>

struct supervisor;
struct tracee;
struct tracer;

/* Makes the tracees of this tracer inactive that have used hardly any CPU time for some time. */
void active_drop_idle(struct tracer *tracer, uint64_t now);
/* Called by the first tracer. Finds processes that used more CPU time than their active tracees account for, and
 * activates the threads that used it. A search through all processes is divided over several calls, because each call
 * holds the lock. Returns the time at which it must be called again; an earlier call does no harm. */
uint64_t active_search(struct tracer *tracer, uint64_t now);
/* Makes the tracee active. If it belongs to a tracer other than `tracer`, has that tracer do so. To be called for a
 * tracee that uses CPU time. */
void active_note(struct tracer *tracer, struct tracee *tracee, uint64_t now);

#endif
